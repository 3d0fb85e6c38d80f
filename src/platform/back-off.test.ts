import assert from "node:assert/strict";
import { test } from "node:test";
import { BackOff, backOffMs } from "./back-off.ts";

test("waits double from the first to the longest, and start again after a success that lasts so long", (t) => {
  let nowMs = 0;
  t.mock.method(performance, "now", () => nowMs);
  const backOff = new BackOff({ firstMs: 100, longestMs: 1_000, random: () => 1 });
  const waits = Array.from({ length: 6 }, () => backOff.nextMs());
  assert.deepEqual(waits, [100, 200, 400, 800, 1_000, 1_000]);
  backOff.succeeded();
  nowMs += 999;
  backOff.succeeded();
  assert.equal(backOff.nextMs(), 1_000, "it lived too briefly");
  nowMs += 5_000;
  assert.equal(backOff.nextMs(), 1_000, "nothing worked meanwhile");
  backOff.succeeded();
  nowMs += 1_000;
  assert.equal(backOff.hasLasted, true);
  assert.equal(backOff.nextMs(), 100);
  assert.equal(backOff.hasLasted, false);
});

test("half of each wait is random, and a thousand failures overflow nothing", () => {
  const options = { firstMs: 100, longestMs: 1_000 };
  assert.equal(backOffMs({ ...options, random: () => 0 }, 2), 100);
  assert.equal(backOffMs({ ...options, random: () => 0.5 }, 2), 150);
  assert.equal(backOffMs({ ...options, random: () => 0 }, 5_000), 500);
});
