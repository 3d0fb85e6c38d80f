import assert from "node:assert/strict";
import { test } from "node:test";
import { writeStates } from "#src/store/states.ts";
import { rememberTokens } from "#src/store/tokens.ts";
import { SOME_MINT, someAssessment, someMeasurement } from "#test/support/assessments.ts";
import { eachDatabase } from "#test/support/databases.ts";
import type { AssessedSnapshot } from "./snapshot-text.ts";
import { stateAt, TokenStates } from "./token-states.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
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

function slotsOf({ pending }: TokenStates): readonly number[] {
  return pending.map(({ slot }) => Number(slot));
}

test("what moves is kept a minute apart, and what moved within the minute when it is over", () => {
  const states = new TokenStates(1n, null);
  const add = (slot: number, seconds: number, isNew: boolean) =>
    states.add(snapshotAt(BigInt(slot)), { atMs: NOON + seconds * 1_000, isNew });
  add(100, 0, false);
  add(125, 10, true);
  add(150, 20, false);
  add(250, 60, false);
  add(275, 70, false);
  add(400, 120, false);
  add(500, 160, true);
  assert.deepEqual(slotsOf(states), [100, 250, 500]);
});

test("slots only ascend, those on disk included, so that nothing comes before what was answered", () => {
  const states = new TokenStates(1n, 500n);
  for (const [minute, slot] of [400n, 500n, 501n, 450n, 501n, 600n].entries())
    states.add(snapshotAt(slot), { atMs: NOON + minute * MINUTE_MS, isNew: true });
  assert.deepEqual(slotsOf(states), [501, 600]);
});

test("a day's later states need its first one alone, and a fraction of its bytes", () => {
  const states = new TokenStates(1n, null);
  for (let minute = 0; minute < 30; minute++)
    states.add(snapshotAt(BigInt(minute)), { atMs: NOON + minute * MINUTE_MS, isNew: true });
  states.add(snapshotAt(99n), { atMs: NOON + DAY_MS, isNew: true });
  const [first, ...others] = states.pending;
  const nextDay = others.pop();
  assert.ok(first !== undefined && nextDay !== undefined);
  assert.deepEqual([first.baseSlot, nextDay.baseSlot], [first.slot, nextDay.slot]);
  for (const { baseSlot, day, data } of others) {
    assert.deepEqual([baseSlot, day], [first.slot, first.day]);
    assert.ok(data.length * 5 < first.data.length, `${data.length} of ${first.data.length}`);
  }
});

test("a stored state comes back as it was, and what can't be read is not there", async (t) => {
  await eachDatabase(t, async (_t, { db }) => {
    const token = { mint: SOME_MINT, name: null, symbol: null, nowMs: NOON };
    const tokenId = (await rememberTokens(db, [token])).get(SOME_MINT);
    assert.ok(tokenId !== undefined);
    const states = new TokenStates(tokenId, null);
    for (let slot = 1; slot < 5; slot++)
      states.add(snapshotAt(BigInt(slot)), { atMs: NOON + slot * MINUTE_MS, isNew: true });
    const [, , third] = states.pending;
    assert.ok(third !== undefined);
    const broken = { ...third, slot: 100n, data: third.data.subarray(3) };
    const orphaned = { ...third, slot: 101n, baseSlot: 77n };
    await writeStates(db, [...states.pending, broken, orphaned]);
    await writeStates(db, [{ ...third, data: Uint8Array.of(1) }]);
    for (let slot = 1n; slot < 5n; slot++) {
      const expected = { kind: "stored", snapshot: snapshotAt(slot) };
      assert.deepEqual(await stateAt(db, SOME_MINT, slot), expected);
    }
    assert.deepEqual(await stateAt(db, SOME_MINT, 99n), {
      kind: "stored",
      snapshot: snapshotAt(4n),
    });
    for (const slot of [100n, 101n]) {
      const slots = { before: slot, after: slot === 100n ? 101n : null };
      assert.deepEqual(await stateAt(db, SOME_MINT, slot), { kind: "not-stored", slots });
    }
  });
});
