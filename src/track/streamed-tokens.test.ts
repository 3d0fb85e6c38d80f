import assert from "node:assert/strict";
import { test } from "node:test";
import { derivedPool, namedAddress, plainVenue } from "#bench/detection/plain-pool-venue.ts";
import { ScriptedChain } from "#bench/detection/scripted-chain.ts";
import type { Database } from "#src/store/connection/database.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { placePool, placeToken, SOL, setReserves } from "#test/simulation/track/plain-market.ts";
import { eachDatabase } from "#test/support/databases/databases.ts";
import { closeAfter } from "#test/support/ending.ts";
import { REREAD_FOLLOWED_MS, REREAD_STREAMED_MS } from "./following/schedule.ts";
import { gridOf } from "./history/history.ts";
import type { Sample } from "./history/sample.ts";
import { Tracker } from "./tracker.ts";

const MINT = namedAddress("token");
const MINUTE_MS = 60_000;
const SLOTS_A_STEP = 5;

/** A tracker with the stream of every pool, which named one token. */
async function streaming(database: Database | null = null) {
  const chain = new ScriptedChain();
  const venues = [plainVenue()];
  const clock = { nowMs: () => chain.nowMs };
  const everything = { venues, transactions: null };
  const tracker = new Tracker({ source: chain, venues, clock, database, everything });
  const pass = async (ms: number, each: () => void = () => undefined): Promise<void> => {
    const endMs = chain.nowMs + ms;
    while (chain.nowMs < endMs) {
      chain.advance(SLOTS_A_STEP);
      tracker.tick();
      await tracker.idle();
      each();
    }
  };
  await pass(4_000);
  const pool = placeToken(chain, MINT, 80);
  await pass(10_000);
  return { chain, tracker, pool, pass };
}

test("a whole stream replaces the reads of a token in use, and an end of the stream brings them back", async (t) => {
  const { chain, tracker, pass } = await streaming();
  closeAfter(t, () => tracker.close());
  await tracker.snapshot(MINT);
  const readsIn = async (ms: number, oldestMs: number): Promise<number> => {
    const before = chain.reads.flat().length;
    await pass(ms, () => {
      const snapshot = tracker.latest(MINT);
      assert.ok(snapshot?.kind === "assessed");
      const ageMs = chain.nowMs - snapshot.assessment.stateTimeMs;
      assert.ok(ageMs <= oldestMs, `${ageMs} ms`);
    });
    return chain.reads.flat().length - before;
  };
  await pass(MINUTE_MS);
  const accounts = 4;
  const perRead = (ms: number) => (10 * MINUTE_MS * (accounts + 1)) / ms;
  const streamed = await readsIn(10 * MINUTE_MS, 2_000);
  assert.ok(streamed > 0 && streamed <= 2 * perRead(REREAD_STREAMED_MS), `${streamed} accounts`);
  chain.claimWhole(false);
  const followed = await readsIn(10 * MINUTE_MS, REREAD_FOLLOWED_MS + 5_000);
  assert.ok(followed >= perRead(REREAD_FOLLOWED_MS) / 2, `${followed} accounts`);
});

test("an update that the stream lost is found by a read within two minutes", async (t) => {
  const { chain, tracker, pool, pass } = await streaming();
  closeAfter(t, () => tracker.close());
  await tracker.snapshot(MINT);
  await pass(MINUTE_MS);
  chain.delivery = (update) => (update.address.startsWith("Sysvar") ? "now" : "lost");
  setReserves(chain, pool, { base: 500_000_000_000_000n, quote: 40n * SOL });
  await pass(REREAD_STREAMED_MS + 10_000);
  const snapshot = await tracker.snapshot(MINT);
  assert.ok(snapshot.kind === "assessed");
  assert.equal(snapshot.assessment.measurement?.depthLamports, 40n * SOL);
});

test("a pool that appeared in a gap at a derived address is in the answers seconds after the gap", async (t) => {
  const { chain, tracker, pass } = await streaming();
  closeAfter(t, () => tracker.close());
  await tracker.snapshot(MINT);
  await pass(MINUTE_MS);
  chain.delivery = (update) => (update.address.startsWith("Sysvar") ? "now" : "lost");
  placePool(chain, derivedPool(MINT, WSOL), { base: 500_000_000_000_000n, quote: 20n * SOL });
  await pass(2_000);
  chain.gap();
  await pass(6_000);
  const snapshot = tracker.latest(MINT);
  assert.ok(snapshot?.kind === "assessed");
  assert.equal(snapshot.assessment.measurement?.depthLamports, 100n * SOL);
});

test("a token that is not requested is measured once for each sample, however often it is traded, at its newest state", async (t) => {
  const { chain, tracker, pool, pass } = await streaming();
  closeAfter(t, () => tracker.close());
  await pass(MINUTE_MS);
  let sol = 80n;
  const depths: (bigint | undefined)[] = [];
  tracker.onSnapshot(({ assessment }) => {
    depths.push(assessment.measurement?.depthLamports);
    assert.equal(depths.at(-1), sol * SOL);
  });
  await pass(2 * MINUTE_MS, () => {
    sol++;
    setReserves(chain, pool, { base: 500_000_000_000_000n, quote: sol * SOL });
  });
  assert.ok(depths.length >= 11 && depths.length <= 13, `${depths.length} measurements`);
  // The answer to a request has what came since the last sample.
  sol++;
  setReserves(chain, pool, { base: 500_000_000_000_000n, quote: sol * SOL });
  chain.advance(1);
  const snapshot = await tracker.snapshot(MINT);
  assert.ok(snapshot.kind === "assessed");
  assert.equal(snapshot.assessment.measurement?.depthLamports, sol * SOL);
});

test("a quiet token that is not requested is sampled every five minutes, and has a history without holes", async (t) => {
  await eachDatabase(t, async (_t, database) => {
    const { chain, tracker, pool, pass } = await streaming(database);
    const samples: Sample[] = [];
    tracker.onSample(({ sample }) => samples.push(sample));
    await pass(5 * MINUTE_MS);
    const quiet = await samplesIn(20);
    assert.ok(quiet >= 4 && quiet <= 5, `${quiet} samples in 20 minutes`);
    const query = { fromMs: chain.nowMs - 20 * MINUTE_MS, toMs: chain.nowMs, stepMs: MINUTE_MS };
    const depths = (await tracker.history(MINT, gridOf(query, chain.nowMs))).map(
      ({ depthSol }) => depthSol,
    );
    assert.deepEqual(new Set(depths), new Set([80]));
    setReserves(chain, pool, { base: 500_000_000_000_000n, quote: 60n * SOL });
    const afterTrade = await samplesIn(1);
    assert.ok(afterTrade >= 6, `${afterTrade} samples in the minute after a trade`);
    assert.equal(samples.at(-1)?.depthSol, 60);
    // The ranges of a past day are compared with the samples of the next five minutes.
    await pass(5 * MINUTE_MS);
    await tracker.pastDay(MINT);
    const compared = await samplesIn(5);
    assert.ok(compared >= 29, `${compared} samples`);
    await tracker.close();

    async function samplesIn(minutes: number): Promise<number> {
      const before = samples.length;
      await pass(minutes * MINUTE_MS);
      return samples.length - before;
    }
  });
});
