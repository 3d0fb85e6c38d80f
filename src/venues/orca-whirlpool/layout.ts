import { type Address, address } from "#src/units/address.ts";
import { discriminator } from "../byte-reader.ts";
import type { VenueId } from "../venue.ts";

/** Byte offsets of the program's accounts, under the program's own field names (README.md). */

/** The program is deployed twice: the same code and account formats, each with its own program id and configuration. */
export type WhirlpoolDeployment = {
  readonly venue: VenueId;
  readonly programId: Address;
  /** Orca's own configuration; anyone may create others, whose pools only a search by mint finds. */
  readonly config: Address;
};

export const UPGRADEABLE: WhirlpoolDeployment = {
  venue: "orca-whirlpool",
  programId: address("whirLbMiicVdio4qvUfM5KAg6Ct8VwpYzGff3uctyCc"),
  config: address("2LecshUwdy9xi7meFgHtFJQNSKk4KdTrcpvaB56dP2NQ"),
};

/** No authority can replace its code. */
export const IMMUTABLE: WhirlpoolDeployment = {
  venue: "orca-whirlpool-immutable",
  programId: address("iwhrLHdsgrvmnwU8GF2FSmyabSMjfHwFGJAX2ufJ3ZN"),
  config: address("8pm8erUsaMpmZ47LttHAPgnDx7xGZUvxY4q47vTCs5Nj"),
};

export const DEPLOYMENTS: readonly WhirlpoolDeployment[] = [UPGRADEABLE, IMMUTABLE];

/** Fee tiers whose index equals the tick spacing; adaptive tiers have indexes of their own. */
export const KNOWN_FEE_TIER_INDEXES = [1, 2, 4, 8, 16, 64, 96, 128, 256, 32_896] as const;

export const WHIRLPOOL = {
  discriminator: discriminator("3f95d10ce1806309"),
  length: 653,
  whirlpoolsConfig: 8,
  bump: 40,
  tickSpacing: 41,
  feeTierIndexSeed: 43,
  feeRate: 45,
  protocolFeeRate: 47,
  liquidity: 49,
  sqrtPrice: 65,
  tickCurrentIndex: 81,
  protocolFeeOwedA: 85,
  protocolFeeOwedB: 93,
  tokenMintA: 101,
  tokenVaultA: 133,
  feeGrowthGlobalA: 165,
  tokenMintB: 181,
  tokenVaultB: 213,
  feeGrowthGlobalB: 245,
  rewardLastUpdatedTimestamp: 261,
} as const;

export const TICKS_PER_ARRAY = 88;

export const FIXED_TICK_ARRAY = {
  discriminator: discriminator("4561bdbe6e0742bb"),
  length: 9988,
  startTickIndex: 8,
  ticks: 12,
  whirlpool: 9956,
} as const;

/** Offsets from the start of one of a fixed array's ticks. */
export const FIXED_TICK = {
  length: 113,
  initialized: 0,
  liquidityNet: 1,
  liquidityGross: 17,
} as const;

export const DYNAMIC_TICK_ARRAY = {
  discriminator: discriminator("11d8f68ee1c7da38"),
  startTickIndex: 8,
  whirlpool: 12,
  tickBitmap: 44,
  ticks: 60,
} as const;

/** A dynamic array's tick is one byte 0, or a byte 1 and these. */
export const DYNAMIC_TICK = {
  length: 113,
  absentLength: 1,
  liquidityNet: 1,
  liquidityGross: 17,
} as const;

export const ORACLE = {
  discriminator: discriminator("8bc283b38cb3e5f4"),
  length: 254,
  whirlpool: 8,
  tradeEnableTimestamp: 40,
  filterPeriod: 48,
  decayPeriod: 50,
  reductionFactor: 52,
  adaptiveFeeControlFactor: 54,
  maxVolatilityAccumulator: 58,
  tickGroupSize: 62,
  majorSwapThresholdTicks: 64,
  lastReferenceUpdateTimestamp: 82,
  lastMajorSwapTimestamp: 90,
  volatilityReference: 98,
  tickGroupIndexReference: 102,
  volatilityAccumulator: 106,
} as const;

/** Offsets in a deployment's Position account; its other fields are fees and rewards. */
export function positionLayout(programId: Address) {
  return {
    programId,
    discriminator: discriminator("aabc8fe47a40f7d0"),
    length: 216,
    pool: 8,
    token: 40,
    liquidity: 72,
    lower: 88,
    upper: 92,
  } as const;
}
