import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import {
  namedAddress,
  type PlainState,
  plainPool,
  plainVenue,
} from "#bench/detection/plain-pool-venue.ts";
import { ScriptedChain } from "#bench/detection/scripted-chain.ts";
import type { Address } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import type { Venue } from "#src/venues/venue.ts";
import {
  placeMint,
  placePool,
  placeToken,
  SOL,
  setReserves,
} from "#test/simulation/track/plain-market.ts";
import { closeAfter } from "#test/support/ending.ts";
import { Tracker } from "../tracker.ts";

const BROKEN = namedAddress("broken");
const SOUND = namedAddress("sound");
const FEE_OF_BROKEN_BPS = 31n;
const SLOTS_TO_CONFIRM = 10;
/**
 * More than the ten seconds that an unused token rests after a measurement. The tests go on 25.6 s after the chain's
 * start, and samples are taken at 20 and 30 s.
 */
const SLOTS_PAST_REST = 53;
const poolOf = (mint: Address) => plainPool(`${mint} main`, mint, WSOL);
const withSol = (sol: bigint) => ({ base: 500_000_000_000_000n, quote: sol * SOL });

test("a token whose measurement fails by a bug of ours stops no other token", async () => {
  const chain = new ScriptedChain();
  const sound = plainVenue();
  let isBroken = false;
  const failures: string[] = [];
  const venue: Venue<PlainState> = {
    ...sound,
    quoteExactIn: (state, sale) => {
      if (isBroken && state.feeBps === FEE_OF_BROKEN_BPS) throw new TypeError("a bug");
      return sound.quoteExactIn(state, sale);
    },
  };
  const tracker = new Tracker({
    source: chain,
    venues: [venue],
    clock: { nowMs: () => chain.nowMs },
    database: null,
    onFailure: (what) => failures.push(what),
  });
  placeMint(chain, BROKEN);
  placePool(chain, poolOf(BROKEN), withSol(80n), { feeBps: Number(FEE_OF_BROKEN_BPS) });
  placeToken(chain, SOUND, 80);
  chain.advance(5);
  for (const mint of [BROKEN, SOUND]) await tracker.snapshot(mint);
  const depths: (bigint | undefined)[] = [];
  tracker.onSnapshot(({ assessment }) => {
    if (assessment.mint === SOUND) depths.push(assessment.measurement?.depthLamports);
  });
  isBroken = true;
  for (const sol of [70n, 60n]) {
    chain.advance(5);
    for (const mint of [BROKEN, SOUND]) {
      setReserves(chain, poolOf(mint), withSol(sol));
    }
    tracker.tick();
    assert.equal(depths.at(-1), sol * SOL);
  }
  assert.ok(failures.includes("measure a token"));
  await tracker.close();
});

/** A tracker that streams all pools, with two unused tokens that changed, and the mints measured since. */
async function withTwoChanged(t: TestContext) {
  const chain = new ScriptedChain();
  const plain = plainVenue();
  const spent = { ms: 0, msPerQuote: 0 };
  const venue: Venue<PlainState> = {
    ...plain,
    quoteExactIn: (state, sale) => {
      spent.ms += spent.msPerQuote;
      return plain.quoteExactIn(state, sale);
    },
  };
  const tracker = new Tracker({
    ...{ source: chain, venues: [venue], database: null },
    clock: { nowMs: () => chain.nowMs + spent.ms },
    everything: { venues: [venue], transactions: null },
  });
  closeAfter(t, () => tracker.close());
  const pass = async (slots: number): Promise<void> => {
    for (let slot = 0; slot < slots; slot++) {
      chain.advance(1);
      tracker.tick();
      await tracker.idle();
    }
  };
  await pass(SLOTS_TO_CONFIRM);
  const mints = ["one", "two"].map(namedAddress);
  for (const mint of mints) placeToken(chain, mint, 80);
  await pass(SLOTS_PAST_REST);
  const measured: Address[] = [];
  tracker.onSnapshot(({ assessment: { mint, measurement } }) => {
    if (measurement?.depthLamports === 70n * SOL) measured.push(mint);
  });
  for (const mint of mints) setReserves(chain, poolOf(mint), withSol(70n));
  chain.advance(1);
  /** Ticks once, in which the first token is measured and leaves no time for the second; returns the time it took. */
  const measureFirst = (msPerQuote: number): number => {
    const beforeMs = spent.ms;
    spent.msPerQuote = msPerQuote;
    tracker.tick();
    spent.msPerQuote = 0;
    assert.deepEqual(measured, mints.slice(0, 1));
    return spent.ms - beforeMs;
  };
  return { chain, tracker, mints, measured, spent, measureFirst };
}

test("after a call that measured unused tokens, others pause for as long as it took", async (t) => {
  const { tracker, mints, measured, spent, measureFirst } = await withTwoChanged(t);
  const tookMs = measureFirst(2);
  assert.ok(tookMs >= 10, `one measurement takes the time of a call: ${tookMs} ms`);
  spent.ms += tookMs - 1;
  tracker.tick();
  assert.deepEqual(measured, mints.slice(0, 1));
  spent.ms++;
  tracker.tick();
  assert.deepEqual(measured, mints);
});

test("a clock that is set forward by seconds while a token is measured stops no other for so long", async (t) => {
  const { tracker, mints, measured, spent, measureFirst } = await withTwoChanged(t);
  measureFirst(300);
  spent.ms += 200;
  tracker.tick();
  assert.deepEqual(measured, mints);
});

/** The same while the next slot arrives: the first token is measured, and 199 ms have passed since. */
async function whileSlotArrives(t: TestContext) {
  const changed = await withTwoChanged(t);
  const { chain, tracker, mints, measured, spent, measureFirst } = changed;
  chain.reach(chain.slot - 1n);
  measureFirst(2);
  spent.ms += 199;
  tracker.tick();
  assert.deepEqual(measured, mints.slice(0, 1), "the pause is longer than the call");
  return changed;
}

test("while a slot arrives, unused tokens pause after a call until the slot is delivered", async (t) => {
  const { chain, tracker, mints, measured } = await whileSlotArrives(t);
  chain.reach(chain.slot);
  tracker.tick();
  assert.deepEqual(measured, mints);
});

test("while a slot arrives, unused tokens pause for 0.2 s at most", async (t) => {
  const { tracker, mints, measured, spent } = await whileSlotArrives(t);
  spent.ms++;
  tracker.tick();
  assert.deepEqual(measured, mints);
});
