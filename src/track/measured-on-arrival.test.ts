import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import {
  namedAddress,
  plainPoolAccount,
  plainVenue,
  vaultAccount,
} from "#bench/detection/plain-pool-venue.ts";
import { ScriptedChain } from "#bench/detection/scripted-chain.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { placeToken, SOL, setReserves } from "#test/simulation/track/plain-market.ts";
import { closeAfter } from "#test/support/ending.ts";
import { createTracker } from "./tracker.ts";

const MINT = namedAddress("token");
/** In this time the stream's accounts are confirmed. */
const SECONDS_TO_CONFIRM = 10;
const SLOTS_PER_SECOND = 3;
/** Less than the time to the first tick. */
const BEFORE_TICK_MS = 5;

/** A running tracker of one token, and the depths that it pushed; the test moves its timers. */
async function running(t: TestContext, { isStreamed = false } = {}) {
  const chain = new ScriptedChain();
  const pool = placeToken(chain, MINT, 80);
  const venues = [plainVenue()];
  const tracker = createTracker({
    ...{ source: chain, venues, clock: { nowMs: () => chain.nowMs }, database: null },
    everything: isStreamed ? { venues, transactions: null } : null,
  });
  closeAfter(t, () => tracker.close());
  await tracker.snapshot(MINT);
  for (let second = 0; second < SECONDS_TO_CONFIRM; second++) {
    chain.advance(SLOTS_PER_SECOND);
    tracker.tick();
    await tracker.idle();
  }
  chain.advance(1);
  t.mock.timers.enable({ apis: ["setInterval", "setTimeout"] });
  tracker.start();
  const depths: (bigint | undefined)[] = [];
  tracker.onSnapshot(({ assessment }) => depths.push(assessment.measurement?.depthLamports));
  return { chain, pool, depths, beforeTick: () => t.mock.timers.tick(BEFORE_TICK_MS) };
}

test("a change is measured when it arrives, not at the next tick", async (t) => {
  const { chain, pool, depths, beforeTick } = await running(t);
  setReserves(chain, pool, { base: 500_000_000_000_000n, quote: 70n * SOL });
  beforeTick();
  assert.equal(depths.at(-1), 70n * SOL);
});

test("a change that comes with a whole program is measured when it arrives", async (t) => {
  const { chain, pool, depths, beforeTick } = await running(t, { isStreamed: true });
  chain.reach(chain.slot - 1n);
  setReserves(chain, pool, { base: 500_000_000_000_000n, quote: 70n * SOL });
  beforeTick();
  assert.ok(!depths.includes(70n * SOL), "the pool's own account may still change");
  const before = depths.length;
  chain.set(pool.address, plainPoolAccount(pool, { feeBps: 7 }));
  beforeTick();
  assert.ok(depths.length > before);
  assert.equal(depths.at(-1), 70n * SOL);
});

test("a pool that waits for the rest of a slot is measured when the stream has delivered the slot", async (t) => {
  const { chain, pool, depths, beforeTick } = await running(t, { isStreamed: true });
  chain.reach(chain.slot - 1n);
  chain.set(pool.vaultB, vaultAccount(WSOL, 70n * SOL));
  chain.advance(1);
  beforeTick();
  assert.ok(!depths.includes(70n * SOL), "its other vault may still change");
  chain.reach(chain.slot - 1n);
  beforeTick();
  assert.equal(depths.at(-1), 70n * SOL);
});
