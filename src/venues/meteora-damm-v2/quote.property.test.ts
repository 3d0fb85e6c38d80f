import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { assertSurvives, mutated, mutation } from "#test/support/pools/hostile-accounts.ts";
import { dammV2Fixture, dammV2State, MINT_A, MINT_B } from "#test/support/pools/meteora-pools.ts";
import { meteoraDammV2 } from "./adapter.ts";

const CLOCK = { slot: 1n, unixTimestamp: 1_790_000_000n, epoch: 925n };
const small = fc.bigInt({ min: 1n, max: 1_000_000_000_000n });
const reserve = fc.bigInt({ min: 1n, max: 1n << 60n });

const pool = fc
  .record({
    liquidityBits: fc.integer({ min: 65, max: 125 }),
    priceBits: fc.integer({ min: 45, max: 85 }),
    offset: fc.bigInt({ min: 0n, max: 1n << 40n }),
    feeNumerator: fc.bigInt({ min: 100_000n, max: 500_000_000n }),
    collectFeeMode: fc.constantFrom("both" as const, "only-b" as const, "compounding" as const),
    compoundingFeeBps: fc.bigInt({ min: 0n, max: 10_000n }),
    reserveA: reserve,
    reserveB: reserve,
  })
  .map((fields) => {
    const base = dammV2State();
    const compounding = fields.collectFeeMode === "compounding";
    const held = (amount: bigint) =>
      compounding
        ? { reserve: amount, vaultAmount: amount * 2n }
        : { reserve: 1n << 61n, vaultAmount: 1n << 62n };
    return dammV2State({
      liquidity: (1n << BigInt(fields.liquidityBits)) + fields.offset,
      sqrtPrice: (1n << BigInt(fields.priceBits)) + fields.offset,
      collectFeeMode: fields.collectFeeMode,
      compoundingFeeBps: compounding ? fields.compoundingFeeBps : 0n,
      tokenA: { ...base.tokenA, ...held(fields.reserveA) },
      tokenB: { ...base.tokenB, ...held(fields.reserveB) },
      baseFee: {
        kind: "time-linear",
        cliffFeeNumerator: fields.feeNumerator,
        periods: 0n,
        periodFrequency: 0n,
        reductionFactor: 0n,
      },
    });
  });

test("a sale pays less than the pool holds, and more in is never less out", () => {
  fc.assert(
    fc.property(pool, fc.boolean(), small, small, (state, isAToB, first, more) => {
      const inputMint = isAToB ? MINT_A : MINT_B;
      const output = isAToB ? state.tokenB : state.tokenA;
      const sell = (amountIn: bigint) =>
        meteoraDammV2.quoteExactIn(state, { inputMint, amountIn, clock: CLOCK });
      const less = sell(first);
      const greater = sell(first + more);
      if (less.kind !== "filled") return;
      assert.ok(less.amountOut < output.reserve);
      if (greater.kind === "filled") assert.ok(greater.amountOut >= less.amountOut);
    }),
    { numRuns: 300 },
  );
});

test("a round trip never profits", () => {
  fc.assert(
    fc.property(pool, fc.boolean(), small, (state, isAToB, amountIn) => {
      const [inputMint, outputMint] = isAToB ? [MINT_A, MINT_B] : [MINT_B, MINT_A];
      const there = meteoraDammV2.quoteExactIn(state, { inputMint, amountIn, clock: CLOCK });
      if (there.kind !== "filled") return;
      const order = { inputMint: outputMint, amountIn: there.amountOut, clock: CLOCK };
      const back = meteoraDammV2.quoteExactIn(there.after, order);
      assert.ok(back.kind === "unfillable" || back.amountOut <= amountIn);
    }),
    { numRuns: 300 },
  );
});

test("what a sale takes out never passes what was reported as reachable", () => {
  fc.assert(
    fc.property(pool, fc.boolean(), small, (state, isAToB, amountIn) => {
      const inputMint = isAToB ? MINT_A : MINT_B;
      const quote = meteoraDammV2.quoteExactIn(state, { inputMint, amountIn, clock: CLOCK });
      if (quote.kind !== "filled") return;
      assert.ok(quote.amountOut <= meteoraDammV2.reachable(state, inputMint, 10_000));
    }),
    { numRuns: 300 },
  );
});

test("any damage to the accounts gives a pool or a reason", () => {
  const fee = { epoch: 900n, maximum: 1n << 40n, feeBps: 100 };
  const dynamicFee = {
    maxVolatilityAccumulator: 14_460_000n,
    variableFeeControl: 956n,
    binStep: 1n,
    filterPeriod: 10n,
    decayPeriod: 120n,
    reductionFactor: 5_000n,
    binStepQ64: 1_844_674_407_370_955n,
    lastUpdateTimestamp: 1_789_999_990n,
    sqrtPriceReference: 1n << 64n,
    volatilityAccumulator: 100_000n,
    volatilityReference: 0n,
  };
  const base = dammV2State({ dynamicFee });
  const state = { ...base, tokenA: { ...base.tokenA, transferFee: { older: fee, newer: fee } } };
  const fixture = dammV2Fixture(state);
  fc.assert(
    fc.property(fc.array(mutation, { minLength: 1, maxLength: 4 }), (mutations) => {
      assertSurvives(meteoraDammV2, fixture.pool, mutated(fixture.accounts, mutations), CLOCK);
    }),
    { numRuns: 500 },
  );
});
