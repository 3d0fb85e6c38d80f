import assert from "node:assert/strict";
import fc from "fast-check";
import { dammV2Fixture, dammV2State, MINT_A, MINT_B } from "#test/support/pools/meteora-pools.ts";
import { testQuoteLaws } from "#test/support/pools/quote-laws.ts";
import { meteoraDammV2 } from "./adapter.ts";

const CLOCK = { slot: 1n, unixTimestamp: 1_790_000_000n, epoch: 925n };
const small = fc.bigInt({ min: 1n, max: 1_000_000_000_000n });
const reserve = fc.bigInt({ min: 1n, max: 1n << 60n });

const states = fc
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

const trades = fc.tuple(states, fc.boolean()).map(([state, isAToB]) => {
  const [inputMint, outputMint] = isAToB ? [MINT_A, MINT_B] : [MINT_B, MINT_A];
  return { state, inputMint, outputMint };
});

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
const damaged = { ...base, tokenA: { ...base.tokenA, transferFee: { older: fee, newer: fee } } };

testQuoteLaws({
  venue: meteoraDammV2,
  clock: CLOCK,
  trades,
  amounts: small,
  numRuns: 300,
  mostOut: ({ state, outputMint }) =>
    (outputMint === MINT_B ? state.tokenB : state.tokenA).reserve - 1n,
  fillsMore: false,
  laws: {
    "what a sale takes out never passes what was reported as reachable"(
      { state, inputMint },
      { amountOut },
    ) {
      assert.ok(amountOut <= meteoraDammV2.reachable(state, inputMint, 10_000));
    },
  },
  pools: fc.constant(dammV2Fixture(damaged)),
});
