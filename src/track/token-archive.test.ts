import assert from "node:assert/strict";
import { test } from "node:test";
import type { Database } from "#src/store/database.ts";
import { placeToken, SOL, setReserves } from "#test/simulation/track/plain-market.ts";
import { namedAddress, plainVenue } from "#test/simulation/track/plain-pool-venue.ts";
import { ScriptedChain } from "#test/simulation/track/scripted-chain.ts";
import { eachDatabase } from "#test/support/databases.ts";
import type { AlertEvent } from "./token-observer.ts";
import { createTracker, type Tracker } from "./tracker.ts";

const MINT = namedAddress("token");
const BASE = 500_000_000_000_000n;
const MINUTE_SLOTS = 150;
const EVER = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER };

function track(chain: ScriptedChain, database: Database) {
  const tracker = createTracker({
    source: chain,
    venues: [plainVenue()],
    nowMs: () => chain.nowMs,
    database,
  });
  const events: AlertEvent[] = [];
  tracker.onAlert((event) => events.push(event));
  return { tracker, events };
}

/** Lets chain time pass, a tick every two seconds. */
async function pass(chain: ScriptedChain, tracker: Tracker, slots: number): Promise<void> {
  for (let slot = 0; slot < slots; slot += 5) {
    chain.advance(5);
    tracker.tick();
    await tracker.idle();
  }
}

async function lastHour(chain: ScriptedChain, tracker: Tracker) {
  const query = { fromMs: chain.nowMs - 3_600_000, toMs: chain.nowMs, stepMs: 60_000 };
  return await tracker.history(MINT, query);
}

test("history survives a restart, and the time between is unknown, not zero", async (t) => {
  await eachDatabase(t, async (_t, database) => {
    const chain = new ScriptedChain();
    placeToken(chain, MINT, 80);
    const first = track(chain, database).tracker;
    await first.snapshot(MINT);
    await pass(chain, first, 10 * MINUTE_SLOTS);
    const told = await lastHour(chain, first);
    await first.close();
    assert.equal(told.filter(({ depthSol }) => depthSol === 80).length, 10);

    chain.advance(10 * MINUTE_SLOTS);
    const second = track(chain, database).tracker;
    await second.snapshot(MINT);
    await pass(chain, second, 5 * MINUTE_SLOTS);
    const depths = (await lastHour(chain, second)).map(({ depthSol }) => depthSol);
    assert.deepEqual(new Set(depths), new Set([null, 80]));
    const known = depths.filter((depth) => depth !== null).length;
    assert.ok(known >= 15 && known <= 21, `${known} minutes are known`);
    assert.equal(depths[52], null);
    await second.close();
  });
});

test("a withdrawal turns the alert on at once, and it is kept with its figures", async (t) => {
  await eachDatabase(t, async (_t, database) => {
    const chain = new ScriptedChain();
    const pool = placeToken(chain, MINT, 80);
    const { tracker, events } = track(chain, database);
    await tracker.snapshot(MINT);
    await pass(chain, tracker, 10 * MINUTE_SLOTS);
    assert.equal(events.length, 0);
    chain.advance(1);
    setReserves(chain, pool, { base: BASE / 10n, quote: 8n * SOL });
    tracker.tick();
    const [event] = events;
    assert.equal(event?.kind, "on");
    assert.equal(event.deterioration.cause?.kind, "withdrawn");
    const snapshot = tracker.latest(MINT);
    assert.equal(snapshot?.kind, "assessed");
    assert.ok(snapshot.isDeteriorating);
    await tracker.idle();
    const [alert] = await tracker.alerts(MINT, EVER);
    assert.equal(alert?.cause, "withdrawn");
    assert.equal(alert.share, event.deterioration.cause.share);
    assert.equal(alert.before.depthSol, 80);
    assert.equal(alert.after.depthSol, 8);
    assert.equal(alert.endedAtMs, null);
    const { startedAtMs } = alert;
    const begunWithin = async (fromMs: number, toMs: number) =>
      (await tracker.alerts(MINT, { fromMs, toMs })).length;
    assert.equal(await begunWithin(startedAtMs, startedAtMs), 1);
    assert.equal(await begunWithin(0, startedAtMs - 1), 0);
    assert.equal(await begunWithin(startedAtMs + 1, EVER.toMs), 0);
    await tracker.close();
  });
});

test("an alert outlives the process that raised it, and ends by its time", async (t) => {
  await eachDatabase(t, async (_t, database) => {
    const chain = new ScriptedChain();
    const pool = placeToken(chain, MINT, 80);
    const first = track(chain, database).tracker;
    await first.snapshot(MINT);
    await pass(chain, first, 2 * MINUTE_SLOTS);
    setReserves(chain, pool, { base: BASE / 10n, quote: 8n * SOL });
    await pass(chain, first, 10);
    await first.close();

    const { tracker: second, events } = track(chain, database);
    second.setWatched([MINT]);
    await second.idle();
    await pass(chain, second, MINUTE_SLOTS);
    const snapshot = second.latest(MINT);
    assert.equal(snapshot?.kind, "assessed");
    assert.ok(snapshot.isDeteriorating);
    await pass(chain, second, 31 * MINUTE_SLOTS);
    assert.deepEqual(
      events.map(({ kind }) => kind),
      ["off"],
    );
    const [alert] = await second.alerts(MINT, EVER);
    assert.notEqual(alert?.endedAtMs, null);
    await second.close();
  });
});

test("a token that was measured once is answered from the store while the node is down", async (t) => {
  await eachDatabase(t, async (_t, database) => {
    const chain = new ScriptedChain();
    placeToken(chain, MINT, 80);
    const first = track(chain, database).tracker;
    await first.snapshot(MINT);
    await pass(chain, first, MINUTE_SLOTS);
    await first.close();
    chain.isReachable = false;
    chain.nowMs += 60_000;
    const second = track(chain, database).tracker;
    const soon = await second.snapshot(MINT);
    assert.equal(soon.kind, "assessed");
    assert.equal(soon.assessment.measurement?.depthLamports, 80n * SOL);
    assert.ok(soon.assessment.findings.some(({ kind }) => kind === "stale"));
    chain.nowMs += 600_000;
    const late = await second.snapshot(MINT);
    assert.equal(late.kind, "assessed");
    assert.equal(late.assessment.measurement, null);
    assert.equal(late.assessment.blocked, "stale");
    await second.close();
  });
});

test("samples older than retention are dropped", async (t) => {
  await eachDatabase(t, async (_t, database) => {
    const chain = new ScriptedChain();
    placeToken(chain, MINT, 80);
    const { tracker } = track(chain, database);
    await tracker.snapshot(MINT);
    await pass(chain, tracker, 2 * MINUTE_SLOTS);
    const startMs = chain.nowMs;
    await tracker.close();
    chain.nowMs += 40 * 86_400_000;
    const later = track(chain, database).tracker;
    await later.snapshot(MINT);
    await pass(chain, later, MINUTE_SLOTS);
    const query = { fromMs: startMs - 600_000, toMs: startMs + 600_000, stepMs: 60_000 };
    for (const { depthSol } of await later.history(MINT, query)) assert.equal(depthSol, null);
    await later.close();
  });
});
