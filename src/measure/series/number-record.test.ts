import assert from "node:assert/strict";
import { test } from "node:test";
import { numberRecord } from "./number-record.ts";

class Reading extends numberRecord(["timeMs", "level"]) {}

test("each field is read and set by its name, and no other object changes with it", () => {
  const [one, other] = [
    new Reading({ level: 2.5, timeMs: 1 }),
    new Reading({ timeMs: 3, level: 4 }),
  ];
  one.level = Number.NaN;
  one.timeMs += 10;
  assert.deepEqual([one.timeMs, one.level], [11, Number.NaN]);
  assert.deepEqual([other.timeMs, other.level], [3, 4]);
});

test("records are equal if all their numbers are", () => {
  assert.deepEqual(new Reading({ timeMs: 1, level: 2 }), new Reading({ level: 2, timeMs: 1 }));
  assert.notDeepEqual(new Reading({ timeMs: 1, level: 2 }), new Reading({ timeMs: 1, level: 3 }));
});
