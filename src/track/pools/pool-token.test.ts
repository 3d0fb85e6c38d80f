import assert from "node:assert/strict";
import { test } from "node:test";
import { namedAddress, plainPool, plainVenue } from "#bench/detection/plain-pool-venue.ts";
import { ScriptedChain } from "#bench/detection/scripted-chain.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { placeMint, placePool, SOL } from "#test/simulation/track/plain-market.ts";
import { Tracker } from "../tracker.ts";

const MINT = namedAddress("token");

/** A followed pool of the token, of a venue whose bytes name the pair only if `isNamed`. */
function trackPool(isNamed: boolean) {
  const chain = new ScriptedChain();
  placeMint(chain, MINT);
  const reserves = { base: 500_000_000_000_000n, quote: 80n * SOL };
  const pool = placePool(chain, plainPool("one", MINT, WSOL), reserves).address;
  const plain = plainVenue();
  const nameless: typeof plain = {
    ...plain,
    outline: (address, known, mint) =>
      mint === undefined ? null : plain.outline(address, known, mint),
  };
  const tracker = new Tracker({
    source: chain,
    venues: [isNamed ? plain : nameless],
    clock: { nowMs: () => chain.nowMs },
    database: null,
    onFailure: (what) => assert.fail(what),
  });
  return { tracker, pool };
}

test("a pool's address leads to the token that its bytes name", async () => {
  const { tracker, pool } = trackPool(true);
  const named = { kind: "not-found", mint: pool, poolOf: MINT };
  assert.deepEqual(await tracker.snapshot(pool), named);
  assert.deepEqual(tracker.latest(pool), named);
  await tracker.close();
});

test("a pool whose bytes do not name its token leads to it while the token is followed", async () => {
  const { tracker, pool } = trackPool(false);
  const unnamed = { kind: "not-found", mint: pool };
  assert.deepEqual(await tracker.snapshot(pool), unnamed);
  assert.equal((await tracker.snapshot(MINT)).kind, "assessed");
  assert.deepEqual(await tracker.snapshot(pool), { ...unnamed, poolOf: MINT });
  await tracker.close();
});
