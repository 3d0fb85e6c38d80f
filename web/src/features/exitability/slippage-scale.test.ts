import assert from "node:assert/strict";
import { test } from "node:test";
import { verdictOf } from "../../lib/verdict.ts";
import { SLIDER_STEPS, sizeAtStep, stepOfSize } from "./slippage-scale.ts";

test("the slider reaches from 0.01 to 1000 SOL and back", () => {
  assert.equal(sizeAtStep(0), 0.01);
  assert.equal(sizeAtStep(SLIDER_STEPS), 1000);
  for (const size of [0.01, 0.5, 1, 2.5, 50, 1000]) {
    const shown = sizeAtStep(stepOfSize(size));
    assert.ok(Math.abs(shown / size - 1) < 0.02, `${size} is shown as ${shown}`);
  }
});

test("what can't be sold is never called good", () => {
  assert.deepEqual([0, 9.99, 10, 29.9, 30, null].map(verdictOf), [
    "good",
    "good",
    "warn",
    "warn",
    "bad",
    "bad",
  ]);
});
