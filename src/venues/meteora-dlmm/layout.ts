import { address } from "#src/units/address.ts";
import { discriminator } from "../byte-reader.ts";

/** The program lb_clmm. */
export const DLMM_PROGRAM = address("LBUZKhRxPF3XUpBCjp4YzTKgLccjZhTSDM9YuVaPwxo");
/** "ILM base": the seed of the pairs that launch pools make. */
export const ILM_BASE = address("MFGQxwAmB91SwuYX36okv2Qmdc9aMuHTwWGUrp4AtB1");

/** Byte offsets of LbPair, field names as in the program's IDL. */
export const LB_PAIR = {
  discriminator: discriminator("210b3162b565b10d"),
  length: 904,
  baseFactor: 8,
  filterPeriod: 10,
  decayPeriod: 12,
  reductionFactor: 14,
  variableFeeControl: 16,
  maxVolatilityAccumulator: 20,
  minBinId: 24,
  maxBinId: 28,
  protocolShare: 32,
  baseFeePowerFactor: 34,
  functionType: 35,
  collectFeeMode: 36,
  volatilityAccumulator: 40,
  volatilityReference: 44,
  indexReference: 48,
  lastUpdateTimestamp: 56,
  pairType: 75,
  activeId: 76,
  binStep: 80,
  status: 82,
  activationType: 86,
  tokenXMint: 88,
  tokenYMint: 120,
  reserveX: 152,
  reserveY: 184,
  protocolFeeX: 216,
  protocolFeeY: 224,
  rewardMints: [264, 408],
  oracle: 552,
  binArrayBitmap: 584,
  activationPoint: 816,
  creator: 848,
  tokenXProgramFlag: 880,
  tokenYProgramFlag: 881,
  version: 882,
} as const;

/** Byte offsets of BinArray. */
export const BIN_ARRAY = {
  discriminator: discriminator("5c8e5cdc059446b5"),
  length: 10_136,
  index: 8,
  version: 16,
  lbPair: 24,
  bins: 56,
} as const;

/** Byte offsets inside one Bin of a BinArray. */
export const BIN = {
  length: 144,
  amountX: 0,
  amountY: 8,
  price: 16,
  liquiditySupply: 32,
  feeAmountXPerTokenStored: 80,
  feeAmountYPerTokenStored: 96,
  openOrderAmount: 112,
  totalProcessingOrderAmount: 120,
  processedOrderRemainingAmount: 128,
  orderAge: 136,
  limitOrderAskSide: 140,
} as const;

/** Byte offsets of PositionV2. A position over more bins has a record for each further one behind it. */
export const POSITION = {
  discriminator: discriminator("75b0d4c7f5b485b6"),
  length: 8_120,
  lbPair: 8,
  owner: 40,
  liquidityShares: 72,
  lowerBinId: 7_912,
  upperBinId: 7_916,
  lockReleasePoint: 7_992,
  /** Bins whose shares are in the table. */
  ownBins: 70,
  /** Bins of the longest position. */
  maxBins: 1_400,
  extraBinLength: 112,
} as const;

/** Byte offsets of BinArrayBitmapExtension. */
export const BITMAP_EXTENSION = {
  discriminator: discriminator("506f7c7137ed1205"),
  length: 1_576,
  lbPair: 8,
  positiveBinArrayBitmap: 40,
  negativeBinArrayBitmap: 808,
} as const;

/** An Oracle of the length that new pairs get; no quote reads it. */
export const ORACLE = {
  discriminator: discriminator("8bc283b38cb3e5f4"),
  length: 3_232,
} as const;

export const MAX_BIN_PER_ARRAY = 70;
export const MIN_BIN_ID = -443_636;
export const MAX_BIN_ID = 443_636;
/** Array indexes -512 .. 511 have their bit in the pair, the others in the extension. */
export const BIN_ARRAY_BITMAP_SIZE = 512;
export const EXTENSION_BITMAP_ROWS = 12;

/** Newest bin array version that the official SDK knows (`@meteora-ag/dlmm` 1.9.14). */
export const NEWEST_BIN_ARRAY_VERSION = 3;
/** The first version whose order fields a crank or the program has initialised. */
export const FIRST_BIN_ARRAY_VERSION_WITH_ORDERS = 2;
