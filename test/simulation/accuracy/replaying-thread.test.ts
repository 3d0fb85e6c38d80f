import assert from "node:assert/strict";
import { test } from "node:test";
import { createAccuracy } from "#src/accuracy/accuracy.ts";
import { openChain } from "#src/open-chain.ts";
import { createTracker } from "#src/track/tracker.ts";
import { VENUES } from "#src/venues/all.ts";
import { sqliteDatabase } from "#test/support/databases.ts";

const LOOK_EVERY_MS = 100;
const GIVE_UP_MS = 60_000;

test("the replaying thread hears, replays and compares swaps beside tracking, and its record outlives it", async (t) => {
  const database = await sqliteDatabase(t);
  const nowMs = Date.now;
  const chain = await openChain({ kind: "demo" }, { nowMs, random: Math.random });
  t.after(chain.close);
  const failures: unknown[] = [];
  const fail = (context: unknown) => failures.push(context);
  const log = { error: fail, warn: fail, info: () => {} };
  const open = () =>
    createAccuracy({
      source: chain.source,
      starts: chain.starts,
      transactions: chain.transactions,
      nowMs,
      database,
      log,
    });
  const accuracy = open();
  const tracker = createTracker({ source: accuracy.source, venues: VENUES, nowMs, database });
  await accuracy.start(tracker);
  tracker.start();
  const mint = chain.examples[0]?.mint;
  assert.ok(mint !== undefined && chain.demo !== null);
  const { demo } = chain;
  await tracker.snapshot(mint);

  const compared = () => accuracy.report().quoted.find(({ ageSeconds }) => ageSeconds === 60);
  const isSeen = () => {
    const replayed = accuracy
      .report()
      .venues.reduce((sum, { windows }) => sum + windows.hour.replayed, 0);
    return replayed >= 3 && (compared()?.day.compared ?? 0) >= 1;
  };
  const givenUp = AbortSignal.timeout(GIVE_UP_MS);
  while (!isSeen()) {
    givenUp.throwIfAborted();
    demo.script(mint, { kind: "trade", side: "buy", sol: 0.5 });
    demo.script(mint, { kind: "trade", side: "sell", sol: 0.5 });
    tracker.latest(mint);
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  for (const { venue, windows } of accuracy.report().venues)
    assert.equal(windows.hour.exact, windows.hour.replayed, venue);
  await tracker.close();
  await accuracy.close();
  const told = accuracy.report();

  const later = open();
  await later.start(tracker);
  t.after(() => later.close());
  assert.deepEqual(later.report().quoted, told.quoted);
  assert.deepEqual(
    later.report().venues.map(({ windows }) => windows.day),
    told.venues.map(({ windows }) => windows.day),
  );
  assert.deepEqual(failures, []);
});
