import assert from "node:assert/strict";
import { test } from "node:test";
import { type AdaptiveFee, accumulate, updateReference } from "./adaptive-fee.ts";

const FEE: AdaptiveFee = {
  filterPeriod: 30n,
  decayPeriod: 600n,
  reductionFactor: 5_000,
  controlFactor: 1_000,
  maxAccumulator: 100_000,
  groupSize: 64,
  majorSwapThresholdTicks: 64,
  lastReferenceUpdate: 1_000n,
  lastMajorSwap: 900n,
  volatilityReference: 1_234,
  groupReference: 7,
  accumulator: 30_001,
};

/** Group, volatility and time of the reference, as a swap in group 9 begins. */
function referenceAt(now: bigint, fee = FEE) {
  const after = updateReference(fee, 9, now);
  return after && [after.groupReference, after.volatilityReference, after.lastReferenceUpdate];
}

test("the reference is kept within the filter period, halved within the decay period, then dropped", () => {
  assert.deepEqual(referenceAt(1_029n), [7, 1_234, 1_000n]);
  assert.deepEqual(referenceAt(1_030n), [9, 15_000, 1_030n], "rounded down");
  assert.deepEqual(referenceAt(1_599n), [9, 15_000, 1_599n]);
  assert.deepEqual(referenceAt(1_600n), [9, 0, 1_600n]);
});

test("the periods count from the last major swap, if it came after the last reference", () => {
  const stirred = { ...FEE, lastMajorSwap: 1_500n };
  assert.equal(referenceAt(1_499n, stirred), null, "a clock behind it is refused");
  assert.deepEqual(referenceAt(1_529n, stirred), [7, 1_234, 1_000n]);
  assert.deepEqual(referenceAt(1_530n, stirred), [9, 15_000, 1_530n]);
});

test("major swaps keep a reference for an hour and no longer", () => {
  const stirred = { ...FEE, lastMajorSwap: 4_590n };
  assert.deepEqual(referenceAt(4_600n, stirred), [7, 1_234, 1_000n]);
  assert.deepEqual(referenceAt(4_601n, stirred), [9, 0, 4_601n]);
});

test("the accumulator counts groups from the reference in both directions, up to its maximum", () => {
  const accumulatorOf = (group: number) => accumulate(FEE, group).accumulator;
  assert.deepEqual([5, 9, 17].map(accumulatorOf), [21_234, 21_234, 100_000]);
});
