import assert from "node:assert/strict";
import { test } from "node:test";
import { namedAddress, plainPool } from "#bench/detection/plain-pool-venue.ts";
import { ScriptedChain } from "#bench/detection/scripted-chain.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { placeMint, placePool, SOL } from "#test/simulation/track/plain-market.ts";
import { track } from "#test/simulation/track/tracker-on.ts";
import { sqliteDatabase } from "#test/support/databases/databases.ts";
import type { Tracker } from "./tracker.ts";

const MINT = namedAddress("token");
const COIN = namedAddress("coin");
const FULL = { base: 500_000_000_000_000n, quote: 80n * SOL };
const MINUTE_MS = 60_000;
const SLOTS_A_TICK = 25;

async function pass(chain: ScriptedChain, tracker: Tracker, minutes: number): Promise<void> {
  for (const endMs = chain.nowMs + minutes * MINUTE_MS; chain.nowMs < endMs; ) {
    chain.advance(SLOTS_A_TICK);
    tracker.touch(MINT);
    tracker.tick();
    await tracker.idle();
  }
}

test("pools of a quoted coin that were created while no process ran are found within minutes", async (t) => {
  const database = await sqliteDatabase(t);
  const chain = new ScriptedChain();
  for (const mint of [MINT, COIN]) placeMint(chain, mint);
  placePool(chain, plainPool("token", MINT, COIN), FULL);
  placePool(chain, plainPool("coin", COIN, WSOL), { ...FULL, quote: 8n * SOL });
  const earlier = track(chain, database);
  await earlier.snapshot(MINT);
  // The coin is searched again after ten minutes and after an hour, and then every six hours.
  await pass(chain, earlier, 80);
  const before = depthOf(earlier);
  await earlier.close();
  placePool(chain, plainPool("new", COIN, WSOL), FULL);
  chain.advance((15 * MINUTE_MS) / 400);
  const tracker = track(chain, database);
  await tracker.restore();
  await pass(chain, tracker, 4);
  assert.ok(depthOf(tracker) > 5n * before);
  await tracker.close();
});

function depthOf(tracker: Tracker): bigint {
  const snapshot = tracker.latest(MINT);
  assert.ok(snapshot?.kind === "assessed");
  return snapshot.assessment.measurement?.depthLamports ?? assert.fail("not measured");
}
