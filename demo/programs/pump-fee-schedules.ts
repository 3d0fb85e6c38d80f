import type { FeeConfig, FeeRates, FeeTier } from "#src/venues/shared/pump-fees/fee-config.ts";

const LAMPORTS_PER_SOL = 1_000_000_000n;
const UNITS_PER_USDC = 1_000_000n;

/** The curve's schedule as mainnet had it in September 2026. */
export const CURVE_FEE_CONFIG: FeeConfig = {
  flat: rates(0n, 95n, 30n),
  tiers: [{ threshold: 0n, rates: rates(0n, 95n, 30n) }],
  stableTiers: [{ threshold: 0n, rates: rates(0n, 95n, 30n) }],
  exotic: rates(0n, 95n, 30n),
};

/** From SOL, from USDC, and the creator's rate from there on; the pools' tiers above the first. */
const CREATOR_TIERS: readonly (readonly [bigint, bigint, bigint])[] = [
  [420n, 59_000n, 95n],
  [1_470n, 300_000n, 90n],
  [2_460n, 500_000n, 85n],
  [3_440n, 700_000n, 80n],
  [4_420n, 900_000n, 75n],
  [9_820n, 2_000_000n, 70n],
  [14_740n, 3_000_000n, 65n],
  [19_650n, 4_000_000n, 60n],
  [24_560n, 5_000_000n, 55n],
  [29_470n, 6_000_000n, 50n],
  [34_380n, 7_000_000n, 45n],
  [39_300n, 8_000_000n, 40n],
  [44_210n, 9_000_000n, 35n],
  [49_120n, 10_000_000n, 30n],
  [54_030n, 11_000_000n, 28n],
  [58_940n, 12_000_000n, 25n],
  [63_860n, 13_000_000n, 23n],
  [68_770n, 14_000_000n, 20n],
  [73_681n, 15_000_000n, 18n],
  [78_590n, 16_000_000n, 15n],
  [83_500n, 17_000_000n, 13n],
  [88_400n, 18_000_000n, 10n],
  [93_330n, 19_000_000n, 8n],
  [98_240n, 20_000_000n, 5n],
];

const FIRST_TIER: FeeTier = { threshold: 0n, rates: rates(2n, 93n, 30n) };

/** The pools' schedule as mainnet had it in September 2026. */
export const POOL_FEE_CONFIG: FeeConfig = {
  flat: rates(25n, 5n, 0n),
  tiers: [
    FIRST_TIER,
    ...CREATOR_TIERS.map(([sol, , creatorBps]) => ({
      threshold: sol * LAMPORTS_PER_SOL,
      rates: rates(20n, 5n, creatorBps),
    })),
  ],
  stableTiers: [
    FIRST_TIER,
    ...CREATOR_TIERS.map(([, usdc, creatorBps]) => ({
      threshold: usdc * UNITS_PER_USDC,
      rates: rates(20n, 5n, creatorBps),
    })),
  ],
  exotic: rates(20n, 5n, 5n),
};

function rates(lpBps: bigint, protocolBps: bigint, creatorBps: bigint): FeeRates {
  return { lpBps, protocolBps, creatorBps };
}
