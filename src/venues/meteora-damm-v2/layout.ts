import { address } from "#src/units/address.ts";
import { discriminator } from "../byte-reader.ts";

export const PROGRAM_ID = address("cpamdpZCGKUy5JxQXB4dcpGPiikHawvSWAd6mEn1sGG");
/** Owns every vault. */
export const POOL_AUTHORITY = address("HLnpSz9h2S4hiLQ43rnSD9XkcUThA7B8hQMKmDaiTLcC");

/** Configurations of pools that graduate from Meteora's bonding curve: 25 to 600 bps, then custom. */
export const GRADUATION_CONFIGS = [
  address("7F6dnUcRuyM2TwR8myT1dYypFXpPSxqwKNSFNkxyNESd"),
  address("2nHK1kju6XjphBLbNxpM5XRGFj7p9U8vvNzyZiha1z6k"),
  address("Hv8Lmzmnju6m7kcokVKvwqz7QPmdX9XfKjJsXz8RXcjp"),
  address("2c4cYd4reUYVRAB9kUUkrq55VPyy2FNQ3FDL4o12JXmq"),
  address("AkmQWebAwFvWk55wBoCr5D62C6VVDTzi84NJuD9H7cFD"),
  address("DbCRBj8McvPYHJG1ukj8RE15h2dCNUdTAESG49XpQ44u"),
  address("A8gMrEPJkacWkcb3DGwtJwTe16HktSEfvwtuDh2MCtck"),
] as const;

/** DAMM v1 and PumpSwap pools carry the same eight bytes: the owner decides. */
export const POOL_DISCRIMINATOR = discriminator("f19a6d0411b16dbc");
export const POOL_LENGTH = 1112;
/** Offsets in Pool; names are the program's own. */
export const POOL = {
  cliffFeeNumerator: 8,
  baseFeeMode: 16,
  /** Two bytes, then three words, whose meaning the base fee mode decides. */
  baseFeeFirst: 22,
  baseFeeSecond: 24,
  baseFeeSecondHigh: 28,
  baseFeeThird: 32,
  protocolFeePercent: 48,
  referralFeePercent: 50,
  compoundingFeeBps: 54,
  dynamicFeeInitialized: 56,
  maxVolatilityAccumulator: 64,
  variableFeeControl: 68,
  binStep: 72,
  filterPeriod: 74,
  decayPeriod: 76,
  reductionFactor: 78,
  lastUpdateTimestamp: 80,
  binStepU128: 88,
  sqrtPriceReference: 104,
  volatilityAccumulator: 120,
  volatilityReference: 136,
  initSqrtPrice: 152,
  tokenAMint: 168,
  tokenBMint: 200,
  tokenAVault: 232,
  tokenBVault: 264,
  whitelistedVault: 296,
  liquidity: 360,
  protocolAFee: 392,
  protocolBFee: 400,
  sqrtMinPrice: 424,
  sqrtMaxPrice: 440,
  sqrtPrice: 456,
  activationPoint: 472,
  activationType: 480,
  poolStatus: 481,
  tokenAFlag: 482,
  tokenBFlag: 483,
  collectFeeMode: 484,
  poolType: 485,
  feeVersion: 486,
  creator: 648,
  tokenAAmount: 680,
  tokenBAmount: 688,
  layoutVersion: 696,
} as const;

export const POSITION_DISCRIMINATOR = discriminator("aabc8fe47a40f7d0");
export const POSITION_LENGTH = 408;
/** Offsets in Position. */
export const POSITION = {
  pool: 8,
  nftMint: 40,
  unlockedLiquidity: 152,
  vestedLiquidity: 168,
  permanentLockedLiquidity: 184,
  innerVesting: 312,
} as const;

export const VESTING_DISCRIMINATOR = discriminator("6495428a5fc880f1");
export const VESTING_LENGTH = 184;
/** Offsets in Vesting, a separate account. */
export const VESTING = { position: 8, innerVesting: 40 } as const;
/** Offsets in InnerVesting. */
export const INNER_VESTING = {
  cliffPoint: 0,
  periodFrequency: 8,
  cliffUnlockLiquidity: 16,
  liquidityPerPeriod: 32,
  totalReleasedLiquidity: 48,
  numberOfPeriod: 64,
} as const;

export const FEE_DENOMINATOR = 1_000_000_000n;
export const BASIS_POINTS = 10_000n;
/** The most that fees can add up to, by fee version. */
export const MAX_FEE_NUMERATORS = [500_000_000n, 990_000_000n] as const;
