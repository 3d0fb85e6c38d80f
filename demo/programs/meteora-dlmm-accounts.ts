import type { Address } from "#src/units/address.ts";
import type { Account } from "#src/venues/account-set.ts";
import { ByteReader } from "#src/venues/byte-reader.ts";
import { binArrayIndex, lowestBinId } from "#src/venues/meteora-dlmm/bin-price.ts";
import { needsExtension } from "#src/venues/meteora-dlmm/bitmap.ts";
import {
  BIN,
  BIN_ARRAY,
  BIN_ARRAY_BITMAP_SIZE,
  BITMAP_EXTENSION,
  DLMM_PROGRAM,
  LB_PAIR,
  ORACLE,
  POSITION,
} from "#src/venues/meteora-dlmm/layout.ts";
import type { Bin, DlmmParameters, DlmmState } from "#src/venues/meteora-dlmm/state.ts";
import { ByteWriter, edited } from "../byte-writer.ts";

const PAIR_TYPE_PERMISSIONLESS_V2 = 3;
const FUNCTION_TYPE = { liquidityMining: 1, limitOrder: 2 } as const;

export type NewPair = {
  readonly parameters: DlmmParameters;
  readonly mintX: Address;
  readonly mintY: Address;
  readonly reserveX: Address;
  readonly reserveY: Address;
  readonly oracle: Address;
  readonly creator: Address;
  /** Indexes of the arrays that exist; their bits are set here or in the extension. */
  readonly arrays: readonly number[];
  readonly slot: bigint;
};

/** What a swap or its operator changes in an LbPair. */
export type PairState = Pick<
  DlmmState,
  "isEnabled" | "volatility" | "activeId" | "protocolFeeX" | "protocolFeeY"
>;

/** An LbPair of the newest kind. */
export function pairAccount(pair: NewPair, state: PairState): Account {
  const writer = new ByteWriter(new Uint8Array(LB_PAIR.length))
    .raw(0, LB_PAIR.discriminator)
    .u8(LB_PAIR.pairType, PAIR_TYPE_PERMISSIONLESS_V2)
    .address(LB_PAIR.tokenXMint, pair.mintX)
    .address(LB_PAIR.tokenYMint, pair.mintY)
    .address(LB_PAIR.reserveX, pair.reserveX)
    .address(LB_PAIR.reserveY, pair.reserveY)
    .address(LB_PAIR.oracle, pair.oracle)
    .address(LB_PAIR.creator, pair.creator);
  writeParameters(writer, pair.parameters);
  writePairState(writer, state);
  for (const index of pair.arrays) {
    if (!needsExtension(index)) {
      setBit(writer.bytes, LB_PAIR.binArrayBitmap, index + BIN_ARRAY_BITMAP_SIZE);
    }
  }
  return { owner: DLMM_PROGRAM, lamports: 7_182_720n, data: writer.bytes, slot: pair.slot };
}

/** The LbPair after a swap. */
export function changedPair(account: Account, state: PairState, slot: bigint): Account {
  return edited(account, slot, (writer) => writePairState(writer, state));
}

/** The LbPair with other fees. */
export function pairWithParameters(
  account: Account,
  parameters: DlmmParameters,
  slot: bigint,
): Account {
  return edited(account, slot, (writer) => writeParameters(writer, parameters));
}

export type NewBinArray = {
  readonly pair: Address;
  readonly index: number;
  readonly version: number;
  readonly slot: bigint;
};

/** A bin array with those of the bins that lie in it. */
export function binArrayAccount(array: NewBinArray, bins: readonly Bin[]): Account {
  const writer = new ByteWriter(new Uint8Array(BIN_ARRAY.length))
    .raw(0, BIN_ARRAY.discriminator)
    .i64(BIN_ARRAY.index, BigInt(array.index))
    .u8(BIN_ARRAY.version, array.version)
    .address(BIN_ARRAY.lbPair, array.pair);
  writeBins(writer, array.index, bins);
  return { owner: DLMM_PROGRAM, lamports: 71_437_440n, data: writer.bytes, slot: array.slot };
}

/** The bin array with new contents of those of the bins that lie in it; with the same bytes if none does. */
export function changedBinArray(
  account: Account,
  index: number,
  { bins, slot }: { readonly bins: readonly Bin[]; readonly slot: bigint },
): Account {
  if (!bins.some(({ id }) => binArrayIndex(id) === index)) return { ...account, slot };
  return edited(account, slot, (writer) => writeBins(writer, index, bins));
}

/** A bitmap extension with the bits of those arrays that the pair's own bitmap does not cover. */
export function bitmapExtensionAccount(
  pair: Address,
  arrays: readonly number[],
  slot: bigint,
): Account {
  const writer = new ByteWriter(new Uint8Array(BITMAP_EXTENSION.length))
    .raw(0, BITMAP_EXTENSION.discriminator)
    .address(BITMAP_EXTENSION.lbPair, pair);
  for (const index of arrays.filter(needsExtension)) {
    const isNegative = index < 0;
    const place = isNegative ? -(index + 1) : index;
    const rows = isNegative
      ? BITMAP_EXTENSION.negativeBinArrayBitmap
      : BITMAP_EXTENSION.positiveBinArrayBitmap;
    setBit(writer.bytes, rows, place - BIN_ARRAY_BITMAP_SIZE);
  }
  return { owner: DLMM_PROGRAM, lamports: 11_859_840n, data: writer.bytes, slot };
}

