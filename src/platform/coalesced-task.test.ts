import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { CoalescedTask } from "./coalesced-task.ts";

/** A task whose runs take `tookMs` each, under a clock that the test advances. */
function taskOf(t: TestContext, { tookMs }: { readonly tookMs: number }) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let nowMs = 0;
  const startedAtMs: number[] = [];
  const task = new CoalescedTask(
    () => {
      startedAtMs.push(nowMs);
      nowMs += tookMs;
    },
    { nowMs: () => nowMs },
  );
  const advance = (ms: number) => {
    for (let step = 0; step < ms; step++) {
      nowMs++;
      t.mock.timers.tick(1);
    }
  };
  return { task, startedAtMs, advance };
}

test("requests that arrive together are one run, which waits for no later one", (t) => {
  const { task, startedAtMs, advance } = taskOf(t, { tookMs: 0 });
  for (let request = 0; request < 3; request++) task.request();
  assert.deepEqual(startedAtMs, []);
  advance(5);
  assert.deepEqual(startedAtMs, [1]);
});

test("after a run the task rests as long as the run took", (t) => {
  const { task, startedAtMs, advance } = taskOf(t, { tookMs: 20 });
  task.run();
  task.request();
  advance(19);
  assert.deepEqual(startedAtMs, [0]);
  advance(1);
  assert.deepEqual(startedAtMs, [0, 40]);
});

test("a run answers all requests before it, and a stopped task none", (t) => {
  const { task, startedAtMs, advance } = taskOf(t, { tookMs: 0 });
  task.request();
  task.run();
  advance(5);
  assert.deepEqual(startedAtMs, [0]);
  task.request();
  task.stop();
  advance(5);
  assert.deepEqual(startedAtMs, [0]);
});
