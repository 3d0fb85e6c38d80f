import { type Address, addressBytes } from "#src/units/address.ts";
import { binArrayIndex, lowestBinId } from "./bin-price.ts";
import { BIN, BIN_ARRAY, BIN_ARRAY_BITMAP_SIZE, BITMAP_EXTENSION, LB_PAIR } from "./layout.ts";
import type { Bin, DlmmParameters, DlmmState } from "./state.ts";

/** What a pair is created with, besides its state. */
export type NewPair = {
  readonly parameters: DlmmParameters;
  readonly mintX: Address;
  readonly mintY: Address;
  readonly reserveX: Address;
  readonly reserveY: Address;
  readonly oracle: Address;
};

const PAIR_TYPE_PERMISSIONLESS_V2 = 3;
const FUNCTION_TYPE = { liquidityMining: 1, limitOrder: 2 } as const;

/** Bytes of a new LbPair without its state: `writePairState` adds it. For the demo market and tests. */
export function newPairData(pair: NewPair): Uint8Array {
  const data = new Uint8Array(LB_PAIR.length);
  const view = new DataView(data.buffer);
  const { parameters } = pair;
  data.set(LB_PAIR.discriminator);
  view.setUint16(LB_PAIR.baseFactor, parameters.baseFactor, true);
  view.setUint16(LB_PAIR.filterPeriod, parameters.filterPeriod, true);
  view.setUint16(LB_PAIR.decayPeriod, parameters.decayPeriod, true);
  view.setUint16(LB_PAIR.reductionFactor, parameters.reductionFactorBps, true);
  view.setUint32(LB_PAIR.variableFeeControl, parameters.variableFeeControl, true);
  view.setUint32(LB_PAIR.maxVolatilityAccumulator, parameters.maxVolatilityAccumulator, true);
  view.setUint16(LB_PAIR.protocolShare, parameters.protocolShareBps, true);
  view.setUint8(LB_PAIR.baseFeePowerFactor, parameters.baseFeePowerFactor);
  view.setUint8(
    LB_PAIR.functionType,
    parameters.hasLimitOrders ? FUNCTION_TYPE.limitOrder : FUNCTION_TYPE.liquidityMining,
  );
  view.setUint8(LB_PAIR.collectFeeMode, parameters.collectsOnlyY ? 1 : 0);
  view.setUint8(LB_PAIR.pairType, PAIR_TYPE_PERMISSIONLESS_V2);
  view.setUint16(LB_PAIR.binStep, parameters.binStep, true);
  writeAddress(data, LB_PAIR.tokenXMint, pair.mintX);
  writeAddress(data, LB_PAIR.tokenYMint, pair.mintY);
  writeAddress(data, LB_PAIR.reserveX, pair.reserveX);
  writeAddress(data, LB_PAIR.reserveY, pair.reserveY);
  writeAddress(data, LB_PAIR.oracle, pair.oracle);
  return data;
}

/** What a swap changes in an LbPair. */
export type PairState = Pick<
  DlmmState,
  "isEnabled" | "volatility" | "activeId" | "protocolFeeX" | "protocolFeeY"
>;

/** Overwrites what a swap changes in an LbPair. */
export function writePairState(data: Uint8Array, state: PairState): void {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const { volatility } = state;
  view.setUint8(LB_PAIR.status, state.isEnabled ? 0 : 1);
  view.setUint32(LB_PAIR.volatilityAccumulator, volatility.accumulator, true);
  view.setUint32(LB_PAIR.volatilityReference, volatility.reference, true);
  view.setInt32(LB_PAIR.indexReference, volatility.indexReference, true);
  view.setBigInt64(LB_PAIR.lastUpdateTimestamp, volatility.lastUpdateTimestamp, true);
  view.setInt32(LB_PAIR.activeId, state.activeId, true);
  view.setBigUint64(LB_PAIR.protocolFeeX, state.protocolFeeX, true);
  view.setBigUint64(LB_PAIR.protocolFeeY, state.protocolFeeY, true);
}

/** Bytes of an empty bin array. */
export function newBinArrayData(pair: Address, index: number, version: number): Uint8Array {
  const data = new Uint8Array(BIN_ARRAY.length);
  const view = new DataView(data.buffer);
  data.set(BIN_ARRAY.discriminator);
  view.setBigInt64(BIN_ARRAY.index, BigInt(index), true);
  view.setUint8(BIN_ARRAY.version, version);
  writeAddress(data, BIN_ARRAY.lbPair, pair);
  return data;
}

/** Overwrites amounts, prices and orders of those bins that the array at `index` holds. */
export function writeBins(data: Uint8Array, index: number, bins: readonly Bin[]): void {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  for (const bin of bins) {
    if (binArrayIndex(bin.id) !== index) continue;
    const offset = BIN_ARRAY.bins + (bin.id - lowestBinId(index)) * BIN.length;
    view.setBigUint64(offset + BIN.amountX, bin.amountX, true);
    view.setBigUint64(offset + BIN.amountY, bin.amountY, true);
    view.setBigUint64(offset + BIN.price, BigInt.asUintN(64, bin.price), true);
    view.setBigUint64(offset + BIN.price + 8, bin.price >> 64n, true);
    view.setBigUint64(offset + BIN.openOrderAmount, bin.orders.open, true);
    view.setBigUint64(
      offset + BIN.processedOrderRemainingAmount,
      bin.orders.processedRemaining,
      true,
    );
    view.setUint8(offset + BIN.limitOrderAskSide, bin.orders.isAskSide ? 1 : 0);
  }
}

/** Bytes of a bitmap extension without any bit. */
export function newBitmapExtensionData(pair: Address): Uint8Array {
  const data = new Uint8Array(BITMAP_EXTENSION.length);
  data.set(BITMAP_EXTENSION.discriminator);
  writeAddress(data, BITMAP_EXTENSION.lbPair, pair);
  return data;
}

/** Sets an array's bit, in the pair or, for the far ones, in the extension. */
export function markArray(pair: Uint8Array, extension: Uint8Array | null, index: number): void {
  if (index >= -BIN_ARRAY_BITMAP_SIZE && index < BIN_ARRAY_BITMAP_SIZE) {
    setBit(pair, LB_PAIR.binArrayBitmap, index + BIN_ARRAY_BITMAP_SIZE);
  } else if (extension !== null) {
    const place = index < 0 ? -(index + 1) : index;
    const rows =
      index < 0 ? BITMAP_EXTENSION.negativeBinArrayBitmap : BITMAP_EXTENSION.positiveBinArrayBitmap;
    setBit(extension, rows, place - BIN_ARRAY_BITMAP_SIZE);
  }
}

function setBit(data: Uint8Array, offset: number, bit: number): void {
  const place = offset + (bit >> 3);
  data[place] = (data[place] ?? 0) | (1 << (bit & 7));
}

function writeAddress(data: Uint8Array, offset: number, address: Address): void {
  data.set(addressBytes(address) ?? new Uint8Array(32), offset);
}
