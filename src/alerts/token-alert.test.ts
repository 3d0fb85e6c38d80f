import assert from "node:assert/strict";
import { test } from "node:test";
import { namedAddress, plainVenue } from "#bench/detection/plain-pool-venue.ts";
import { ScriptedChain } from "#bench/detection/scripted-chain.ts";
import type { Database } from "#src/store/connection/database.ts";
import type { AlertChange } from "#src/track/market-report.ts";
import { Tracker } from "#src/track/tracker.ts";
import { placeToken, SOL, setReserves } from "#test/simulation/track/plain-market.ts";
import { eachDatabase } from "#test/support/databases/databases.ts";
import { warningsTo } from "#test/support/failure-loggers.ts";
import { NO_NOTICES } from "#test/support/users/alert-notices.ts";
import { AlertRecorder } from "./alert-recorder.ts";

const MINT = namedAddress("token");
const BASE = 500_000_000_000_000n;
const MINUTE_SLOTS = 150;
const EVER = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER };

/** A tracker, and the owner that records the alerts it reports. */
async function track(chain: ScriptedChain, database: Database) {
  const tracker = new Tracker({
    source: chain,
    venues: [plainVenue()],
    clock: { nowMs: () => chain.nowMs },
    database,
  });
  const recorder = new AlertRecorder({
    store: database,
    markets: { onReport: (listener) => tracker.onReport(listener), setWatched: () => undefined },
    clock: { nowMs: () => chain.nowMs },
    newUid: () => assert.fail("no user watches the token"),
    ...NO_NOTICES,
    log: warningsTo((context) => assert.fail(JSON.stringify(context))),
  });
  await recorder.start();
  const changes: AlertChange[] = [];
  tracker.onReport(({ alertChange }) => {
    if (alertChange !== null) changes.push(alertChange);
  });
  const close = async () => {
    await recorder.close();
    await tracker.close();
  };
  return { tracker, recorder, changes, close };
}

/** Lets chain time pass, a tick every two seconds. */
async function pass(chain: ScriptedChain, tracker: Tracker, slots: number): Promise<void> {
  for (let slot = 0; slot < slots; slot += 5) {
    chain.advance(5);
    tracker.tick();
    await tracker.idle();
  }
}

test("a withdrawal turns the alert on at once, and it is kept with its figures", async (t) => {
  await eachDatabase(t, async (_t, database) => {
    const chain = new ScriptedChain();
    const pool = placeToken(chain, MINT, 80);
    const { tracker, changes, recorder, close } = await track(chain, database);
    await tracker.snapshot(MINT);
    await pass(chain, tracker, 10 * MINUTE_SLOTS);
    assert.equal(changes.length, 0);
    chain.advance(1);
    setReserves(chain, pool, { base: BASE / 10n, quote: 8n * SOL });
    tracker.tick();
    const [change] = changes;
    assert.equal(change?.kind, "on");
    assert.equal(change.deterioration.cause?.kind, "withdrawn");
    const snapshot = tracker.latest(MINT);
    assert.equal(snapshot?.kind, "assessed");
    assert.ok(snapshot.isDeteriorating);
    await recorder.idle();
    const [alert] = await tracker.alerts(MINT, EVER);
    assert.equal(alert?.cause, "withdrawn");
    assert.equal(alert.share, change.deterioration.cause.share);
    assert.equal(alert.before.depthSol, 80);
    assert.equal(alert.after.depthSol, 8);
    assert.equal(alert.endedAtMs, null);
    const { startedAtMs } = alert;
    const begunWithin = async (fromMs: number, toMs: number) =>
      (await tracker.alerts(MINT, { fromMs, toMs })).length;
    assert.equal(await begunWithin(startedAtMs, startedAtMs), 1);
    assert.equal(await begunWithin(0, startedAtMs - 1), 0);
    assert.equal(await begunWithin(startedAtMs + 1, EVER.toMs), 0);
    await close();
  });
});

test("an alert outlives the process that raised it, and ends by its time", async (t) => {
  await eachDatabase(t, async (_t, database) => {
    const chain = new ScriptedChain();
    const pool = placeToken(chain, MINT, 80);
    const { tracker: first, close } = await track(chain, database);
    await first.snapshot(MINT);
    await pass(chain, first, 2 * MINUTE_SLOTS);
    setReserves(chain, pool, { base: BASE / 10n, quote: 8n * SOL });
    await pass(chain, first, 10);
    await close();

    const { tracker: second, changes, ...restarted } = await track(chain, database);
    second.setWatched([MINT]);
    await second.idle();
    await pass(chain, second, MINUTE_SLOTS);
    const snapshot = second.latest(MINT);
    assert.equal(snapshot?.kind, "assessed");
    assert.ok(snapshot.isDeteriorating);
    await pass(chain, second, 31 * MINUTE_SLOTS);
    assert.deepEqual(
      changes.map(({ kind }) => kind),
      ["off"],
    );
    await restarted.recorder.idle();
    const [alert] = await second.alerts(MINT, EVER);
    assert.notEqual(alert?.endedAtMs, null);
    await restarted.close();
  });
});
