import assert from "node:assert/strict";
import { test } from "node:test";
import { Accuracy } from "#src/accuracy/accuracy.ts";
import { AccuracyRecord } from "#src/accuracy/accuracy-record.ts";
import { recordingSource } from "#src/accuracy/recording-source.ts";
import { openChain } from "#src/app/open-chain.ts";
import { systemClock } from "#src/platform/clock.ts";
import { Tracker } from "#src/track/tracker.ts";
import { VENUES } from "#src/venues/all.ts";
import { sqliteDatabase } from "#test/support/databases/databases.ts";
import { closeAfter } from "#test/support/ending.ts";

const LOOK_EVERY_MS = 100;
const GIVE_UP_MS = 60_000;

test("the replay worker receives, replays and compares swaps, and its record survives a restart", async (t) => {
  const database = await sqliteDatabase(t);
  const clock = systemClock;
  const chain = await openChain({ kind: "demo" }, { clock, random: Math.random });
  closeAfter(t, chain.close);
  const failures: unknown[] = [];
  const fail = (context: unknown) => failures.push(context);
  const log = { error: fail, warn: fail, info: () => {} };
  const source = recordingSource(chain.source);
  const tracker = new Tracker({ source, venues: VENUES, clock, database });
  const { starts, transactions } = chain;
  const open = () =>
    new Accuracy({
      ...{ source, tracker, starts, transactions, clock, database, log },
      record: new AccuracyRecord(),
    });
  const accuracy = open();
  await accuracy.start();
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
  await later.start();
  closeAfter(t, () => later.close());
  assert.deepEqual(later.report().quoted, told.quoted);
  assert.deepEqual(
    later.report().venues.map(({ windows }) => windows.day),
    told.venues.map(({ windows }) => windows.day),
  );
  assert.deepEqual(failures, []);
});
