import assert from "node:assert/strict";
import { test } from "node:test";
import { namedAddress, plainPool, plainVenue } from "#bench/detection/plain-pool-venue.ts";
import { ScriptedChain } from "#bench/detection/scripted-chain.ts";
import { SLOT_MS } from "#src/node/slot-clock.ts";
import type { Database } from "#src/store/connection/database.ts";
import { gridOf } from "#src/track/history/history.ts";
import { SAMPLE_EVERY_MS } from "#src/track/history/sample.ts";
import type { MarketReport } from "#src/track/market-report.ts";
import { Tracker } from "#src/track/tracker.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { sqliteDatabase } from "#test/support/databases/databases.ts";
import { placeToken, type Reserves, SOL, setReserves } from "./plain-market.ts";
import { seededRandom } from "./seeded-random.ts";

/** Slots are followed when they are processed; some of them are dropped. */

const MINT = namedAddress("token");
const POOL = plainPool(`${MINT} main`, MINT, WSOL);
const BASE = 500_000_000_000_000n;
const DROPPED = 100;

function track(chain: ScriptedChain, database: Database | null = null): Tracker {
  return new Tracker({
    source: chain,
    venues: [plainVenue()],
    clock: { nowMs: () => chain.nowMs },
    database,
  });
}

async function tracked(chain: ScriptedChain, database: Database | null = null): Promise<Tracker> {
  chain.isProcessed = true;
  placeToken(chain, MINT, 80);
  chain.advance(1);
  const tracker = track(chain, database);
  chain.endSlot(chain.slot, "confirmed");
  await tracker.snapshot(MINT);
  tracker.tick();
  await tracker.idle();
  return tracker;
}

function measurementOf(tracker: Tracker) {
  tracker.tick();
  const snapshot = tracker.latest(MINT);
  assert.ok(snapshot?.kind === "assessed");
  assert.equal(snapshot.assessment.commitment, "processed");
  return snapshot.assessment.measurement;
}

function withSol(quote: bigint): Reserves {
  return { base: BASE, quote };
}

test(`after each of ${DROPPED} dropped slots the answer is that of the chain, without a read`, async () => {
  const { below, chance } = seededRandom(20);
  const chain = new ScriptedChain();
  const tracker = await tracked(chain);
  let sol = 80n * SOL;
  for (let fork = 0; fork < DROPPED; fork++) {
    for (let confirmed = below(3); confirmed > 0; confirmed--) {
      chain.advance(1);
      sol = BigInt(20 + below(100)) * SOL;
      setReserves(chain, POOL, withSol(sol));
      chain.endSlot(chain.slot, "confirmed");
    }
    const before = measurementOf(tracker);
    chain.advance(1);
    chain.isReachable = false;
    const dropped = chain.slot;
    setReserves(chain, POOL, withSol(sol / BigInt(2 + below(5))));
    assert.ok(
      (measurementOf(tracker)?.depthLamports ?? 0n) < sol,
      "the processed slot is measured",
    );
    chain.undoSlot();
    chain.advance(1);
    const isChanged = chance(0.5);
    // The surviving slot changes the pool too, before or after the other one is known to be dropped.
    if (isChanged) {
      sol = BigInt(20 + below(100)) * SOL;
      setReserves(chain, POOL, withSol(sol));
      measurementOf(tracker);
    }
    chain.endSlot(dropped, "dropped");
    chain.endSlot(chain.slot, "confirmed");
    const after = measurementOf(tracker);
    chain.isReachable = true;
    if (!isChanged) assert.deepEqual(after, before);
    const fresh = track(chain);
    await fresh.snapshot(MINT);
    assert.deepEqual(after, measurementOf(fresh));
    await fresh.close();
  }
  await tracker.close();
});

test("a slot of the chain that arrives after that of a fork counts once the fork is dropped", async () => {
  const chain = new ScriptedChain();
  const tracker = await tracked(chain);
  chain.delivery = () => "held";
  chain.advance(1);
  const survives = chain.slot;
  setReserves(chain, POOL, withSol(60n * SOL));
  chain.delivery = () => "now";
  chain.advance(1);
  const dropped = chain.slot;
  setReserves(chain, POOL, withSol(10n * SOL));
  chain.release();
  assert.equal(measurementOf(tracker)?.depthLamports, 10n * SOL);
  chain.endSlot(dropped, "dropped");
  chain.endSlot(survives, "confirmed");
  assert.equal(measurementOf(tracker)?.depthLamports, 60n * SOL);
  chain.undoSlot();
  await tracker.close();
});

/** A tracker with ten minutes of confirmed slots behind it, and the changes of the token's alert since then. */
async function withHistory(chain: ScriptedChain) {
  const tracker = await tracked(chain);
  const reports: Pick<MarketReport, "alertChange" | "takenBackSince">[] = [];
  tracker.onReport((report) => {
    if (report.alertChange !== null || report.takenBackSince !== undefined) reports.push(report);
  });
  for (let minute = 0; minute < 10; minute++) {
    for (let slot = 0; slot < 150; slot++) {
      chain.advance(1);
      chain.endSlot(chain.slot, "confirmed");
      tracker.tick();
    }
    tracker.touch(MINT);
    await tracker.idle();
  }
  return { tracker, changes: () => reports.map(({ alertChange }) => alertChange?.kind), reports };
}

