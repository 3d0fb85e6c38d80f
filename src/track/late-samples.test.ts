import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { namedAddress, plainVenue } from "#bench/detection/plain-pool-venue.ts";
import { ScriptedChain } from "#bench/detection/scripted-chain.ts";
import type { Address } from "#src/units/address.ts";
import { placeToken, SOL, setReserves } from "#test/simulation/track/plain-market.ts";
import { closeAfter } from "#test/support/ending.ts";
import { Tracker } from "./tracker.ts";

const SAMPLE_EVERY_MS = 10_000;
const MS_PER_SLOT = 400;

/**
 * Streamed tokens in use, 50 ms before their next samples. `answersAt(ms)` ticks that much later, and returns the mints
 * of the answers so far. After `slow`, a measurement takes longer than one tick measures.
 */
async function shortlyBeforeSample(t: TestContext, names: readonly string[] = ["token"]) {
  const chain = new ScriptedChain();
  const mints = names.map(namedAddress);
  const pools = mints.map((mint) => placeToken(chain, mint, 80));
  let extraMs = 0;
  let msPerQuote = 0;
  const plain = plainVenue();
  const venue: typeof plain = {
    ...plain,
    quoteExactIn: (state, sale) => {
      extraMs += msPerQuote;
      return plain.quoteExactIn(state, sale);
    },
  };
  const tracker = new Tracker({
    ...{ source: chain, venues: [venue], database: null },
    clock: { nowMs: () => chain.nowMs + extraMs },
    everything: { venues: [venue], transactions: null },
  });
  closeAfter(t, () => tracker.close());
  for (const mint of mints) await tracker.snapshot(mint);
  do {
    chain.advance(1);
    chain.reach(chain.slot);
    tracker.tick();
    await tracker.idle();
  } while (chain.nowMs % SAMPLE_EVERY_MS !== SAMPLE_EVERY_MS - MS_PER_SLOT);
  const answered: Address[] = [];
  tracker.onSnapshot(({ assessment: { mint } }) => answered.push(mint));
  const answersAt = (ms: number): readonly Address[] => {
    extraMs = MS_PER_SLOT - 50 + ms;
    tracker.tick();
    return [...answered];
  };
  const slow = () => {
    msPerQuote = 10;
  };
  assert.deepEqual(answersAt(0), []);
  return { chain, mints, pools, answersAt, slow };
}

test("a sample is taken with the first tick after it is due", async (t) => {
  const { mints, answersAt } = await shortlyBeforeSample(t);
  assert.deepEqual(answersAt(49), []);
  assert.deepEqual(answersAt(50), mints);
});

test("while a slot arrives, a sample waits until the slot is delivered", async (t) => {
  const { chain, mints, answersAt } = await shortlyBeforeSample(t);
  const { slot } = chain;
  chain.reach(slot - 1n);
  assert.deepEqual(answersAt(100), []);
  chain.reach(slot);
  assert.deepEqual(answersAt(120), mints);
});

test("if a slot is not delivered, a sample waits for 0.2 s at most", async (t) => {
  const { chain, mints, answersAt } = await shortlyBeforeSample(t);
  chain.reach(chain.slot - 1n);
  assert.deepEqual(answersAt(199), []);
  assert.deepEqual(answersAt(200), mints);
});

test("while a stream is lost, a sample waits for no slot", async (t) => {
  const { chain, mints, answersAt } = await shortlyBeforeSample(t);
  chain.reach(chain.slot - 1n);
  chain.claimWhole(false);
  assert.deepEqual(answersAt(50), mints);
});

test("while changed tokens in use are left to measure, the samples of others wait", async (t) => {
  const { chain, mints, pools, answersAt, slow } = await shortlyBeforeSample(t, ["a", "b", "c"]);
  const [first, second, unchanged] = mints;
  for (const pool of pools.slice(0, 2))
    setReserves(chain, pool, { base: 500_000_000_000_000n, quote: 70n * SOL });
  slow();
  assert.deepEqual(answersAt(50), [first]);
  assert.deepEqual(answersAt(400), [first, second, unchanged]);
});
