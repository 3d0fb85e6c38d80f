import assert from "node:assert/strict";
import { test } from "node:test";
import { parseProgramLog } from "#src/accuracy/program-log.ts";
import { readTransaction } from "#src/accuracy/read-transaction.ts";
import type { Address } from "#src/units/address.ts";
import type { SkipReason } from "#src/venues/swap-reader.ts";
import type { VenueId } from "#src/venues/venue.ts";
import { playedAccuracy } from "./played-accuracy.ts";

type Played = Awaited<ReturnType<typeof playedAccuracy>>;

test("after a gap every swap is counted: skipped until the pool is followed again, then replayed", async (t) => {
  const played = await playedAccuracy(t);
  const { watch, judged, play } = played;
  const { pool, trade, executed } = await traded(played, "raydium-cpmm");
  await play(20, trade);
  watch.startOver();
  await play(20, trade);
  const ours = judged.filter((swap) => swap.pool === pool);
  const skipped = ours.filter(({ outcome }) => outcome.kind === "skipped");
  assert.ok(skipped.length > 0);
  for (const { outcome } of skipped)
    assert.deepEqual(outcome, { kind: "skipped", reason: "state-not-held" });
  assert.equal(ours.at(-1)?.outcome.kind, "replayed");
  assertNoneMissing(executed, ours);
});

test("a transaction that the node never returns counts for the pool in its log", async (t) => {
  const played = await playedAccuracy(t, { readTransaction: async () => null });
  const { judged, play } = played;
  const { pool, trade, executed } = await traded(played, "orca-whirlpool");
  await play(20, trade);
  const ours = judged.filter((swap) => swap.pool === pool);
  const reasons = new Set<SkipReason | null>(
    ours.map(({ outcome }) => (outcome.kind === "skipped" ? outcome.reason : null)),
  );
  assert.deepEqual([...reasons], ["transaction-unread"]);
  assertNoneMissing(executed, ours);
});

/** A pool of the venue, a way to trade on it, and the signatures of all swaps that were executed there. */
async function traded({ demo, tracker, chain }: Played, venue: VenueId) {
  for (const { mint } of demo.namedTokens) await tracker.snapshot(mint);
  const ref = [...tracker.pools()].find((pool) => pool.venue.id === venue);
  assert.ok(ref !== undefined);
  const executed: string[] = [];
  chain
    .followTransactions({
      onTransaction: ({ signature }) => {
        void chain.readTransaction(signature, AbortSignal.timeout(1_000)).then((whole) => {
          if (whole === null) return;
          const reading = readTransaction(whole, parseProgramLog(whole.logs));
          if (reading.kind === "whole" && reading.swaps.some(({ pool }) => pool === ref.address))
            executed.push(signature);
        });
      },
      onGap: () => {},
    })
    .add([ref.address]);
  let trades = 0;
  const trade = () => {
    trades++;
    const side = trades % 2 === 0 ? "buy" : "sell";
    demo.script(ref.mint, { kind: "trade", side, sol: 0.05 });
  };
  const pool: Address = ref.address;
  return { pool, trade, executed };
}

/** From the first swap that was counted to the last, all are. */
function assertNoneMissing(
  executed: readonly string[],
  counted: readonly { readonly signature: string }[],
): void {
  const signatures = counted.map(({ signature }) => signature);
  const from = executed.indexOf(signatures[0] ?? "");
  const to = executed.indexOf(signatures.at(-1) ?? "");
  assert.ok(from >= 0 && to - from > 10, "hardly any swap was counted");
  assert.deepEqual(signatures, executed.slice(from, to + 1));
}
