import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { closeAfter } from "#test/support/ending.ts";
import { FailureLog } from "./failure-log.ts";
import { Poller } from "./poller.ts";

/** Runs that the test ends, under a clock that the test advances. */
function heldPoller(t: TestContext) {
  t.mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  const runs: PromiseWithResolvers<number>[] = [];
  const failures = new FailureLog({ log: null, what: "poll", next: "retrying" });
  const poller = new Poller<number>({
    run: () => {
      const run = Promise.withResolvers<number>();
      runs.push(run);
      return run.promise;
    },
    everyMs: 100,
    failures,
  });
  closeAfter(t, () => poller.stop());
  return { poller, runs, failures, tick: (ms: number) => t.mock.timers.tick(ms) };
}

/** Lets promises that are settled run their continuations. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}

test("a run starts every interval, and none while the last one still runs", async (t) => {
  const { poller, runs, tick } = heldPoller(t);
  poller.start();
  poller.start();
  tick(99);
  assert.equal(runs.length, 0);
  tick(1);
  tick(100);
  assert.equal(runs.length, 1);
  runs[0]?.resolve(1);
  await settle();
  tick(100);
  assert.equal(runs.length, 2);
});

test("a failed run is counted and the polling goes on; a success ends the count", async (t) => {
  const { poller, runs, failures, tick } = heldPoller(t);
  poller.start();
  tick(100);
  runs[0]?.reject(new Error("away"));
  await settle();
  assert.equal(failures.failures, 1);
  tick(100);
  runs[1]?.resolve(1);
  await settle();
  assert.equal(failures.failures, 0);
});

test("runNow joins the run under way, and its failure reaches the caller", async (t) => {
  const { poller, runs, failures } = heldPoller(t);
  const both = Promise.all([poller.runNow(), poller.runNow()]);
  runs[0]?.resolve(7);
  assert.deepEqual([await both, runs.length], [[7, 7], 1]);
  const failing = poller.runNow();
  runs[1]?.reject(new Error("away"));
  await assert.rejects(failing, /away/);
  assert.equal(failures.failures, 1);
});

test("close starts nothing more and waits for the run under way, also where it fails", async (t) => {
  const { poller, runs, tick } = heldPoller(t);
  poller.start();
  tick(100);
  const closed = poller.close().then(() => "closed");
  assert.equal(await Promise.race([closed, Promise.resolve("running")]), "running");
  runs[0]?.reject(new Error("away"));
  assert.equal(await closed, "closed");
  poller.start();
  await settle();
  tick(1_000);
  assert.equal(runs.length, 1);
});

test("stop during a run leaves no timer behind", async (t) => {
  const { poller, runs, tick } = heldPoller(t);
  poller.start();
  tick(100);
  poller.stop();
  runs[0]?.resolve(1);
  await settle();
  tick(1_000);
  assert.equal(runs.length, 1);
  poller.start();
  tick(100);
  assert.equal(runs.length, 2);
});

test("a synchronous run that throws is counted, and the next one runs", (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const failures = new FailureLog({ log: null, what: "tick", next: "retrying" });
  let runs = 0;
  const run = () => {
    runs++;
    if (runs < 3) throw new Error("away");
  };
  const poller = new Poller({ run, everyMs: 10, failures });
  poller.start();
  t.mock.timers.tick(20);
  assert.deepEqual([runs, failures.failures], [2, 2]);
  t.mock.timers.tick(10);
  assert.deepEqual([runs, failures.failures], [3, 0]);
  poller.stop();
});
