import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import {
  mintAccount,
  namedAddress,
  plainPool,
  plainPoolAccount,
  plainVenue,
  vaultAccount,
} from "#bench/detection/plain-pool-venue.ts";
import { ScriptedChain } from "#bench/detection/scripted-chain.ts";
import { raydiumClmmProgram } from "#demo/programs/raydium-clmm.ts";
import { CALIBRATION } from "#src/measure/calibration.ts";
import type { Address } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { raydiumClmm } from "#src/venues/raydium-clmm/adapter.ts";
import type { Venue } from "#src/venues/venue.ts";
import { placeMint, placePool, SOL, setReserves } from "#test/simulation/track/plain-market.ts";
import { closeAfter } from "#test/support/ending.ts";
import { MARKET_CLOCK } from "#test/support/markets/played-market.ts";
import { LOW_MINT, openTickPool } from "#test/support/markets/played-tick-pool.ts";
import { Tracker } from "../tracker.ts";

const SLOTS = 100;
const SLOT_MS = 400;
/** Longer than the rest after measurements of 400 ms. */
const REST_SLOTS = 10;

/** A token in use; `tookMs` of the clock pass in each measurement, and `noteMs` is called with them. */
async function costlyToken(
  t: TestContext,
  tookMs: () => number,
  noteMs: (ms: number) => void = () => {},
) {
  const program = raydiumClmmProgram;
  const { market: played, pool } = openTickPool({ venue: raydiumClmm, program }, LOW_MINT);
  const chain = new ScriptedChain();
  for (const [address, account] of played.accounts) chain.set(address, account);
  const slow: typeof raydiumClmm = {
    ...raydiumClmm,
    cautions(state) {
      const ms = tookMs();
      chain.nowMs += ms;
      noteMs(ms);
      return raydiumClmm.cautions(state);
    },
  };
  const clock = { nowMs: () => chain.nowMs };
  const venues = [slow as Venue<unknown>];
  const tracker = new Tracker({ source: chain, venues, clock, database: null });
  closeAfter(t, () => tracker.close());
  await tracker.snapshot(LOW_MINT);
  const trade = (inputMint: Address, outputMint: Address): void => {
    const swapped = program.swap(played.accounts, {
      ...{ pool, user: pool, clock: MARKET_CLOCK },
      ...{ inputMint, outputMint, amountIn: 1_000_000_000n },
    });
    assert.ok(swapped.kind === "done");
    for (const [address, account] of swapped.changes) chain.set(address, account);
  };
  const buy = () => trade(WSOL, LOW_MINT);
  const sell = () => trade(LOW_MINT, WSOL);
  return { chain, tracker, buy, sell };
}

/**
 * The token, traded in every slot.
 *
 * @returns the time that its measurements took of all, and the age in slots of the oldest answer given
 */
async function traded(t: TestContext, tookMs: () => number) {
  let spentMs = 0;
  const { chain, tracker, buy, sell } = await costlyToken(t, tookMs, (ms) => (spentMs += ms));
  spentMs = 0;
  let oldestSlots = 0n;
  const startedMs = chain.nowMs;
  for (let slot = 0; slot < SLOTS; slot++) {
    chain.advance(1);
    if (slot % 2 === 0) buy();
    else sell();
    tracker.tick();
    const answer = await tracker.snapshot(LOW_MINT);
    assert.ok(answer.kind === "assessed" && answer.assessment.measurement !== null);
    const age = chain.slot - answer.assessment.slot;
    if (age > oldestSlots) oldestSlots = age;
  }
  return { share: spentMs / (chain.nowMs - startedMs), oldestSlots };
}

test("a token whose measurement takes long has a tenth of the thread, and its answers state their slots", async (t) => {
  for (const ms of [60, 300, 1_000]) {
    const { share, oldestSlots } = await traded(t, () => ms);
    assert.ok(share < 0.13, `${share} of the time at ${ms} ms`);
    assert.ok(
      oldestSlots <= BigInt(Math.ceil((10 * ms) / SLOT_MS)) + 1n,
      `${oldestSlots} slots old`,
    );
  }
});

test("a token whose measurement is short, at least every other time, is measured in every slot", async (t) => {
  let measured = 0;
  const isLong = () => measured++ % 2 === 0;
  for (const tookMs of [() => 5, () => (isLong() ? 1_000 : 5)]) {
    const { oldestSlots } = await traded(t, tookMs);
    assert.ok(oldestSlots <= 1n, `${oldestSlots} slots old`);
  }
});