test("an alert that a dropped slot turned on is ended when the slot is dropped", async () => {
  const chain = new ScriptedChain();
  const { tracker, changes } = await withHistory(chain);
  const before = tracker.latest(MINT);
  chain.advance(1);
  setReserves(chain, POOL, { base: BASE / 20n, quote: 4n * SOL });
  measurementOf(tracker);
  assert.deepEqual(changes(), ["on"]);
  const dropped = chain.slot;
  chain.undoSlot();
  chain.advance(1);
  chain.endSlot(dropped, "dropped");
  chain.endSlot(chain.slot, "confirmed");
  const after = measurementOf(tracker);
  assert.deepEqual(changes(), ["on", "off"]);
  assert.ok(before?.kind === "assessed");
  assert.deepEqual(after, before.assessment.measurement);
  const snapshot = tracker.latest(MINT);
  assert.ok(snapshot?.kind === "assessed" && !snapshot.isDeteriorating);
  assert.equal(snapshot.trend, before.trend);
  await tracker.close();
});

for (const order of ["first to last", "last to first"]) {
  test(`an alert of a fork of two slots is ended from its first slot on, dropped ${order}`, async () => {
    const chain = new ScriptedChain();
    const { tracker, changes, reports } = await withHistory(chain);
    const fork: bigint[] = [];
    for (const sol of [4n, 3n]) {
      chain.advance(1);
      fork.push(chain.slot);
      setReserves(chain, POOL, { base: BASE / 20n, quote: sol * SOL });
      measurementOf(tracker);
      chain.undoSlot();
    }
    assert.deepEqual(changes(), ["on"]);
    chain.advance(1);
    for (const slot of order === "first to last" ? fork : fork.toReversed())
      chain.endSlot(slot, "dropped");
    chain.endSlot(chain.slot, "confirmed");
    assert.equal(measurementOf(tracker)?.depthLamports, 80n * SOL);
    assert.deepEqual(changes(), ["on", "off"]);
    const [first = 0n] = fork;
    assert.ok((reports[1]?.takenBackSince ?? first) < first);
    const snapshot = tracker.latest(MINT);
    assert.ok(snapshot?.kind === "assessed" && !snapshot.isDeteriorating);
    await tracker.close();
  });
}

test("a measurement on a dropped slot is in neither the history nor the stored answers", async (t) => {
  const chain = new ScriptedChain();
  const tracker = await tracked(chain, await sqliteDatabase(t));
  const beganMs = chain.nowMs;
  const confirmed = async (slots: number) => {
    for (let slot = 0; slot < slots; slot++) {
      chain.advance(1);
      chain.endSlot(chain.slot, "confirmed");
      tracker.touch(MINT);
      tracker.tick();
      await tracker.idle();
    }
  };
  await confirmed(200);
  for (let fork = 0; fork < 3; fork++) {
    // The first measurement in an interval is its sample.
    const interval = Math.floor(chain.nowMs / SAMPLE_EVERY_MS);
    while (Math.floor((chain.nowMs + SLOT_MS) / SAMPLE_EVERY_MS) === interval) await confirmed(1);
    chain.advance(1);
    const dropped = chain.slot;
    setReserves(chain, POOL, withSol(8n * SOL));
    assert.equal(measurementOf(tracker)?.depthLamports, 8n * SOL);
    chain.undoSlot();
    chain.advance(1);
    // Before the slot is known to be dropped, the next slot is measured on it too.
    assert.equal(measurementOf(tracker)?.depthLamports, 8n * SOL);
    chain.endSlot(dropped, "dropped");
    chain.endSlot(chain.slot, "confirmed");
    assert.equal(measurementOf(tracker)?.depthLamports, 80n * SOL);
    await confirmed(200);
    const stored = await tracker.answerAt(MINT, dropped);
    if (stored.kind === "stored") {
      const { measurement } = stored.snapshot.assessment;
      assert.equal(measurement?.depthLamports, 80n * SOL);
    }
  }
  // A confirmed change is in both.
  setReserves(chain, POOL, withSol(60n * SOL));
  await confirmed(200);
  const grid = gridOf({ fromMs: beganMs, toMs: chain.nowMs, stepMs: 400 }, chain.nowMs);
  const depths = new Set((await tracker.history(MINT, grid)).map(({ depthSol }) => depthSol));
  depths.delete(null);
  assert.deepEqual([...depths], [80, 60]);
  const between = await tracker.answerAt(MINT, chain.slot);
  assert.ok(between.kind === "not-stored" && between.slots.before !== null);
  const newest = await tracker.answerAt(MINT, between.slots.before);
  assert.ok(newest.kind === "stored");
  assert.equal(newest.snapshot.assessment.measurement?.depthLamports, 60n * SOL);
  await tracker.close();
});
