import assert from "node:assert/strict";
import { test } from "node:test";
import { FixedWindows } from "./fixed-windows.ts";

const RULE = { limit: 2, lengthMs: 1_000 };

test("a window opens with the first use and keeps its limit until it ends", () => {
  const windows = new FixedWindows();
  const allowedAt = (ms: number) => windows.take("a", RULE, ms).allowed;
  assert.deepEqual([100, 200, 300, 1_099].map(allowedAt), [true, true, false, false]);
  assert.deepEqual([1_100, 1_101, 1_102].map(allowedAt), [true, true, false]);
});

test("a refused use is not counted, and subjects are counted separately", () => {
  const windows = new FixedWindows();
  for (let use = 0; use < 5; use++) windows.take("a", RULE, 0);
  assert.deepEqual(windows.peek("a", RULE, 0), { used: 2, resetAtMs: 1_000 });
  assert.deepEqual(windows.peek("b", RULE, 0), { used: 0, resetAtMs: 1_000 });
  assert.equal(windows.take("b", RULE, 0).allowed, true);
});

test("a use given back can be taken again, but not in a later window", () => {
  const windows = new FixedWindows();
  const { resetAtMs } = windows.take("a", RULE, 0);
  windows.take("a", RULE, 0);
  windows.giveBack("a", resetAtMs);
  assert.equal(windows.take("a", RULE, 10).allowed, true);
  windows.take("a", RULE, 1_000);
  windows.giveBack("a", resetAtMs);
  assert.equal(windows.peek("a", RULE, 1_000).used, 1);
});

test("memory is bounded: beyond its capacity the oldest window is dropped", () => {
  const windows = new FixedWindows(3);
  for (const subject of ["a", "b", "c", "d"]) windows.take(subject, RULE, 0);
  assert.equal(windows.peek("a", RULE, 0).used, 0);
  for (const subject of ["b", "c", "d"]) assert.equal(windows.peek(subject, RULE, 0).used, 1);
});
