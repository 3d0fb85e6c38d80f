import assert from "node:assert/strict";
import { test } from "node:test";
import { recordedChange } from "./recorded-change.ts";

const alert = {
  c10_before_sol: 12,
  c10_after_sol: null,
  depth_before_sol: 94.44,
  depth_after_sol: null,
};

test("after a pause nothing can be taken out, which is not unknown", () => {
  for (const c10_after_sol of [0, 0.01, null]) {
    const paused = { ...alert, cause: "trading-paused", c10_after_sol } as const;
    assert.deepEqual(recordedChange(paused), {
      capacity: { before: 12, after: 0 },
      depth: { before: 94.44, after: 0 },
    });
  }
});

test("where a part of the pools is paused, what is missing is unknown", () => {
  const paused = { ...alert, cause: "trading-paused", c10_after_sol: 5 } as const;
  assert.deepEqual(recordedChange(paused).capacity, { before: 12, after: 5 });
  assert.deepEqual(recordedChange(paused).depth, { before: 94.44, after: null });
});

test("after another cause what is missing is unknown, and a capacity at the floor is nothing", () => {
  assert.deepEqual(recordedChange({ ...alert, cause: "sells" }).depth.after, null);
  assert.equal(recordedChange({ ...alert, cause: "sells", c10_after_sol: 0.01 }).capacity.after, 0);
});
