import assert from "node:assert/strict";
import { test } from "node:test";
import { Q64 } from "#src/units/integer.ts";
import { dammV2State } from "#test/support/pools/meteora-pools.ts";
import type { BaseFee, DynamicFee } from "./decode.ts";
import { dynamicFeeAfter, type FeeContext, splitFee, tradeFeeNumerator } from "./fees.ts";
import { statusAt } from "./quote.ts";

const DYNAMIC_FEE: DynamicFee = {
  maxVolatilityAccumulator: 100_000n,
  variableFeeControl: 956n,
  binStep: 2n,
  filterPeriod: 10n,
  decayPeriod: 120n,
  reductionFactor: 5_000n,
  binStepQ64: Q64 / 10_000n,
  lastUpdateTimestamp: 1_000n,
  sqrtPriceReference: Q64,
  volatilityAccumulator: 30_001n,
  volatilityReference: 7_000n,
};

function numeratorOf(baseFee: BaseFee, order: Partial<FeeContext> = {}): bigint {
  const state = dammV2State({ baseFee, activationPoint: 500n });
  return tradeFeeNumerator(state, { isAToB: false, point: 500n, amountIn: 3_000n, ...order });
}

test("a fee is split from the protocol down, each part rounded down", () => {
  const state = dammV2State({ protocolFeePercent: 20n, compoundingFeeBps: 3_333n });
  assert.deepEqual(splitFee(state, 999n), { protocol: 199n, compounding: 266n, claiming: 534n });
});

test("the variable fee is the square of accumulator and bin step, rounded up", () => {
  const baseFee = { ...dammV2State().baseFee, cliffFeeNumerator: 10_000_000n };
  const state = dammV2State({ baseFee, dynamicFee: DYNAMIC_FEE });
  // 956 * 60,002^2 / 10^11 = 34.4
  const context = { isAToB: true, point: 500n, amountIn: 1n };
  assert.equal(tradeFeeNumerator(state, context), 10_000_035n);
});

test("the references are kept within the filter period, halved within the decay period, then dropped", () => {
  const referencesAt = (unixTimestamp: bigint) => {
    const move = { before: 2n * Q64, after: 2n * Q64, unixTimestamp };
    const after = dynamicFeeAfter(DYNAMIC_FEE, move);
    return [after.sqrtPriceReference / Q64, after.volatilityReference];
  };
  assert.deepEqual(referencesAt(999n), [1n, 7_000n], "the clock is behind the last update");
  assert.deepEqual(referencesAt(1_009n), [1n, 7_000n]);
  assert.deepEqual(referencesAt(1_010n), [2n, 15_000n], "rounded down");
  assert.deepEqual(referencesAt(1_119n), [2n, 15_000n]);
  assert.deepEqual(referencesAt(1_120n), [2n, 0n]);
});

test("the accumulator counts two for each whole bin between the roots, rounded down, up to its maximum", () => {
  const accumulatorAt = (after: bigint) =>
    dynamicFeeAfter(DYNAMIC_FEE, { before: Q64, after, unixTimestamp: 1_001n })
      .volatilityAccumulator;
  const bin = DYNAMIC_FEE.binStepQ64;
  assert.equal(accumulatorAt(Q64 + 3n * bin - 1n), 47_000n);
  assert.equal(accumulatorAt(Q64 + 3n * bin), 67_000n);
  assert.equal(accumulatorAt(Q64 + 5n * bin), 100_000n);
  // The next root below, seen from which the reference is one unit of its ratio short of a bin.
  const belowOne = (Q64 * Q64) / (Q64 + bin) + 1n;
  assert.equal((Q64 * Q64) / belowOne, Q64 + bin - 1n);
  assert.equal(accumulatorAt(belowOne), 7_000n);
  assert.equal(accumulatorAt(belowOne - 1n), 27_000n);
});

test("only a swap that crosses a bin starts the periods again", () => {
  const updatedAt = (after: bigint) =>
    dynamicFeeAfter(DYNAMIC_FEE, { before: Q64, after, unixTimestamp: 1_001n }).lastUpdateTimestamp;
  assert.equal(updatedAt(Q64 + DYNAMIC_FEE.binStepQ64 - 1n), 1_000n);
  assert.equal(updatedAt(Q64 + DYNAMIC_FEE.binStepQ64), 1_001n);
});

test("a market-cap schedule falls with the root price above the first, until it expires", () => {
  const schedule = {
    kind: "market-cap-linear",
    cliffFeeNumerator: 500_000_000n,
    periods: 10n,
    sqrtPriceStepBps: 100n,
    expiry: 1_000n,
    reductionFactor: 40_000_000n,
  } as const;
  const first = 10_000n << 50n;
  const atPrice = (sqrtPrice: bigint, point = 500n) => {
    const fields = { baseFee: schedule, activationPoint: 500n, sqrtPrice, initSqrtPrice: first };
    const order = { isAToB: true, point, amountIn: 3_000n };
    return tradeFeeNumerator(dammV2State(fields), order) / 1_000_000n;
  };
  assert.equal(atPrice(first / 2n), 500n);
  assert.equal(atPrice(first), 500n);
  assert.equal(atPrice((10_100n << 50n) - 1n), 500n);
  assert.equal(atPrice(10_100n << 50n), 460n);
  assert.equal(atPrice(20_000n << 50n), 100n, "all periods");
  assert.equal(atPrice(first, 1_500n), 500n, "the last point before it expires");
  assert.equal(atPrice(first, 1_501n), 100n);
  assert.equal(atPrice(first, 499n), 100n, "before activation, for the vault that may buy");
});

test("each further reference amount of a young purchase pays one increment more, up to the maximum", () => {
  const limiter = {
    kind: "rate-limiter",
    cliffFeeNumerator: 10_000_000n,
    feeIncrementBps: 100n,
    maxDuration: 50n,
    maxFeeBps: 5_000n,
    referenceAmount: 1_000n,
  } as const;
  assert.deepEqual(
    [1_000n, 1_001n, 3_000n, 49_500n, 50_500n, 51_500n].map((amountIn) =>
      numeratorOf(limiter, { amountIn }),
    ),
    // Fees of 10, 11 (10.02 rounded up), 60, 12,500, 13,000 and 13,500, each over its amount and rounded up.
    [10_000_000n, 10_989_011n, 20_000_000n, 252_525_253n, 257_425_743n, 262_135_923n],
  );
  assert.equal(numeratorOf(limiter, { point: 550n }), 20_000_000n, "the last point");
  for (const order of [{ point: 551n }, { point: 499n }, { isAToB: true }])
    assert.equal(numeratorOf(limiter, order), 10_000_000n);
  const unset = { feeIncrementBps: 0n, maxDuration: 0n, maxFeeBps: 0n, referenceAmount: 0n };
  assert.equal(numeratorOf({ ...limiter, ...unset }), 10_000_000n);
});

test("a pool opens at its activation point", () => {
  const state = dammV2State({ activationPoint: 500n });
  const statusAtSecond = (unixTimestamp: bigint) =>
    statusAt(state, { slot: 1n, unixTimestamp, epoch: 925n });
  assert.equal(statusAtSecond(499n), "not-open-yet");
  assert.equal(statusAtSecond(500n), "open");
});
