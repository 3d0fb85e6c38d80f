import assert from "node:assert/strict";
import { test } from "node:test";
import type { Tally } from "#src/accuracy/tally.ts";
import { formatTable } from "#src/cli/output.ts";
import { closeAfter } from "#test/support/ending.ts";
import { sharedPath } from "#test/support/pools/executions.ts";
import { AccuracyRun } from "./accuracy-run.ts";
import { pumpPrograms } from "./programs.ts";
import { PumpMarket } from "./pump-market.ts";
import { tradeEverything } from "./trade-everything.ts";

/** So many swaps of each instruction are judged. */
const WANTED = 200;

function cellsOf({ seen, replayed, exact, skipped }: Tally): readonly string[] {
  const reasons = Object.entries(skipped).map(([reason, count]) => `${count} ${reason}`);
  return [...[seen, replayed, exact].map(String), reasons.join(", ")];
}

test("of each instruction of pump's own programs every swap is replayed and exact, however it arrives", async (t) => {
  const accounts = sharedPath(t, "mainnet");
  if (accounts === null) return;
  const programs = await pumpPrograms();
  if (programs.kind === "absent") return t.skip(programs.reason);
  const run = new AccuracyRun();
  closeAfter(t, () => run.close());
  const market = new PumpMarket(run.chain, programs.folder, accounts);
  await market.prepare();
  const rows = await tradeEverything(run, market, WANTED);
  const table = formatTable([
    ["instruction", "seen", "replayed", "exact", "skipped"],
    ...rows.map(({ instruction, tallies }) => [instruction, ...cellsOf(tallies.instructions)]),
  ]);
  for (const line of table.split("\n")) t.diagnostic(line);
  for (const { instruction, isFilling, tallies } of rows) {
    const { instructions: tally, logs } = tallies;
    assert.deepEqual(logs, tally, instruction);
    assert.equal(tally.exact, tally.replayed, instruction);
    // What a purchase that fills a curve offered is not in its event, unless it named the coins.
    const isOfferUnknown = isFilling && instruction.includes("exact");
    const skipped = isOfferUnknown ? { "other-terms": tally.seen } : {};
    assert.deepEqual(tally.skipped, skipped, instruction);
    assert.ok(isFilling || tally.seen >= WANTED, `${instruction}: ${tally.seen}`);
  }
});
