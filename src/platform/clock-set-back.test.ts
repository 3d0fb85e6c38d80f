import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { clockSetBack } from "./clock-set-back.ts";

/**
 * The step that was noticed, in seconds; null: none was.
 *
 * @param wall what the wall clock shows at the start and at each check, in seconds
 */
async function stepOf(
  t: TestContext,
  wall: readonly number[],
  monotonic: readonly number[] = [0, 1, 2],
): Promise<number | null> {
  t.mock.timers.enable({ apis: ["setInterval"] });
  let check = 0;
  const read = (seconds: readonly number[]) => ({ nowMs: () => 1_000 * (seconds[check] ?? 0) });
  let step: number | null = null;
  void clockSetBack({ wall: read(wall), monotonic: read(monotonic) }).then((stepMs) => {
    step = stepMs / 1_000;
  });
  for (check = 1; check < wall.length; check++) t.mock.timers.tick(1_000);
  await Promise.resolve();
  t.mock.timers.reset();
  return step;
}

test("a clock that is set back is noticed at the next check, by how much it was", async (t) => {
  assert.equal(await stepOf(t, [100, 101, -3_499]), 3_601);
  assert.equal(await stepOf(t, [100, 101, 97]), 5);
});

test("a clock that is slewed, set forward, or read late is not", async (t) => {
  assert.equal(await stepOf(t, [100, 100.5, 101]), null, "slewed");
  assert.equal(await stepOf(t, [100, 3_700, 3_701]), null, "set forward");
  assert.equal(await stepOf(t, [100, 700, 701], [0, 600, 601]), null, "blocked for ten minutes");
  assert.equal(await stepOf(t, [100, 96.1, 97.1]), null, "by less than five seconds");
});
