import assert from "node:assert/strict";
import { test } from "node:test";
import { namedAddress, plainPool, plainVenue } from "#bench/detection/plain-pool-venue.ts";
import { ScriptedChain } from "#bench/detection/scripted-chain.ts";
import { mintAccount } from "#demo/token-accounts.ts";
import { assess } from "#src/measure/assess.ts";
import type { Assessment } from "#src/measure/assessment.ts";
import type { Address } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { placeMint, placePool, SOL } from "#test/simulation/track/plain-market.ts";
import { loadMarket } from "./pools/load-market.ts";
import { Tracker } from "./tracker.ts";

const MINT = namedAddress("token");
const QUOTE = namedAddress("quote");
const AUTHORITY = namedAddress("authority");
const FULL = { base: 500_000_000_000_000n, quote: 80n * SOL };

/** The finding about the token that sales go through; undefined: there is none. */
function throughOf({ findings }: Assessment): object | undefined {
  return findings.find((finding) => "through" in finding);
}

function placeQuote(chain: ScriptedChain, freezeAuthority?: Address): void {
  const fields = { supply: 1_000_000n, decimals: 6, slot: 0n };
  const mint = freezeAuthority === undefined ? fields : { ...fields, freezeAuthority };
  chain.set(QUOTE, { ...mintAccount(mint), lamports: 1n });
}

test("what an authority of the quote mint may do is known, from the load on and with each change", async () => {
  const chain = new ScriptedChain();
  placeMint(chain, MINT);
  placeQuote(chain, AUTHORITY);
  placePool(chain, plainPool("token", MINT, QUOTE), FULL);
  placePool(chain, plainPool("quote", QUOTE, WSOL), FULL);
  const deps = { source: chain, venues: [plainVenue()], clock: { nowMs: () => chain.nowMs } };
  const frozen = { kind: "freeze-authority", through: QUOTE };

  const loaded = await loadMarket(deps, MINT);
  assert.ok(loaded.kind === "market");
  assert.deepEqual(throughOf(assess(loaded.market)), frozen);

  const tracker = new Tracker({ ...deps, database: null });
  const answer = async (): Promise<Assessment> => {
    tracker.tick();
    await tracker.idle();
    const snapshot = await tracker.snapshot(MINT);
    assert.ok(snapshot.kind === "assessed");
    return snapshot.assessment;
  };
  await tracker.snapshot(MINT);
  assert.deepEqual(throughOf(await answer()), frozen);

  chain.advance(1);
  placeQuote(chain);
  // The pool's other accounts are read first: they may have changed in the same slot.
  await answer();
  chain.advance(1);
  assert.equal(throughOf(await answer()), undefined);
  await tracker.close();
});
