import assert from "node:assert/strict";
import { test } from "node:test";
import { Q64 } from "#src/units/integer.ts";
import { type DbcPool, dbcAccounts, POOL } from "#test/support/pools/dbc-pool.ts";
import { meteoraDbc } from "./adapter.ts";
import { type FeeQuery, feeNumerator, referencesAt, volatilityAfter } from "./fees.ts";
import type { BaseFee, DbcConfig, DynamicFee, Volatility } from "./state.ts";

const DYNAMIC_FEE: DynamicFee = {
  maxVolatilityAccumulator: 100_000,
  variableFeeControl: 956,
  binStep: 1,
  binStepQ64: Q64 / 10_000n,
  filterPeriod: 10,
  decayPeriod: 120,
  reductionFactorBps: 5_000,
};

const VOLATILITY: Volatility = {
  lastUpdateTimestamp: 1_000n,
  sqrtPriceReference: Q64,
  accumulator: 30_001n,
  reference: 7_000n,
};

const LIMITER = {
  kind: "rate-limiter",
  cliffNumerator: 10_000_000n,
  incrementBps: 100,
  duration: 50n,
  referenceAmount: 1_000n,
} as const;

/** A config without a dynamic fee. */
function configOf(baseFee: BaseFee): DbcConfig {
  const config: DbcPool["config"] = { baseFee, dynamicFee: null };
  const found = meteoraDbc.decode(POOL, dbcAccounts({ config }));
  assert.ok(found.kind === "pool");
  return found.state.config;
}

test("the reference is kept within the filter period, halved within the decay period, then dropped", () => {
  const referenceAt = (unixTimestamp: bigint) => {
    const after = referencesAt(DYNAMIC_FEE, VOLATILITY, { sqrtPrice: 2n * Q64, unixTimestamp });
    return [after.sqrtPriceReference / Q64, after.reference];
  };
  assert.deepEqual(referenceAt(1_009n), [1n, 7_000n]);
  assert.deepEqual(referenceAt(1_010n), [2n, 15_000n], "rounded down");
  assert.deepEqual(referenceAt(1_119n), [2n, 15_000n]);
  assert.deepEqual(referenceAt(1_120n), [2n, 0n]);
});

test("the accumulator counts two for each whole bin between the roots, rounded down, up to its maximum", () => {
  const accumulatorAt = (sqrtPriceAfter: bigint) => {
    const swap = { sqrtPriceBefore: Q64, sqrtPriceAfter, unixTimestamp: 2_000n };
    return volatilityAfter(DYNAMIC_FEE, VOLATILITY, swap).accumulator;
  };
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
  const updatedAt = (sqrtPriceAfter: bigint) => {
    const swap = { sqrtPriceBefore: Q64, sqrtPriceAfter, unixTimestamp: 2_000n };
    return volatilityAfter(DYNAMIC_FEE, VOLATILITY, swap).lastUpdateTimestamp;
  };
  assert.equal(updatedAt(Q64 + DYNAMIC_FEE.binStepQ64 - 1n), 1_000n);
  assert.equal(updatedAt(Q64 + DYNAMIC_FEE.binStepQ64), 2_000n);
});

test("each further reference amount of a young purchase pays one increment more, up to 99 %", () => {
  const config = configOf(LIMITER);
  const numeratorOf = (query: Partial<FeeQuery>) =>
    feeNumerator(config, VOLATILITY, {
      ...{ point: 500n, activationPoint: 500n, isBuy: true, amountIn: 3_000n },
      ...query,
    });
  const byAmount = [1_000n, 1_001n, 3_000n, 98_500n, 99_500n, 100_500n];
  assert.deepEqual(
    byAmount.map((amountIn) => numeratorOf({ amountIn })),
    // Fees of 10, 11 (10.02 rounded up), 60, 49,005, 49,995 and 50,985, each over its amount and rounded up.
    [10_000_000n, 10_989_011n, 20_000_000n, 497_512_691n, 502_462_312n, 507_313_433n],
  );
  assert.equal(numeratorOf({ point: 550n }), 20_000_000n, "the last point of its duration");
  assert.equal(numeratorOf({ point: 551n }), 10_000_000n);
  assert.equal(numeratorOf({ isBuy: false }), 10_000_000n);
});

test("a limiter without parameters is off", () => {
  const off = { ...LIMITER, incrementBps: 0, duration: 0n, referenceAmount: 0n };
  const query = { point: 500n, activationPoint: 500n, isBuy: true, amountIn: 3_000n };
  assert.equal(feeNumerator(configOf(off), VOLATILITY, query), 10_000_000n);
});
