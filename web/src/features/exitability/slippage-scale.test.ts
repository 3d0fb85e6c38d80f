import assert from "node:assert/strict";
import { test } from "node:test";
import {
  nearestStandardSize,
  SLIDER_STEPS,
  sizeAtStep,
  stepOfSize,
  stepTo,
} from "./slippage-scale.ts";

test("the slider reaches from 0.01 to 1000 SOL and back", () => {
  assert.equal(sizeAtStep(0), 0.01);
  assert.equal(sizeAtStep(SLIDER_STEPS), 1000);
  for (const size of [0.01, 0.5, 1, 2.5, 50, 1000]) {
    const shown = sizeAtStep(stepOfSize(size));
    assert.ok(Math.abs(shown / size - 1) < 0.02, `${size} is shown as ${shown}`);
  }
});

test("each press of a key moves the slider to another size, from one end to the other", () => {
  // Between two slow presses the slider is where the chosen size is; in fast ones it goes on from its place.
  for (const between of [(step: number) => stepOfSize(sizeAtStep(step)), (step: number) => step])
    for (const towards of [1, -1]) {
      let step = towards === 1 ? 0 : SLIDER_STEPS;
      const last = sizeAtStep(SLIDER_STEPS - step);
      while (sizeAtStep(step) !== last) {
        const from = between(step);
        step = stepTo(from + towards, from);
        const change = sizeAtStep(step) - sizeAtStep(from);
        assert.equal(Math.sign(change), towards, `from step ${from} to ${step}`);
      }
    }
});

test("a size counts as the nearest standard size, a tie as the larger", () => {
  const sizes = [0.01, 0.74, 0.75, 3.5, 30, 1000];
  assert.deepEqual(sizes.map(nearestStandardSize), ["0.5", "0.5", "1", "5", "50", "50"]);
});
