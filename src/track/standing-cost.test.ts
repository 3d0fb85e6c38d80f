import assert from "node:assert/strict";
import { test } from "node:test";
import { namedAddress, plainPool, plainVenue } from "#bench/detection/plain-pool-venue.ts";
import { ScriptedChain } from "#bench/detection/scripted-chain.ts";
import type { ChainSource } from "#src/chain/chain-source.ts";
import type { Address } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { placePool, placeToken, SOL } from "#test/simulation/track/plain-market.ts";
import { closeAfter } from "#test/support/ending.ts";
import { Tracker } from "./tracker.ts";

const BASE = 500_000_000_000_000n;
const TOKENS = 18;
const SLOTS_A_STEP = 5;

/** A chain whose provider sends the addresses of new accounts alone. */
class NamingChain extends ScriptedChain {
  override followProgram(
    ...[filter, , onNamed]: Parameters<ChainSource["followProgram"]>
  ): ReturnType<ScriptedChain["followProgram"]> {
    return super.followProgram(filter, ({ address }) => onNamed?.(address));
  }
}

function watching(mints: readonly Address[]) {
  const chain = new NamingChain();
  for (const mint of mints) placeToken(chain, mint, 80);
  const tracker = new Tracker({
    source: chain,
    venues: [plainVenue()],
    clock: { nowMs: () => chain.nowMs },
    database: null,
  });
  tracker.setWatched(mints);
  const step = async () => {
    chain.advance(SLOTS_A_STEP);
    tracker.tick();
    await tracker.idle();
  };
  return { chain, tracker, step };
}

test("watched tokens share their rereads, and are searched again after ten minutes and an hour", async (t) => {
  const mints = Array.from({ length: TOKENS }, (_, index) => namedAddress(`token ${index}`));
  const { chain, tracker, step } = watching(mints);
  closeAfter(t, () => tracker.close());
  // Loaded at different times, as tokens are.
  for (let loaded = 1; loaded <= TOKENS; loaded++) {
    tracker.setWatched(mints.slice(0, loaded));
    for (let steps = 0; steps < 16; steps++) await step();
  }
  const firstSearches = chain.searches.length;
  const searchesOfOne = firstSearches / TOKENS;
  const hour = async () => {
    chain.reads.length = 0;
    const endMs = chain.nowMs + 3_600_000;
    while (chain.nowMs < endMs) {
      await step();
      for (const mint of mints) {
        const snapshot = tracker.latest(mint);
        assert.ok(snapshot?.kind === "assessed");
        const ageMs = chain.nowMs - snapshot.assessment.stateTimeMs;
        assert.ok(ageMs <= 25_000, `${ageMs} ms`);
      }
    }
    return chain.reads.length;
  };
  // Five addresses a token: 90 fit into one call every 20 s; a call for each token would be 3,240.
  const calls = [await hour(), await hour()];
  const readsOfSearches = 4 * TOKENS;
  for (const reads of calls) assert.ok(reads <= 180 + readsOfSearches, String(calls));
  const repeated = (chain.searches.length - firstSearches) / searchesOfOne / TOKENS;
  assert.ok(repeated <= 2, `${repeated} searches of a token in two hours`);
});

test("a pool that is only named is read once and followed", async (t) => {
  const mint = namedAddress("token");
  const { chain, tracker, step } = watching([mint]);
  closeAfter(t, () => tracker.close());
  await step();
  const pool = plainPool("late", mint, WSOL);
  placePool(chain, pool, { base: BASE, quote: 20n * SOL });
  const depth = async (): Promise<bigint | undefined> => {
    const snapshot = await tracker.snapshot(mint);
    assert.ok(snapshot.kind === "assessed");
    return snapshot.assessment.measurement?.depthLamports;
  };
  while ((await depth()) !== 100n * SOL) {
    await new Promise((resolve) => setImmediate(resolve));
    tracker.tick();
    await tracker.idle();
  }
  const alone = chain.reads.filter(([first, ...others]) => {
    return first === pool.address && others.length === 0;
  });
  assert.equal(alone.length, 1);
});
