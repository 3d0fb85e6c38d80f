import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import {
  namedAddress,
  plainPoolAccount,
  plainVenue,
  vaultAccount,
} from "#bench/detection/plain-pool-venue.ts";
import { ScriptedChain } from "#bench/detection/scripted-chain.ts";
import type { Address } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { placeToken, SOL, setReserves } from "#test/simulation/track/plain-market.ts";
import { closeAfter } from "#test/support/ending.ts";
import { Tracker } from "./tracker.ts";

const MINT = namedAddress("token");
/** In this time the stream's accounts are confirmed. */
const SECONDS_TO_CONFIRM = 10;
const SLOTS_PER_SECOND = 3;
/** Less than the time to the first tick. */
const BEFORE_TICK_MS = 5;
/** A measurement of several quotes takes longer than the tokens of one turn may. */
const MS_PER_SLOW_QUOTE = 50;

/** A running tracker of one token, and the depths that it pushed; the test moves its timers. */
async function running(t: TestContext, { isStreamed = false } = {}) {
  const { chain, pools, depths, beforeTick } = await runningOf(t, [MINT], { isStreamed });
  const [pool] = pools;
  assert.ok(pool);
  return { chain, pool, depths, beforeTick };
}

/** The same of several tokens. Once `slow` was called, each of them takes longer to measure than one turn has. */
async function runningOf(t: TestContext, mints: readonly Address[], { isStreamed = false } = {}) {
  const chain = new ScriptedChain();
  const pools = mints.map((mint) => placeToken(chain, mint, 80));
  let spentMs = 0;
  let msPerQuote = 0;
  const venue = plainVenue();
  const venues = [
    {
      ...venue,
      quoteExactIn: (...sale: Parameters<typeof venue.quoteExactIn>) => {
        spentMs += msPerQuote;
        return venue.quoteExactIn(...sale);
      },
    },
  ];
  const tracker = new Tracker({
    ...{ source: chain, venues, clock: { nowMs: () => chain.nowMs + spentMs }, database: null },
    everything: isStreamed ? { venues, transactions: null } : null,
  });
  closeAfter(t, () => tracker.close());
  for (const mint of mints) await tracker.snapshot(mint);
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
  const slow = () => {
    msPerQuote = MS_PER_SLOW_QUOTE;
  };
  const beforeTick = () => {
    for (let passedMs = 0; passedMs < BEFORE_TICK_MS; passedMs++) t.mock.timers.tick(1);
  };
  return { chain, pools, tracker, depths, slow, beforeTick };
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

test("what one turn has no time for is measured in the next ones, before the tick", async (t) => {
  const mints = ["one", "two", "three"].map(namedAddress);
  const { chain, pools, depths, slow, beforeTick } = await runningOf(t, mints);
  slow();
  for (const pool of pools)
    setReserves(chain, pool, { base: 500_000_000_000_000n, quote: 70n * SOL });
  t.mock.timers.tick(1);
  assert.deepEqual(depths, [70n * SOL]);
  beforeTick();
  assert.deepEqual(depths, [70n * SOL, 70n * SOL, 70n * SOL]);
});

test("what is left when the tracker is closed is not measured", async (t) => {
  const mints = ["one", "two"].map(namedAddress);
  const { chain, pools, tracker, depths, slow, beforeTick } = await runningOf(t, mints);
  slow();
  for (const pool of pools)
    setReserves(chain, pool, { base: 500_000_000_000_000n, quote: 70n * SOL });
  t.mock.timers.tick(1);
  assert.deepEqual(depths, [70n * SOL]);
  await tracker.close();
  beforeTick();
  assert.deepEqual(depths, [70n * SOL]);
});