type BinSupply = Pick<Bin, "id" | "liquiditySupply">;

/** A position over a range of up to 70 bins that has all of their liquidity. */
export function positionAccount(
  {
    pair,
    owner,
    lower,
    upper,
  }: {
    readonly pair: Address;
    readonly owner: Address;
    readonly lower: number;
    /** The bin after the last one. */
    readonly upper: number;
  },
  bins: readonly BinSupply[],
  slot: bigint,
): Account {
  const writer = new ByteWriter(new Uint8Array(POSITION.length))
    .raw(0, POSITION.discriminator)
    .address(POSITION.lbPair, pair)
    .address(POSITION.owner, owner)
    .i32(POSITION.lowerBinId, lower)
    .i32(POSITION.upperBinId, upper - 1);
  writeShares(writer, bins);
  return { owner: DLMM_PROGRAM, lamports: 57_406_080n, data: writer.bytes, slot };
}

/** The position with all of its bins' liquidity as it is now. */
export function changedPosition(
  account: Account,
  bins: readonly BinSupply[],
  slot: bigint,
): Account {
  return edited(account, slot, (writer) => writeShares(writer, bins));
}

function writeShares(writer: ByteWriter, bins: readonly BinSupply[]): void {
  const reader = new ByteReader(writer.bytes);
  const lower = reader.i32(POSITION.lowerBinId);
  const supplies = new Map(bins.map(({ id, liquiditySupply }) => [id, liquiditySupply]));
  for (let place = 0; place < POSITION.ownBins; place++) {
    writer.u128(POSITION.liquidityShares + 16 * place, supplies.get(lower + place) ?? 0n);
  }
}

/** An oracle without observations: no quote reads it. */
export function oracleAccount(slot: bigint): Account {
  const writer = new ByteWriter(new Uint8Array(ORACLE.length)).raw(0, ORACLE.discriminator);
  return { owner: DLMM_PROGRAM, lamports: 23_385_600n, data: writer.bytes, slot };
}

function writeParameters(writer: ByteWriter, parameters: DlmmParameters): void {
  const { liquidityMining, limitOrder } = FUNCTION_TYPE;
  writer
    .u16(LB_PAIR.baseFactor, parameters.baseFactor)
    .u16(LB_PAIR.filterPeriod, parameters.filterPeriod)
    .u16(LB_PAIR.decayPeriod, parameters.decayPeriod)
    .u16(LB_PAIR.reductionFactor, parameters.reductionFactorBps)
    .u32(LB_PAIR.variableFeeControl, parameters.variableFeeControl)
    .u32(LB_PAIR.maxVolatilityAccumulator, parameters.maxVolatilityAccumulator)
    .u16(LB_PAIR.protocolShare, parameters.protocolShareBps)
    .u8(LB_PAIR.baseFeePowerFactor, parameters.baseFeePowerFactor)
    .u8(LB_PAIR.functionType, parameters.hasLimitOrders ? limitOrder : liquidityMining)
    .u8(LB_PAIR.collectFeeMode, parameters.collectsOnlyY ? 1 : 0)
    .u16(LB_PAIR.binStep, parameters.binStep);
}

function writePairState(writer: ByteWriter, state: PairState): void {
  const { volatility } = state;
  writer
    .u8(LB_PAIR.status, state.isEnabled ? 0 : 1)
    .u32(LB_PAIR.volatilityAccumulator, volatility.accumulator)
    .u32(LB_PAIR.volatilityReference, volatility.reference)
    .i32(LB_PAIR.indexReference, volatility.indexReference)
    .i64(LB_PAIR.lastUpdateTimestamp, volatility.lastUpdateTimestamp)
    .i32(LB_PAIR.activeId, state.activeId)
    .u64(LB_PAIR.protocolFeeX, state.protocolFeeX)
    .u64(LB_PAIR.protocolFeeY, state.protocolFeeY);
}

function writeBins(writer: ByteWriter, index: number, bins: readonly Bin[]): void {
  for (const { id, amountX, amountY, liquiditySupply, price, orders } of bins) {
    if (binArrayIndex(id) !== index) continue;
    const offset = BIN_ARRAY.bins + (id - lowestBinId(index)) * BIN.length;
    writer
      .u64(offset + BIN.amountX, amountX)
      .u64(offset + BIN.amountY, amountY)
      .u128(offset + BIN.price, price)
      .u128(offset + BIN.liquiditySupply, liquiditySupply)
      .u64(offset + BIN.openOrderAmount, orders.open)
      .u64(offset + BIN.processedOrderRemainingAmount, orders.processedRemaining)
      .u8(offset + BIN.limitOrderAskSide, orders.isAskSide ? 1 : 0);
  }
}

function setBit(data: Uint8Array, offset: number, bit: number): void {
  const place = offset + (bit >> 3);
  data[place] = (data[place] ?? 0) | (1 << (bit & 7));
}
