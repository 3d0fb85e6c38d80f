import type { Address } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import type { DbcConfig } from "#src/venues/meteora-dbc/state.ts";

const Q128 = 1n << 128n;

/** What a launch in SOL raises, and where its price starts, bends and ends; square roots in Q64.64. */
const SOL_LAUNCH = {
  raised: [30_000_000_000n, 55_000_000_000n],
  sqrtPrices: [97_600_000_000_000_000n, 200_000_000_000_000_000n, 373_000_000_000_000_000n],
} as const;
/** The same in a stable of six decimals: 150 units of it for a SOL, a thousandth of the lamports. */
const STABLE_PER_LAMPORT = { numerator: 150n, denominator: 1_000n };
/** About the square root of 0.15, over 10^6. */
const SQRT_STABLE_PER_LAMPORT = 387_298n;

/**
 * The config that the demo's launchpad gives its curves: two stretches, one percent of fee with a
 * dynamic part, and a fifth of the supply left for the graduated pool.
 */
export function launchConfig(quoteMint: Address): DbcConfig {
  const isSol = quoteMint === WSOL;
  const { numerator, denominator } = STABLE_PER_LAMPORT;
  const [first, second] = SOL_LAUNCH.raised.map((lamports) =>
    isSol ? lamports : (lamports * numerator) / denominator,
  ) as [bigint, bigint];
  const [start, bend, end] = SOL_LAUNCH.sqrtPrices.map((price) =>
    isSol ? price : (price * SQRT_STABLE_PER_LAMPORT) / 1_000_000n,
  ) as [bigint, bigint, bigint];
  return {
    quoteMint,
    baseFee: {
      kind: "linear",
      cliffNumerator: 10_000_000n,
      periods: 0,
      periodLength: 0n,
      reduction: 0n,
    },
    dynamicFee: {
      maxVolatilityAccumulator: 14_460_000,
      variableFeeControl: 956,
      binStep: 1,
      binStepQ64: 1_844_674_407_370_955n,
      filterPeriod: 10,
      decayPeriod: 120,
      reductionFactorBps: 5_000,
    },
    collects: "quote",
    countsBy: "time",
    creatorTradingFeePercent: 50,
    migrationQuoteThreshold: first + second,
    migrationBaseThreshold: 200_000_000_000_000n,
    migrationSqrtPrice: end,
    vestingAmount: 0n,
    sqrtStartPrice: start,
    curve: [
      { sqrtPrice: bend, liquidity: liquidityFor(first, start, bend) },
      { sqrtPrice: end, liquidity: liquidityFor(second, bend, end) },
    ],
  };
}

/** Liquidity with which a stretch takes in at least `quote` units. */
function liquidityFor(quote: bigint, lower: bigint, upper: bigint): bigint {
  return (quote * Q128) / (upper - lower) + 1n;
}
