import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { ScriptedChain } from "#bench/detection/scripted-chain.ts";
import { raydiumClmmProgram } from "#demo/programs/raydium-clmm.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { raydiumClmm } from "#src/venues/raydium-clmm/adapter.ts";
import type { Venue } from "#src/venues/venue.ts";
import { closeAfter } from "#test/support/ending.ts";
import { MARKET_CLOCK } from "#test/support/played-market.ts";
import { LOW_MINT, openTickPool } from "#test/support/played-tick-pool.ts";
import { createTracker } from "./tracker.ts";

const SLOTS = 100;
const SLOT_MS = 400;

/**
 * A token that is traded in every slot and in use; `tookMs` of the clock pass in each measurement.
 *
 * @returns the time that its measurements took of all, and the age in slots of the oldest answer given
 */
async function traded(t: TestContext, tookMs: () => number) {
  const program = raydiumClmmProgram;
  const { market: played, pool } = openTickPool({ venue: raydiumClmm, program }, LOW_MINT);
  const chain = new ScriptedChain();
  for (const [address, account] of played.accounts) chain.set(address, account);
  let spentMs = 0;
  const slow: typeof raydiumClmm = {
    ...raydiumClmm,
    cautions(state) {
      const ms = tookMs();
      chain.nowMs += ms;
      spentMs += ms;
      return raydiumClmm.cautions(state);
    },
  };
  const clock = { nowMs: () => chain.nowMs };
  const venues = [slow as Venue<unknown>];
  const tracker = createTracker({ source: chain, venues, clock, database: null });
  closeAfter(t, () => tracker.close());
  await tracker.snapshot(LOW_MINT);
  spentMs = 0;
  let oldestSlots = 0n;
  const startedMs = chain.nowMs;
  for (let slot = 0; slot < SLOTS; slot++) {
    chain.advance(1);
    const inputMint = slot % 2 === 0 ? WSOL : LOW_MINT;
    const outputMint = slot % 2 === 0 ? LOW_MINT : WSOL;
    const order = { inputMint, outputMint, amountIn: 1_000_000_000n };
    const swapped = program.swap(played.accounts, {
      ...order,
      ...{ pool, user: pool, clock: MARKET_CLOCK },
    });
    assert.ok(swapped.kind === "done");
    for (const [address, account] of swapped.changes) chain.set(address, account);
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
