import assert from "node:assert/strict";
import { test } from "node:test";
import { MS_PER_DAY } from "#src/platform/clock.ts";
import { writeStoredAnswers } from "#src/store/stored-answers.ts";
import { upsertTokens } from "#src/store/tokens.ts";
import { eachDatabase } from "#test/support/databases/databases.ts";
import { SOME_MINT, someAssessment, someMeasurement } from "#test/support/markets/assessments.ts";
import type { AssessedSnapshot } from "../snapshot-text.ts";
import { answerAt, StoredAnswers } from "./stored-answers.ts";

const MINUTE_MS = 60_000;
const NOON = Date.UTC(2026, 10, 20, 12);

function snapshotAt(slot: bigint, depthLamports = 45_000_000_000n + slot): AssessedSnapshot {
  const measurement = { ...someMeasurement, depthLamports };
  return {
    kind: "assessed",
    assessment: someAssessment({ slot, measurement }),
    trend: "deteriorating",
    isDeteriorating: true,
    name: 'Quotes " \\ and ñ \u{1F600}',
    symbol: null,
  };
}

/** Gives an answer, and selects it where one is due. */
function give(
  states: StoredAnswers,
  snapshot: AssessedSnapshot,
  options: { readonly atMs: number; readonly isNew: boolean },
): void {
  states.give(snapshot);
  states.select(options);
}

function slotsOf({ pending }: StoredAnswers): readonly number[] {
  return pending.map(({ slot }) => Number(slot));
}

test("changes are stored at least a minute apart, and a change within the minute at its end", () => {
  const states = new StoredAnswers(1n, null);
  const add = (slot: number, seconds: number, isNew: boolean) =>
    give(states, snapshotAt(BigInt(slot)), { atMs: NOON + seconds * 1_000, isNew });
  add(100, 0, false);
  add(125, 10, true);
  add(150, 20, false);
  add(250, 60, false);
  add(275, 70, false);
  add(400, 120, false);
  add(500, 160, true);
  add(600, 170, false);
  assert.deepEqual(slotsOf(states), [125, 500]);
});

test("slots only ascend, including those on disk, so that past answers never change", () => {
  const states = new StoredAnswers(1n, 500n);
  for (const [minute, slot] of [400n, 500n, 501n, 450n, 501n, 600n, 700n].entries())
    give(states, snapshotAt(slot), { atMs: NOON + minute * MINUTE_MS, isNew: true });
  assert.deepEqual(slotsOf(states), [501, 600]);
});

test("an answer that waits to be written is not stored if another one of its slot comes late", () => {
  const states = new StoredAnswers(1n, null);
  for (const [minute, slot] of [100n, 200n, 300n, 400n].entries())
    give(states, snapshotAt(slot), { atMs: NOON + minute * MINUTE_MS, isNew: true });
  assert.deepEqual(slotsOf(states), [200, 300]);
  states.give(snapshotAt(200n, 1n));
  assert.deepEqual(slotsOf(states), [300]);
  states.written(new Set(states.pending));
  assert.deepEqual(slotsOf(states), []);
});

test("later answers of a day depend only on its first one, and take a fraction of its bytes", () => {
  const states = new StoredAnswers(1n, null);
  for (let minute = 0; minute < 30; minute++)
    give(states, snapshotAt(BigInt(minute)), { atMs: NOON + minute * MINUTE_MS, isNew: true });
  give(states, snapshotAt(99n), { atMs: NOON + MS_PER_DAY, isNew: true });
  give(states, snapshotAt(100n), { atMs: NOON + MS_PER_DAY, isNew: true });
  const [first, ...others] = states.pending;
  const nextDay = others.pop();
  assert.ok(first !== undefined && nextDay !== undefined);
  assert.deepEqual([first.baseSlot, nextDay.baseSlot], [first.slot, nextDay.slot]);
  for (const { baseSlot, day, data } of others) {
    assert.deepEqual([baseSlot, day], [first.slot, first.day]);
    assert.ok(data.length * 5 < first.data.length, `${data.length} of ${first.data.length}`);
  }
});

test("a stored answer is read back unchanged, and an unreadable one counts as not stored and does not name itself", async (t) => {
  await eachDatabase(t, async (_t, { db }) => {
    const token = { mint: SOME_MINT, name: null, symbol: null, nowMs: NOON };
    const tokenId = (await upsertTokens(db, [token])).get(SOME_MINT);
    assert.ok(tokenId !== undefined);
    const states = new StoredAnswers(tokenId, null);
    for (let slot = 0; slot < 6; slot++)
      give(states, snapshotAt(BigInt(slot)), { atMs: NOON + slot * MINUTE_MS, isNew: true });
    const [, , third] = states.pending;
    assert.ok(third !== undefined);
    const broken = { ...third, slot: 100n, data: third.data.subarray(3) };
    const orphaned = { ...third, slot: 101n, baseSlot: 77n };
    await writeStoredAnswers(db, [...states.pending, broken, orphaned]);
    await writeStoredAnswers(db, [{ ...third, data: Uint8Array.of(1) }]);
    for (let slot = 1n; slot < 5n; slot++) {
      const expected = { kind: "stored", snapshot: snapshotAt(slot) };
      assert.deepEqual(await answerAt(db, SOME_MINT, slot), expected);
    }
    assert.deepEqual(await answerAt(db, SOME_MINT, 99n), {
      kind: "not-stored",
      slots: { before: 4n, after: 100n },
    });
    for (const [slot, before, after] of [
      [100n, 4n, 101n],
      [101n, 100n, null],
    ] as const)
      assert.deepEqual(await answerAt(db, SOME_MINT, slot), {
        kind: "not-stored",
        slots: { before, after },
      });
  });
});

test("of a slot at which two answers were given, none is stored", () => {
  const states = new StoredAnswers(1n, null);
  const at = (slot: bigint, depth?: bigint) =>
    give(states, snapshotAt(slot, depth), { atMs: NOON + Number(slot) * MINUTE_MS, isNew: true });
  for (const [slot, depth] of [[1n], [2n, 5n], [2n, 6n], [3n], [4n, 7n], [4n, 7n], [5n]] as const) {
    at(slot, depth);
  }
  states.give({ ...snapshotAt(5n), isDeteriorating: false });
  at(6n);
  assert.deepEqual(slotsOf(states), [3, 4]);
});
