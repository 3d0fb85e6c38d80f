import type { Address } from "#src/units/address.ts";
import { findProgramAddress, i32BeSeed } from "#src/units/program-address.ts";
import type { Account } from "../account-set.ts";
import { ByteReader } from "../byte-reader.ts";
import { DerivedAddresses } from "../derived-addresses.ts";
import {
  BITMAP_EXTENSION,
  LARGEST_EXTENDED_SPACING,
  POOL_STATE,
  PROGRAM_ID,
  TICK_ARRAY_STATE,
  TICK_STATE,
} from "./layout.ts";
import { isInitialized, type Tick } from "./pool-state.ts";
import { MAX_TICK, MIN_TICK } from "./tick-math.ts";

/**
 * Marked tick arrays that a sale may reach in either direction, the one around the price included.
 * A transaction has room for some forty beside the swap's other accounts, but each costs it compute;
 * twelve whole arrays are 720 ticks, more than one transaction can cross.
 */
export const ARRAYS_EACH_WAY = 12;

/** Arrays that the pool's own bitmap holds on either side of zero. */
const OWN_BITMAP_REACH = 512;

const tickArrayAddresses = new DerivedAddresses(65_536, (pool, startTick) =>
  findProgramAddress(["tick_array", { address: pool }, i32BeSeed(startTick)], PROGRAM_ID),
);
const extensionAddresses = new DerivedAddresses(16_384, (pool) =>
  findProgramAddress(["pool_tick_array_bitmap_extension", { address: pool }], PROGRAM_ID),
);

/** Where the array that starts at `startTick` stands, whether it exists or not. */
export function tickArrayAddress(pool: Address, startTick: number): Address {
  return tickArrayAddresses.get(pool, startTick);
}

/** Where the pool's bitmap of far tick arrays stands, whether it exists or not. */
export function bitmapExtensionAddress(pool: Address): Address {
  return extensionAddresses.get(pool, 0);
}

/** Whether arrays beyond the pool's own bitmap exist at this spacing. */
export function hasBitmapExtension(tickSpacing: number): boolean {
  return tickSpacing <= LARGEST_EXTENDED_SPACING;
}

/** Ticks from one array's start to the next one's. */
export function ticksPerArray(tickSpacing: number): number {
  return TICK_ARRAY_STATE.ticksPerArray * tickSpacing;
}

/** Which tick arrays of a pool exist: a bit each, in the pool and in its extension. */
export type ArrayBitmaps = {
  readonly pool: ByteReader;
  /** Null where it does not exist or was not delivered: nothing beyond the pool's own is known. */
  readonly extension: ByteReader | null;
  readonly tickSpacing: number;
};

/**
 * Start ticks of the marked arrays from the one around `tick` on, in the direction of the price,
 * nearest first, at most `ARRAYS_EACH_WAY`.
 */
export function markedArrays(
  bitmaps: ArrayBitmaps,
  tick: number,
  zeroForOne: boolean,
): readonly number[] {
  const span = ticksPerArray(bitmaps.tickSpacing);
  const last = Math.floor((zeroForOne ? MIN_TICK : MAX_TICK) / span);
  const found: number[] = [];
  let index = Math.floor(tick / span);
  while (found.length < ARRAYS_EACH_WAY && (zeroForOne ? index >= last : index <= last)) {
    const byte = bitmapByte(bitmaps, index >> 3);
    if (byte === null) break;
    if (byte === 0) {
      index = zeroForOne ? (index >> 3) * 8 - 1 : ((index >> 3) + 1) * 8;
      continue;
    }
    if ((byte & (1 << (index & 7))) !== 0) found.push(index * span);
    index += zeroForOne ? -1 : 1;
  }
  return found;
}

/** Eight bits, of the arrays `8 * group` to `8 * group + 7`, or null where nobody knows. */
function bitmapByte(bitmaps: ArrayBitmaps, group: number): number | null {
  const { isInPool, byte } = locateBitmapBit(group * 8);
  if (isInPool) return bitmaps.pool.u8(byte);
  return bitmaps.extension === null ? null : bitmaps.extension.u8(byte);
}

/** Where the bit of an array stands; arrays are counted in spans from tick zero, the range's end at most. */
export function locateBitmapBit(arrayIndex: number): {
  readonly isInPool: boolean;
  readonly byte: number;
  readonly mask: number;
} {
  const mask = 1 << (arrayIndex & 7);
  if (arrayIndex >= -OWN_BITMAP_REACH && arrayIndex < OWN_BITMAP_REACH) {
    const byte = POOL_STATE.tickArrayBitmap + ((arrayIndex + OWN_BITMAP_REACH) >> 3);
    return { isInPool: true, byte, mask };
  }
  if (arrayIndex >= 0) {
    const byte = BITMAP_EXTENSION.positive + ((arrayIndex - OWN_BITMAP_REACH) >> 3);
    return { isInPool: false, byte, mask };
  }
  // Blocks of 512 arrays count away from zero, the bits inside a block towards it.
  const block = -Math.floor(arrayIndex / OWN_BITMAP_REACH) - 2;
  const bit = arrayIndex + (block + 2) * OWN_BITMAP_REACH;
  const byte = BITMAP_EXTENSION.negative + ((block * OWN_BITMAP_REACH + bit) >> 3);
  return { isInPool: false, byte, mask };
}

/** The reader of the pool's bitmap extension, or null where the account is no such thing. */
export function readBitmapExtension(account: Account, pool: Address): ByteReader | null {
  const reader = new ByteReader(account.data);
  const isOne =
    account.owner === PROGRAM_ID &&
    reader.length === BITMAP_EXTENSION.length &&
    reader.has(0, BITMAP_EXTENSION.discriminator) &&
    reader.address(BITMAP_EXTENSION.poolId) === pool;
  return isOne ? reader : null;
}

/** Initialised ticks of an array, ascending, or null where the bytes are not this pool's array. */
export function readTickArray(
  account: Account,
  pool: Address,
  startTick: number,
  tickSpacing: number,
): readonly Tick[] | null {
  const reader = new ByteReader(account.data);
  const isOne =
    account.owner === PROGRAM_ID &&
    reader.length === TICK_ARRAY_STATE.length &&
    reader.has(0, TICK_ARRAY_STATE.discriminator) &&
    reader.i32(TICK_ARRAY_STATE.startTickIndex) === startTick &&
    reader.address(TICK_ARRAY_STATE.poolId) === pool;
  if (!isOne) return null;
  const ticks: Tick[] = [];
  for (let slot = 0; slot < TICK_ARRAY_STATE.ticksPerArray; slot++) {
    const offset = TICK_ARRAY_STATE.ticks + slot * TICK_STATE.length;
    const tick: Tick = {
      tick: reader.i32(offset + TICK_STATE.tick),
      liquidityNet: reader.i128(offset + TICK_STATE.liquidityNet),
      liquidityGross: reader.u128(offset + TICK_STATE.liquidityGross),
      ordersAmount: reader.u64(offset + TICK_STATE.ordersAmount),
      partFilledOrdersRemaining: reader.u64(offset + TICK_STATE.partFilledOrdersRemaining),
    };
    if (!isInitialized(tick)) continue;
    if (tick.tick !== startTick + slot * tickSpacing) return null;
    ticks.push(tick);
  }
  return ticks;
}
