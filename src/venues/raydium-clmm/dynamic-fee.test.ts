import assert from "node:assert/strict";
import { test } from "node:test";
import { accumulatorAt, type DynamicFee, updateReference } from "./dynamic-fee.ts";
import { advance, type Volatility } from "./swap-volatility.ts";

const FEE: DynamicFee = {
  filterPeriod: 30n,
  decayPeriod: 600n,
  reductionFactor: 5_000,
  control: 1_000,
  maxAccumulator: 100_000,
  indexReference: 7,
  volatilityReference: 1_234,
  accumulator: 30_001,
  lastUpdate: 1_000n,
};

test("the reference is kept within the filter period, halved within the decay period, then dropped", () => {
  const referenceAt = (now: bigint) => {
    const { indexReference, volatilityReference, lastUpdate } = updateReference(FEE, 9, now);
    return [indexReference, volatilityReference, lastUpdate];
  };
  assert.deepEqual(referenceAt(999n), [7, 1_234, 1_000n], "the clock is behind the last update");
  assert.deepEqual(referenceAt(1_029n), [7, 1_234, 1_000n]);
  assert.deepEqual(referenceAt(1_030n), [9, 15_000, 1_030n], "rounded down");
  assert.deepEqual(referenceAt(1_599n), [9, 15_000, 1_599n]);
  assert.deepEqual(referenceAt(1_600n), [9, 0, 1_600n]);
});

test("the accumulator counts spacings from the reference in both directions, up to its maximum", () => {
  assert.equal(accumulatorAt(FEE, 9), 21_234);
  assert.equal(accumulatorAt(FEE, 5), 21_234);
  assert.equal(accumulatorAt(FEE, 17), 100_000);
});

test("after a pass that skipped spacings, the next one begins where the price got to", () => {
  const begun: Volatility = { fee: FEE, index: 7, tickSpacing: 60 };
  const after = (reachedTick: number, zeroForOne: boolean) => {
    const { index, fee } = advance(begun, { reachedTick, isSkipping: true, zeroForOne });
    return [index, fee.accumulator];
  };
  assert.deepEqual(after(130, true), [1, 51_234], "2 spacings, 5 from the reference");
  assert.deepEqual(after(130, false), [3, 51_234]);
  assert.deepEqual(after(120, true), [1, 51_234]);
  assert.deepEqual(
    after(120, false),
    [2, 61_234],
    "upwards a boundary belongs to the spacing below it",
  );
  assert.deepEqual(after(-60, false), [-1, 91_234]);
});

test("a pass within one spacing moves to the next one and leaves the accumulator", () => {
  const pass = { reachedTick: 130, isSkipping: false };
  const begun: Volatility = { fee: FEE, index: 7, tickSpacing: 60 };
  assert.deepEqual(advance(begun, { ...pass, zeroForOne: true }), { ...begun, index: 6 });
  assert.deepEqual(advance(begun, { ...pass, zeroForOne: false }), { ...begun, index: 8 });
});

test("a full accumulator stays full for the rest of the swap", () => {
  const fee = { ...FEE, accumulator: FEE.maxAccumulator };
  const begun: Volatility = { fee, index: 30, tickSpacing: 60 };
  const back = advance(begun, { reachedTick: 7 * 60, isSkipping: true, zeroForOne: true });
  assert.deepEqual(back, { fee, index: 6, tickSpacing: 60 });
});
