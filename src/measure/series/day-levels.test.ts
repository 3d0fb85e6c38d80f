import assert from "node:assert/strict";
import { test } from "node:test";
import { advanceLevels, copyLevels, noLevels, restoredLevels, storedLevels } from "./day-levels.ts";
import { NO_LOSSES } from "./losses.ts";

const START_MS = 1_800_000_000_000;
const HOUR_MS = 3_600_000;

function levelsOf(readings: readonly number[]) {
  const levels = noLevels();
  readings.forEach((level, index) => {
    const losses = { withdrawn: index / 100, sold: index / 10, fees: index, paused: 10 * index };
    advanceLevels(levels, { timeMs: START_MS + (index * HOUR_MS) / 4, level, losses });
  });
  return levels;
}

test("the highest level of each hour is kept, for a day", () => {
  const { hours } = storedLevels(levelsOf([1, 3, 2, 2.5, 0, 5, 4, 4]));
  assert.deepEqual(
    hours.map(({ level }) => level),
    [3, 5],
  );
  const [first, second] = hours;
  assert.equal((second?.hour ?? 0) - (first?.hour ?? 0), 1);
  const day = storedLevels(levelsOf(Array.from({ length: 4 * 30 }, (_, index) => index)));
  assert.equal(day.hours.length, 24);
  assert.equal(day.hours.at(-1)?.level, 119);
});

test("levels that were stored and restored are the same, and advance the same", () => {
  const levels = levelsOf([1, 3, 2, 2.5, 0, 5, 4, 4]);
  for (const each of [levels, noLevels()]) {
    const restored = restoredLevels(JSON.parse(JSON.stringify(storedLevels(each))));
    assert.deepEqual(restored, each);
  }
  const restored = restoredLevels(storedLevels(levels));
  const reading = { timeMs: START_MS + 3 * HOUR_MS, level: 2, losses: NO_LOSSES };
  for (const each of [levels, restored]) advanceLevels(each, reading);
  assert.deepEqual(restored, levels);
});

test("a copy stays as it is while the other advances", () => {
  const levels = levelsOf([1, 3]);
  const copy = copyLevels(levels);
  const before = storedLevels(levels);
  advanceLevels(levels, { timeMs: START_MS + HOUR_MS, level: 9, losses: null });
  assert.deepEqual(storedLevels(copy), before);
  assert.notDeepEqual(storedLevels(levels), before);
});