test("the last change of a token that rests is measured when its rest ends, whether or not anything else happens", async (t) => {
  const { chain, tracker, buy, sell } = await costlyToken(t, () => 200);
  for (const trade of [buy, sell, buy, sell]) {
    chain.advance(1);
    trade();
    tracker.tick();
  }
  const changedSlot = chain.slot;
  const startedMs = chain.nowMs;
  let measuredMs: number | null = null;
  tracker.onSnapshot(({ assessment: { slot } }) => {
    if (slot >= changedSlot) measuredMs ??= chain.nowMs;
  });
  for (let slot = 0; slot < SLOTS && measuredMs === null; slot++) {
    chain.advance(1);
    tracker.tick();
  }
  assert.ok(measuredMs !== null && measuredMs - startedMs <= 10 * 200 + SLOT_MS, `${measuredMs}`);
});

test("a supply that falls while its token rests is measured, although no pool changes with it", async (t) => {
  const chain = new ScriptedChain();
  const pool = plainPool("pool", LOW_MINT, WSOL);
  chain.set(LOW_MINT, mintAccount());
  chain.set(pool.address, plainPoolAccount(pool));
  chain.set(pool.vaultA, vaultAccount(LOW_MINT, 100_000_000_000_000n));
  const plain = plainVenue();
  const slow = {
    ...plain,
    cautions() {
      chain.nowMs += 200;
      return [];
    },
  };
  const clock = { nowMs: () => chain.nowMs };
  const venues = [slow as Venue<unknown>];
  const tracker = new Tracker({ source: chain, venues, clock, database: null });
  closeAfter(t, () => tracker.close());
  for (const lamports of [100n, 101n, 102n]) {
    chain.advance(1);
    chain.set(pool.vaultB, vaultAccount(WSOL, lamports * 1_000_000_000n));
    tracker.tick();
    await tracker.snapshot(LOW_MINT);
  }
  chain.set(LOW_MINT, mintAccount({ supply: 1n }));
  for (let restMs = 0; restMs < 9 * 200; restMs += SLOT_MS) {
    chain.advance(1);
    tracker.tick();
  }
  const answer = await tracker.snapshot(LOW_MINT);
  assert.ok(answer.kind === "assessed");
  assert.deepEqual(answer.assessment.measurement?.retail.slippagesPct, Array(6).fill(null));
});

test("the age of an answer lowers its confidence while its token rests, too", async (t) => {
  const { chain, tracker, buy, sell } = await costlyToken(t, () => 1_200);
  for (const trade of [buy, sell]) {
    chain.advance(1);
    trade();
    tracker.tick();
  }
  chain.isReachable = false;
  const staleMs = 1_000 * CALIBRATION.confidence.ageMediumSeconds;
  let restingMs = 0;
  while (chain.nowMs < 1_800_000_000_000 + 90_000) {
    chain.nowMs += 1_000;
    const askedMs = chain.nowMs;
    const answer = await tracker.snapshot(LOW_MINT);
    assert.ok(answer.kind === "assessed");
    const { findings, stateTimeMs } = answer.assessment;
    const isStale = findings.some(({ kind }) => kind === "stale");
    if (askedMs - stateTimeMs > staleMs + 1_000) assert.ok(isStale, `${askedMs - stateTimeMs} ms`);
    if (chain.nowMs === askedMs && isStale) restingMs += 1_000;
  }
  assert.ok(restingMs > 10_000);
});

test("a dropped slot that had changed a hop ends the rest of the tokens behind it", async (t) => {
  const chain = new ScriptedChain();
  const coin = namedAddress("coin");
  for (const mint of [LOW_MINT, coin]) placeMint(chain, mint);
  const reserves = { base: 500_000_000_000_000n, quote: 80n * SOL };
  const pool = placePool(chain, plainPool("pool", LOW_MINT, coin), reserves);
  const ofHop = { base: 500n * SOL, quote: 500n * SOL };
  const hop = placePool(chain, plainPool("hop", coin, WSOL), ofHop);
  const slow = {
    ...plainVenue(),
    cautions() {
      chain.nowMs += 100;
      return [];
    },
  };
  const clock = { nowMs: () => chain.nowMs };
  const venues = [slow as Venue<unknown>];
  const tracker = new Tracker({ source: chain, venues, clock, database: null });
  closeAfter(t, () => tracker.close());
  const midPrice = async () => {
    const answer = await tracker.snapshot(LOW_MINT);
    assert.ok(answer.kind === "assessed");
    return answer.assessment.measurement?.midPrice;
  };
  await midPrice();
  await tracker.idle();
  for (const more of [1n, 2n]) {
    chain.advance(REST_SLOTS);
    setReserves(chain, pool, { ...reserves, quote: reserves.quote + more });
    chain.endSlot(chain.slot, "confirmed");
    await midPrice();
  }
  chain.advance(REST_SLOTS);
  const before = await midPrice();
  chain.advance(REST_SLOTS);
  setReserves(chain, hop, { ...ofHop, quote: 250n * SOL });
  assert.notDeepEqual(await midPrice(), before);
  chain.undoSlot();
  chain.endSlot(chain.slot, "dropped");
  assert.deepEqual(await midPrice(), before);
});
