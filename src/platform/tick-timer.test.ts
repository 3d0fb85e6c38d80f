import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { TickTimer } from "./tick-timer.ts";

/** A timer whose ticks claim to take the given times, one after the other, and then none. */
function countedTicks(t: TestContext, tookMs: readonly number[] = []) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let ticks = 0;
  const timer = new TickTimer(() => tookMs[ticks++] ?? 0);
  timer.start();
  const ticksAfter = (ms: number) => {
    t.mock.timers.tick(ms);
    return ticks;
  };
  return { timer, ticksAfter };
}

test("short ticks begin every 15 ms", (t) => {
  const { ticksAfter } = countedTicks(t, [5]);
  assert.equal(ticksAfter(14), 0);
  assert.equal(ticksAfter(1), 1);
  // The mocked time does not advance during a tick.
  assert.equal(ticksAfter(9), 1);
  assert.equal(ticksAfter(1), 2);
});

test("a tick that took long is followed by a rest of the same time, 200 ms at most", (t) => {
  const { ticksAfter } = countedTicks(t, [100, 3_600_000]);
  assert.equal(ticksAfter(15), 1);
  assert.equal(ticksAfter(99), 1);
  assert.equal(ticksAfter(1), 2);
  assert.equal(ticksAfter(199), 2);
  assert.equal(ticksAfter(1), 3);
});

test("starting a running timer adds no ticks, and a stopped timer does not tick", (t) => {
  const { timer, ticksAfter } = countedTicks(t);
  timer.start();
  assert.equal(ticksAfter(15), 1);
  assert.ok(timer.isRunning);
  timer.stop();
  assert.ok(!timer.isRunning);
  assert.equal(ticksAfter(1_000), 1);
});

test("a tick that stops its timer is the last one", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let ticks = 0;
  const timer = new TickTimer(() => {
    ticks++;
    timer.stop();
    return 0;
  });
  timer.start();
  t.mock.timers.tick(15);
  t.mock.timers.tick(1_000);
  assert.equal(ticks, 1);
});
