import assert from "node:assert/strict";
import { test } from "node:test";
import { DEMO_DEPLOYED_SLOT } from "#demo/program-accounts.ts";
import { Accuracy } from "#src/accuracy/accuracy.ts";
import { AccuracyRecord } from "#src/accuracy/accuracy-record.ts";
import { JudgedSwapReader } from "#src/accuracy/judged-swap-reader.ts";
import { recordingSource } from "#src/accuracy/recording-source.ts";
import { accuracyBody } from "#src/api/service/get-accuracy.ts";
import { swapsBody } from "#src/api/service/get-accuracy-swaps.ts";
import { openChain } from "#src/app/open-chain.ts";
import { systemClock } from "#src/platform/clock.ts";
import { Tracker } from "#src/track/tracker.ts";
import type { Address } from "#src/units/address.ts";
import { VENUES } from "#src/venues/all.ts";
import type { VenueId } from "#src/venues/venue.ts";
import { sqliteDatabase } from "#test/support/databases/databases.ts";
import { closeAfter } from "#test/support/ending.ts";
import { eventually } from "#test/support/eventually.ts";

/** Where the demo market's first named token trades. */
const UPGRADED = "raydium-cpmm";

test("an upgrade raises an alarm with venue and time; confidence falls only if swaps are inexact", async (t) => {
  const database = await sqliteDatabase(t);
  const clock = systemClock;
  const chain = await openChain({ kind: "demo" }, { clock, random: Math.random });
  closeAfter(t, chain.close);
  const { demo } = chain;
  assert.ok(demo !== null);
  const alarms: unknown[] = [];
  const log = {
    error: (context: unknown, text?: string) => alarms.push([context, text]),
    warn: (context: unknown) => alarms.push(context),
    info: () => {},
  };
  const source = recordingSource(chain.source);
  // One pool and one trader have to do here.
  const record = new AccuracyRecord({ pools: 1, signers: 1 });
  const tracker = new Tracker({
    source,
    venues: VENUES,
    clock,
    database,
    exactPctByVenue: () => record.exactPctByVenue(clock.nowMs()),
  });
  const parts = { ...chain, source, tracker, clock, database, log };
  const accuracy = new Accuracy({ ...parts, record });
  await accuracy.start();
  tracker.start();
  await accuracy.checkPrograms();
  for (const { id } of VENUES)
    assert.equal(shown(accuracy, id).deployed_slot, Number(DEMO_DEPLOYED_SLOT), id);
  assert.deepEqual(alarms, []);

  demo.upgrade(UPGRADED);
  const { slot } = demo.ledger.clock;
  await accuracy.checkPrograms();
  const told = [
    { venue: UPGRADED, deployedSlot: String(slot), previousSlot: String(DEMO_DEPLOYED_SLOT) },
    "this venue's program was upgraded",
  ];
  assert.deepEqual(alarms, [told]);
  const named = shown(accuracy, UPGRADED);
  assert.equal(named.deployed_slot, Number(slot));
  assert.equal(named.deployment.previous_slot, Number(DEMO_DEPLOYED_SLOT));
  const { upgrade_seen_at: seenAt } = named.deployment;
  assert.ok(seenAt !== null && Math.abs(Date.parse(seenAt) - clock.nowMs()) < 60_000);
  for (const { id } of VENUES)
    if (id !== UPGRADED) assert.equal(shown(accuracy, id).deployment.upgrade_seen_at, null, id);

  // The program's behaviour is the same: its swaps remain exact, so confidence in the venue is unchanged.
  const mints = demo.namedTokens.map(({ mint }) => mint);
  for (const mint of mints) await tracker.snapshot(mint);
  const mint = await mintOn(UPGRADED, mints, tracker);
  await eventually("a swap replayed on the upgraded program", () => {
    demo.script(mint, { kind: "trade", side: "buy", sol: 0.05 });
    const { replayed } = shown(accuracy, UPGRADED).windows.hour;
    return replayed > 0 ? replayed : null;
  });
  for (const mint of mints) {
    const { findings } = await assessed(tracker, mint);
    assert.ok(findings.every(({ kind }) => kind !== "live-check"));
  }

  // An upgrade is detected when the program's account changes; swaps then show the new payments.
  alarms.splice(0);
  demo.upgrade(UPGRADED);
  const upgradedIn = demo.ledger.clock.slot;
  // New code runs from the next slot on.
  await eventually("the next slot", () => (demo.ledger.clock.slot > upgradedIn ? true : null));
  assert.ok(demo.script(mint, { kind: "fee", feePpm: 9_000, isSilent: true }));
  const upgradeIn = (entries: readonly unknown[]) =>
    entries.find((entry) => Array.isArray(entry) && entry[1] === told[1]) ?? null;
  await eventually("the alarm", () => upgradeIn(alarms));
  await eventually("the finding that a mismatch led to", async () => {
    demo.script(mint, { kind: "trade", side: "buy", sol: 0.05 });
    const { findings } = await assessed(tracker, mint);
    return (
      findings.find((finding) => finding.kind === "live-check" && finding.venue === UPGRADED) ??
      null
    );
  });
  await tracker.close();
  await accuracy.close();
  const last = shown(accuracy, UPGRADED);
  const swaps = await new JudgedSwapReader(database, clock).last({ program: UPGRADED, limit: 200 });
  const judged = swapsBody(swaps).swaps;
  assert.deepEqual(new Set(judged.map(({ program }) => program)), new Set([UPGRADED]));
  const codeOf = (outcome: string) =>
    new Set(judged.flatMap((swap) => (swap.outcome === outcome ? [swap.deployed_slot] : [])));
  assert.deepEqual(codeOf("inexact"), new Set([last.deployed_slot]), "the code that is off");
  assert.ok(codeOf("exact").has(Number(slot)), "the code before it was exact");

  const later = new Accuracy({ ...parts, record: new AccuracyRecord() });
  closeAfter(t, () => later.close());
  alarms.splice(0);
  await later.start();
  await later.checkPrograms();
  const seenLater = shown(later, UPGRADED).deployment;
  assert.equal(
    seenLater.upgrade_seen_at,
    last.deployment.upgrade_seen_at,
    "it outlives the process",
  );
  assert.equal(seenLater.previous_slot, Number(slot));
  assert.equal(upgradeIn(alarms), null, "and is not reported twice");
});

async function assessed(tracker: Tracker, mint: Address) {
  const snapshot = await tracker.snapshot(mint);
  assert.ok(snapshot.kind === "assessed");
  return snapshot.assessment;
}

/** A token that trades on the venue alone. */
async function mintOn(venue: VenueId, mints: readonly Address[], tracker: Tracker) {
  for (const mint of mints) {
    const pools = (await assessed(tracker, mint)).measurement?.pools ?? [];
    if (pools.length > 0 && pools.every((pool) => pool.venue === venue)) return mint;
  }
  throw new Error(`no token trades on ${venue} alone`);
}

function shown(accuracy: Accuracy, venue: VenueId) {
  const body = accuracyBody(accuracy.report());
  const found = body.venues.find(({ program }) => program === venue);
  assert.ok(found !== undefined, venue);
  return found;
}
