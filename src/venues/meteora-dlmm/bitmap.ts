import type { ByteReader } from "../byte-reader.ts";
import type { Direction } from "../shared/curves/direction.ts";
import {
  BIN_ARRAY_BITMAP_SIZE,
  BITMAP_EXTENSION,
  EXTENSION_BITMAP_ROWS,
  LB_PAIR,
} from "./layout.ts";

const ROW_BYTES = BIN_ARRAY_BITMAP_SIZE / 8;
const LOWEST_INDEX = -BIN_ARRAY_BITMAP_SIZE * (EXTENSION_BITMAP_ROWS + 1);
const HIGHEST_INDEX = -LOWEST_INDEX - 1;

/** Which way a swap walks: X is sold down the ids, Y is sold up. */
/** The bits of a pair and, where it has one, of its extension. */
export type Bitmap = { readonly pair: ByteReader; readonly extension: ByteReader | null };

/** Whether an array index lies outside what the pair's own bitmap covers. */
export function needsExtension(arrayIndex: number): boolean {
  return arrayIndex < -BIN_ARRAY_BITMAP_SIZE || arrayIndex >= BIN_ARRAY_BITMAP_SIZE;
}

/**
 * Indexes of the first `count` arrays at or beyond `start` whose bit is set, in walking order: the
 * arrays that a swap in that direction visits. Fewer where the bitmap has no more, and none beyond an
 * index that needs an extension which the pair does not have: the program stops there (6036).
 */
export function markedArrays(
  bitmap: Bitmap,
  start: number,
  direction: Direction,
  count: number,
): readonly number[] {
  const found: number[] = [];
  const step = direction === "down" ? -1 : 1;
  let index = start;
  while (found.length < count && index >= LOWEST_INDEX && index <= HIGHEST_INDEX) {
    if (needsExtension(index) && bitmap.extension === null) break;
    const byte = bitmapByte(bitmap, index);
    if (byte.bits === 0) {
      // Nothing in this byte: go on behind its last bit in the walking direction.
      index += step * ((byte.bitsFall === (direction === "down") ? 7 - byte.bit : byte.bit) + 1);
      continue;
    }
    if ((byte.bits & (1 << byte.bit)) !== 0) found.push(index);
    index += step;
  }
  return found;
}

/** The byte with an index's bit, and whether higher bits of it stand for lower indexes. */
function bitmapByte({ pair, extension }: Bitmap, index: number) {
  if (!needsExtension(index)) {
    const bit = index + BIN_ARRAY_BITMAP_SIZE;
    return { bits: pair.u8(LB_PAIR.binArrayBitmap + (bit >> 3)), bit: bit & 7, bitsFall: false };
  }
  const isNegative = index < 0;
  const place = isNegative ? -(index + 1) : index;
  const row = Math.floor(place / BIN_ARRAY_BITMAP_SIZE) - 1;
  const bit = place % BIN_ARRAY_BITMAP_SIZE;
  const rows = isNegative
    ? BITMAP_EXTENSION.negativeBinArrayBitmap
    : BITMAP_EXTENSION.positiveBinArrayBitmap;
  const bits = extension?.u8(rows + row * ROW_BYTES + (bit >> 3)) ?? 0;
  return { bits, bit: bit & 7, bitsFall: isNegative };
}
