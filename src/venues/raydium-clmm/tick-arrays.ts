import type { Address } from "#src/units/address.ts";
import { findProgramAddress, i32BeSeed } from "#src/units/program-address.ts";
import type { Account } from "../account-set.ts";
import { ByteReader } from "../byte-reader.ts";
import { DerivedAddresses } from "../derived-addresses.ts";
import type { Direction } from "../shared/curves/direction.ts";
import {
  BITMAP_EXTENSION,
  LARGEST_EXTENDED_SPACING,
  POOL_STATE,
  PROGRAM_ID,
  TICK_ARRAY_STATE,
  TICK_STATE,
} from "./layout.ts";
import type { Tick } from "./pool-state.ts";
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

/** The address of the array that starts at `startTick`, whether it exists or not. */
export function tickArrayAddress(pool: Address, startTick: number): Address {
  return tickArrayAddresses.get(pool, startTick);
}

/** The address of the pool's bitmap of far tick arrays, whether it exists or not. */
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
  direction: Direction,
): readonly number[] {
  const isDown = direction === "down";
  const span = ticksPerArray(bitmaps.tickSpacing);
  const last = Math.floor((isDown ? MIN_TICK : MAX_TICK) / span);
  const found: number[] = [];
  let index = Math.floor(tick / span);
  while (found.length < ARRAYS_EACH_WAY && (isDown ? index >= last : index <= last)) {
    const group = index >> 5;
    const word = bitmapWord(bitmaps, group);
    if (word === null) break;
    const place = index & 31;
    let ahead = word & (isDown ? 0xffff_ffff >>> (31 - place) : 0xffff_ffff << place);
    while (ahead !== 0 && found.length < ARRAYS_EACH_WAY) {
      const bit = 31 - Math.clz32(isDown ? ahead : ahead & -ahead);
      ahead &= ~(1 << bit);
      const marked = group * 32 + bit;
      if (isDown ? marked >= last : marked <= last) found.push(marked * span);
    }
    index = isDown ? group * 32 - 1 : (group + 1) * 32;
  }
  return found;
}

/** Thirty-two bits, of the arrays `32 * group` and on, or null if unknown. */
function bitmapWord({ pool, extension }: ArrayBitmaps, group: number): number | null {
  const arrayIndex = group * 32;
  if (arrayIndex >= -OWN_BITMAP_REACH && arrayIndex < OWN_BITMAP_REACH) {
    return pool.u32(ownBitmapByte(arrayIndex));
  }
  return extension === null ? null : extension.u32(extensionByte(arrayIndex));
}

/** The location of an array's bit; arrays are counted in spans from tick zero. */
export function locateBitmapBit(arrayIndex: number): {
  readonly isInPool: boolean;
  readonly byte: number;
  readonly mask: number;
} {
  const isInPool = arrayIndex >= -OWN_BITMAP_REACH && arrayIndex < OWN_BITMAP_REACH;
  const byte = isInPool ? ownBitmapByte(arrayIndex) : extensionByte(arrayIndex);
  return { isInPool, byte, mask: 1 << (arrayIndex & 7) };
}

function ownBitmapByte(arrayIndex: number): number {
  return POOL_STATE.tickArrayBitmap + ((arrayIndex + OWN_BITMAP_REACH) >> 3);
}

/** Below zero, blocks of 512 arrays count away from zero, and the bits inside a block towards it. */
function extensionByte(arrayIndex: number): number {
  if (arrayIndex >= 0) return BITMAP_EXTENSION.positive + ((arrayIndex - OWN_BITMAP_REACH) >> 3);
  const block = -Math.floor(arrayIndex / OWN_BITMAP_REACH) - 2;
  const bit = arrayIndex + (block + 2) * OWN_BITMAP_REACH;
  return BITMAP_EXTENSION.negative + ((block * OWN_BITMAP_REACH + bit) >> 3);
}

/** The reader of the bitmap extension of a pool, named by its 32 bytes, or null if the account is not one. */
export function readBitmapExtension(account: Account, pool: Uint8Array): ByteReader | null {
  const reader = new ByteReader(account.data);
  const isOne =
    account.owner === PROGRAM_ID &&
    reader.length === BITMAP_EXTENSION.length &&
    reader.has(0, BITMAP_EXTENSION.discriminator) &&
    reader.has(BITMAP_EXTENSION.poolId, pool);
  return isOne ? reader : null;
}

/** Which array the bytes must be. */
export type ExpectedArray = {
  /** The pool's address, as its 32 bytes. */
  readonly pool: Uint8Array;
  readonly startTick: number;
  readonly tickSpacing: number;
};

/** Initialised ticks of an array, ascending, or null where the bytes are not this pool's array. */
export function readTickArray(
  account: Account,
  { pool, startTick, tickSpacing }: ExpectedArray,
): readonly Tick[] | null {
  const reader = new ByteReader(account.data);
  const isOne =
    account.owner === PROGRAM_ID &&
    reader.length === TICK_ARRAY_STATE.length &&
    reader.has(0, TICK_ARRAY_STATE.discriminator) &&
    reader.i32(TICK_ARRAY_STATE.startTickIndex) === startTick &&
    reader.has(TICK_ARRAY_STATE.poolId, pool);
  if (!isOne) return null;
  const ticks: Tick[] = [];
  for (let slot = 0; slot < TICK_ARRAY_STATE.ticksPerArray; slot++) {
    const offset = TICK_ARRAY_STATE.ticks + slot * TICK_STATE.length;
    if (isBare(reader, offset)) continue;
    const tick: Tick = {
      tick: reader.i32(offset + TICK_STATE.tick),
      liquidityNet: reader.i128(offset + TICK_STATE.liquidityNet),
      liquidityGross: reader.u128(offset + TICK_STATE.liquidityGross),
      ordersAmount: reader.u64(offset + TICK_STATE.ordersAmount),
      partFilledOrdersRemaining: reader.u64(offset + TICK_STATE.partFilledOrdersRemaining),
    };
    if (tick.tick !== startTick + slot * tickSpacing) return null;
    ticks.push(tick);
  }
  return ticks;
}

/** Whether a tick has neither liquidity nor orders: the program does not stop there. */
function isBare(reader: ByteReader, offset: number): boolean {
  return (
    reader.u64(offset + TICK_STATE.liquidityGross) === 0n &&
    reader.u64(offset + TICK_STATE.liquidityGross + 8) === 0n &&
    reader.u64(offset + TICK_STATE.ordersAmount) === 0n &&
    reader.u64(offset + TICK_STATE.partFilledOrdersRemaining) === 0n
  );
}
