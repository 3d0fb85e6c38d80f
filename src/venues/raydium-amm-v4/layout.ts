import { address } from "#src/units/address.ts";

export const PROGRAM_ID = address("675kPX9MHTjS2zt1qfr1NYHuzeLXfQM9H24wFSUt1Mp8");
/** Signs for every pool; owns every vault. */
export const AUTHORITY = address("5Q544fKrFoe6tsEbD7S8EmxGTJYAKtTVhAW5Q5pge4j1");

/** Pools carry no discriminator: owner and length are all there is. */
export const POOL_LENGTH = 752;
/** Offsets in AmmInfo; names are the program's own. */
export const POOL = {
  status: 0,
  nonce: 8,
  orderNum: 16,
  depth: 24,
  coinDecimals: 32,
  pcDecimals: 40,
  state: 48,
  resetFlag: 56,
  minSize: 64,
  volMaxCutRatio: 72,
  amountWave: 80,
  coinLotSize: 88,
  pcLotSize: 96,
  minPriceMultiplier: 104,
  maxPriceMultiplier: 112,
  sysDecimalValue: 120,
  minSeparateNumerator: 128,
  minSeparateDenominator: 136,
  tradeFeeNumerator: 144,
  tradeFeeDenominator: 152,
  pnlNumerator: 160,
  pnlDenominator: 168,
  swapFeeNumerator: 176,
  swapFeeDenominator: 184,
  needTakePnlCoin: 192,
  needTakePnlPc: 200,
  poolOpenTime: 224,
  coinVault: 336,
  pcVault: 368,
  coinVaultMint: 400,
  pcVaultMint: 432,
  lpMint: 464,
  openOrders: 496,
  market: 528,
  marketProgram: 560,
  targetOrders: 592,
  ammOwner: 688,
  lpAmount: 720,
  recentEpoch: 736,
} as const;

/** AmmStatus, in the order of its numbers. */
export const STATUSES = [
  "uninitialized",
  "initialized",
  "disabled",
  "withdraw-only",
  "liquidity-only",
  "order-book-only",
  "swap-only",
  "waiting-trade",
] as const;
export type AmmStatus = (typeof STATUSES)[number];
