import assert from "node:assert/strict";
import { test } from "node:test";
import { paced } from "./paced.ts";

test("a call that comes too early gets its run when the interval is over, with the newest value", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "Date"] });
  const runs: [number, string][] = [];
  const { ask } = paced((value: string) => runs.push([Date.now(), value]), {
    delayMs: 0,
    leastMs: 5_000,
  });
  ask("first");
  t.mock.timers.tick(1);
  t.mock.timers.tick(999);
  for (const value of ["second", "third"]) ask(value);
  t.mock.timers.tick(4_000);
  assert.equal(runs.length, 1);
  t.mock.timers.tick(1);
  t.mock.timers.tick(5_000);
  ask("fourth");
  t.mock.timers.tick(1);
  assert.deepEqual(
    runs.map(([, value]) => value),
    ["first", "third", "fourth"],
  );
  assert.ok((runs[1]?.[0] ?? 0) - (runs[0]?.[0] ?? 0) >= 5_000);
});

test("a minute of calls without a pause runs once per interval, and ends with the last value", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "Date"] });
  const runs: number[] = [];
  const { ask } = paced((value: number) => runs.push(value), { delayMs: 250, leastMs: 1_000 });
  for (let step = 0; step < 600; step++) {
    ask(step);
    t.mock.timers.tick(100);
  }
  t.mock.timers.tick(1_000);
  assert.ok(runs.length <= 61, `${runs.length} runs`);
  assert.equal(runs.at(-1), 599);
});

test("after a delay the first call waits for the interval, and a cancelled one never runs", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "Date"] });
  const runs: string[] = [];
  const { ask, delay, cancel } = paced((value: string) => runs.push(value), {
    delayMs: 0,
    leastMs: 5_000,
  });
  delay();
  ask("first");
  t.mock.timers.tick(4_999);
  assert.deepEqual(runs, []);
  t.mock.timers.tick(1);
  assert.deepEqual(runs, ["first"]);
  ask("second");
  cancel();
  t.mock.timers.tick(10_000);
  assert.deepEqual(runs, ["first"]);
});
