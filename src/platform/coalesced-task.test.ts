import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { CoalescedTask } from "./coalesced-task.ts";

/** A task that counts its runs, under timers that the test advances. */
function countedTask(t: TestContext) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let runs = 0;
  const task = new CoalescedTask(() => {
    runs++;
  });
  return { task, runs: () => runs, advance: (ms: number) => t.mock.timers.tick(ms) };
}

test("requests that arrive together are one run", (t) => {
  const { task, runs, advance } = countedTask(t);
  for (let request = 0; request < 3; request++) task.request();
  assert.equal(runs(), 0);
  advance(5);
  assert.equal(runs(), 1);
});

test("a request that the work itself makes is the next run", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let left = 3;
  const task = new CoalescedTask(() => {
    left--;
    if (left > 0) task.request();
  });
  task.run();
  assert.equal(left, 2);
  t.mock.timers.tick(1);
  assert.equal(left, 1);
  t.mock.timers.tick(5);
  assert.equal(left, 0);
});

test("a run answers all requests before it, and a stopped task none", (t) => {
  const { task, runs, advance } = countedTask(t);
  task.request();
  task.run();
  advance(5);
  assert.equal(runs(), 1);
  task.request();
  task.stop();
  advance(5);
  assert.equal(runs(), 1);
});
