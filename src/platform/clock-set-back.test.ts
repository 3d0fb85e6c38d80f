import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { clockSetBack } from "./clock-set-back.ts";

/** Wall and monotonic time of each check, in seconds. */
type Readings = readonly (readonly [wall: number, monotonic: number])[];

/** The step that was noticed; null: none was. */
async function stepOf(t: TestContext, readings: Readings): Promise<number | null> {
  t.mock.timers.enable({ apis: ["setInterval"] });
  let check = 0;
  const read = (clock: 0 | 1) => ({ nowMs: () => 1_000 * (readings[check]?.[clock] ?? 0) });
  let stepMs: number | null = null;
  void clockSetBack({ wall: read(0), monotonic: read(1) }).then((step) => {
    stepMs = step;
  });
  for (check = 1; check < readings.length; check++) t.mock.timers.tick(1_000);
  check = readings.length - 1;
  await Promise.resolve();
  t.mock.timers.reset();
  return stepMs;
}

test("a clock that is set back is noticed at the next check, by how much it was", async (t) => {
  assert.equal(
    await stepOf(t, [
      [100, 0],
      [101, 1],
      [-3_499, 2],
    ]),
    3_601_000,
  );
  assert.equal(
    await stepOf(t, [
      [100, 0],
      [101, 1],
      [97, 2],
    ]),
    5_000,
  );
});

test("a clock that is slewed, set forward, or read late is not", async (t) => {
  assert.equal(
    await stepOf(t, [
      [100, 0],
      [100.5, 1],
      [101, 2],
    ]),
    null,
    "slewed",
  );
  assert.equal(
    await stepOf(t, [
      [100, 0],
      [3_700, 1],
      [3_701, 2],
    ]),
    null,
    "set forward",
  );
  assert.equal(
    await stepOf(t, [
      [100, 0],
      [700, 600],
      [701, 601],
    ]),
    null,
    "blocked for ten minutes",
  );
  assert.equal(
    await stepOf(t, [
      [100, 0],
      [96.1, 1],
      [97.1, 2],
    ]),
    null,
    "by less than five seconds",
  );
});
