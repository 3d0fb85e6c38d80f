import { address } from "#src/units/address.ts";
import { discriminator } from "../byte-reader.ts";

/** Byte offsets of the program's accounts, under the program's own field names (README.md). */

export const PROGRAM_ID = address("CAMMCzo5YL8w4VFF8KVHrK22GGUsp5VTaW7grrKgrWqK");

export const POOL_STATE = {
  discriminator: discriminator("f7ede3f5d7c3de46"),
  length: 1544,
  bump: 8,
  ammConfig: 9,
  owner: 41,
  tokenMint0: 73,
  tokenMint1: 105,
  tokenVault0: 137,
  tokenVault1: 169,
  observationKey: 201,
  mintDecimals0: 233,
  mintDecimals1: 234,
  tickSpacing: 235,
  liquidity: 237,
  sqrtPriceX64: 253,
  tickCurrent: 269,
  feeGrowthGlobal0: 277,
  feeGrowthGlobal1: 293,
  protocolFeesToken0: 309,
  protocolFeesToken1: 317,
  status: 389,
  feeOn: 390,
  rewardInfos: 397,
  tickArrayBitmap: 904,
  fundFeesToken0: 1064,
  fundFeesToken1: 1072,
  openTime: 1080,
  recentEpoch: 1088,
  dynamicFeeInfo: 1096,
} as const;

/** Bit of `status` that stops swaps. */
export const STATUS_SWAP_DISABLED = 1 << 4;

/** Offsets from the start of `dynamicFeeInfo`; all zero where the pool has a static fee. */
export const DYNAMIC_FEE_INFO = {
  length: 80,
  filterPeriod: 0,
  decayPeriod: 2,
  reductionFactor: 4,
  dynamicFeeControl: 6,
  maxVolatilityAccumulator: 10,
  tickSpacingIndexReference: 14,
  volatilityReference: 18,
  volatilityAccumulator: 22,
  lastUpdateTimestamp: 26,
} as const;

/** Offsets from the start of one of the pool's rewards; all zero where there is none. */
export const REWARD_INFO = {
  length: 169,
  openTime: 1,
  lastUpdateTime: 17,
  perPool: 3,
} as const;

export const AMM_CONFIG = {
  discriminator: discriminator("daf42168cbcb2b6f"),
  length: 117,
  bump: 8,
  index: 9,
  owner: 11,
  protocolFeeRate: 43,
  tradeFeeRate: 47,
  tickSpacing: 51,
  fundFeeRate: 53,
  fundOwner: 61,
} as const;

export const TICK_ARRAY_STATE = {
  discriminator: discriminator("c09b55cd31f9812a"),
  length: 10_240,
  poolId: 8,
  startTickIndex: 40,
  ticks: 44,
  ticksPerArray: 60,
  initializedTickCount: 10_124,
} as const;

/** Offsets from the start of one of the array's ticks. */
export const TICK_STATE = {
  length: 168,
  tick: 0,
  liquidityNet: 4,
  liquidityGross: 20,
  ordersAmount: 124,
  partFilledOrdersRemaining: 132,
} as const;

export const BITMAP_EXTENSION = {
  discriminator: discriminator("3c9624db61808b99"),
  length: 1832,
  poolId: 8,
  positive: 40,
  negative: 936,
} as const;

/** The largest tick spacing at which the pool's own bitmap does not span the whole tick range. */
export const LARGEST_EXTENDED_SPACING = 14;

/** Configurations whose pools have derived addresses; further ones exist. */
export const KNOWN_CONFIGS = [
  "4BLNHtVe942GSs4teSZqGX24xwKNkqU7bGgNn3iUiUpw",
  "E64NGkDLLCdQ2yFNPcavaKptrEgmiQaNykUuLC1Qgwyp",
  "HfERMT5DRA6C1TAqecrJQFpmkf3wsWTMncqnj3RDg5aw",
  "A1BBtTYJd4i3xU8D6Tc2FzU6ZN4oXZWXKZnCxwbHXr8x",
  "9iFER3bpjf1PTTCQCfTRu17EJgvsxo9pVyA9QWwEuX4x",
  "3XCQJQryqpDvvZBfGxR7CLAw5dpGJ9aa7kt1jRLdyxuZ",
  "3h2e43PunVA5K34vwKCLHWhZF4aZpyaC9RmxvshGAQpL",
  "Gex2NJRS3jVLPfbzSFM5d5DRsNoL5ynnwT1TXoDEhanz",
].map(address);

/** PersonalPositionState; the rest is fees and rewards. */
export const PERSONAL_POSITION = {
  programId: PROGRAM_ID,
  discriminator: discriminator("466f967ee60f1975"),
  length: 281,
  token: 9,
  pool: 41,
  lower: 73,
  upper: 77,
  liquidity: 81,
} as const;
