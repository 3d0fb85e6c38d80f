import assert from "node:assert/strict";
import { test } from "node:test";
import { isMismatch } from "#src/accuracy/accuracy-record.ts";
import { RecordedExecutionReader } from "#src/accuracy/recorded-execution.ts";
import { replay } from "#src/accuracy/replay-recorded.ts";
import type { Tracker } from "#src/track/tracker.ts";
import type { Address } from "#src/units/address.ts";
import { VENUES } from "#src/venues/all.ts";
import type { VenueId } from "#src/venues/venue.ts";
import { playedAccuracy } from "./played-accuracy.ts";

test("every swap of the demo market is replayed and exact on every venue, and its recording replays the same", async (t) => {
  const { demo, tracker, judged, written, record, play, clock } = await playedAccuracy(t);
  for (const mint of demo.mints) await tracker.snapshot(mint);
  let slots = 0;
  await play(40, () => {
    slots++;
    if (slots % 10 !== 0) return;
    const side = slots % 20 === 0 ? "buy" : "sell";
    for (const mint of demo.mints) demo.script(mint, { kind: "trade", side, sol: 0.05 });
  });
  assert.deepEqual(judged.filter(isMismatch), []);
  const venues = new Set<VenueId>();
  for (const { line, modelled } of written) {
    const read = new RecordedExecutionReader().read(line);
    assert.ok(read.kind === "execution");
    assert.equal(replay(read.execution).amountOut, modelled, `kept whole: ${read.execution.venue}`);
    venues.add(read.execution.venue);
  }
  assert.equal(venues.size, VENUES.length);
  for (const { id } of VENUES) {
    const { hour } = record.tallies.windows(id, clock.nowMs());
    t.diagnostic(`${id}: ${JSON.stringify(hour)}`);
    assert.ok(hour.replayed > 0, `${id} was never seen`);
    assert.equal(hour.exact, hour.seen, `${id}: ${JSON.stringify(hour.skipped)}`);
  }
});

test("without notifications of the Clock at least 95 % of swaps are replayed, all of them exact", async (t) => {
  const { demo, tracker, judged, record, play, clock } = await playedAccuracy(t, {
    hasClocks: false,
  });
  for (const mint of demo.mints) await tracker.snapshot(mint);
  let slots = 0;
  await play(60, () => {
    slots++;
    if (slots % 10 !== 0) return;
    const side = slots % 20 === 0 ? "buy" : "sell";
    for (const mint of demo.mints) demo.script(mint, { kind: "trade", side, sol: 0.05 });
  });
  assert.deepEqual(judged.filter(isMismatch), []);
  const hours = VENUES.map(({ id }) => record.tallies.windows(id, clock.nowMs()).hour);
  for (const [place, { id }] of VENUES.entries()) {
    t.diagnostic(`${id}: ${JSON.stringify(hours[place])}`);
  }
  const sum = (of: "seen" | "exact") => hours.reduce((total, hour) => total + hour[of], 0);
  assert.ok(sum("seen") > 100);
  assert.ok(sum("exact") >= 0.95 * sum("seen"), `${sum("exact")} of ${sum("seen")}`);
});

test("a sampled record reads no more transactions than its budget; a full one reads each it needs", async (t) => {
  const readWith = async (seconds: number, sample?: { readonly readsPerMinute: number }) => {
    const read: string[] = [];
    const { demo, tracker, judged, play } = await playedAccuracy(t, {
      ...(sample === undefined ? {} : { sample }),
      readTransaction: async (signature) => {
        read.push(signature);
        return null;
      },
    });
    const mints = demo.namedTokens.map(({ mint }) => mint);
    for (const mint of mints) await tracker.snapshot(mint);
    let slots = 0;
    await play(seconds, () => {
      slots++;
      if (slots % 5 !== 0) return;
      for (const mint of mints) demo.script(mint, { kind: "trade", side: "sell", sol: 0.01 });
    });
    return { read: read.length, judged: judged.length };
  };
  const sampled = await readWith(90, { readsPerMinute: 2 });
  assert.ok(sampled.read > 0 && sampled.read <= 4, `${sampled.read} in a minute and a half`);
  assert.ok(sampled.judged > 0, "swaps whose log is enough are judged");
  const full = await readWith(30);
  assert.ok(full.read > 50, String(full.read));
});

test("a fee change without a notification lowers its venue's confidence within a minute, until the reread", async (t) => {
  const { demo, tracker, judged, missed, crossings, play } = await playedAccuracy(t);
  const named = demo.namedTokens.map(({ mint }) => mint);
  const mint = await mintOn(named, tracker, "raydium-cpmm");
  let trades = 0;
  const trade = () => {
    trades++;
    demo.script(mint, { kind: "trade", side: trades % 2 === 0 ? "buy" : "sell", sol: 0.05 });
  };
  // Rereads come every twenty seconds: the change falls just behind one.
  await play(62, trade);
  assert.equal(await confidenceOf(tracker, mint), null);
  assert.deepEqual(judged.filter(isMismatch), []);

  assert.ok(demo.script(mint, { kind: "fee", feePpm: 9_000, isSilent: true }));
  const noticedAfter = await secondsUntil(play, trade, async () => {
    return (await confidenceOf(tracker, mint)) === "raydium-cpmm";
  });
  t.diagnostic(`confidence fell after ${noticedAfter} s`);
  assert.ok(noticedAfter <= 60);
  assert.deepEqual(
    crossings.map(({ venue, isBelow }) => [venue, isBelow]),
    [["raydium-cpmm", true]],
  );
  assert.ok(judged.some(isMismatch));

  // Each is kept whole: read back, it gives the same two figures.
  const off = judged.filter(isMismatch);
  assert.equal(missed.length, off.length);
  const reader = new RecordedExecutionReader();
  for (const [index, line] of missed.entries()) {
    const read = reader.read(line);
    assert.ok(read.kind === "execution");
    assert.equal(read.execution.amountOut, off[index]?.outcome.executed);
    assert.equal(replay(read.execution).amountOut, off[index]?.outcome.modelled);
  }

  const recoveredAfter = await secondsUntil(play, trade, async () => {
    return (await confidenceOf(tracker, mint)) === null;
  });
  const wrong = judged.filter(isMismatch).length;
  t.diagnostic(`${wrong} swaps were off; confidence was back after ${recoveredAfter} s`);
  assert.equal(crossings.at(-1)?.isBelow, false);
});

/** A token that trades on the venue alone. */
async function mintOn(mints: readonly Address[], tracker: Tracker, venue: VenueId) {
  for (const mint of mints) {
    const snapshot = await tracker.snapshot(mint);
    const pools =
      snapshot.kind === "assessed" ? (snapshot.assessment.measurement?.pools ?? []) : [];
    if (pools.length > 0 && pools.every((pool) => pool.venue === venue)) return mint;
  }
  throw new Error(`no token trades on ${venue} alone`);
}

/** The venue with low confidence by the live check, or null. */
async function confidenceOf(tracker: Tracker, mint: Address): Promise<VenueId | null> {
  const snapshot = await tracker.snapshot(mint);
  assert.ok(snapshot.kind === "assessed");
  const finding = snapshot.assessment.findings.find(({ kind }) => kind === "live-check");
  return finding?.kind === "live-check" ? finding.venue : null;
}

async function secondsUntil(
  play: (seconds: number, eachSlot: () => void) => Promise<void>,
  eachSlot: () => void,
  isSo: () => Promise<boolean>,
): Promise<number> {
  for (let seconds = 2; seconds <= 600; seconds += 2) {
    await play(2, eachSlot);
    if (await isSo()) return seconds;
  }
  throw new Error("never within ten minutes");
}
