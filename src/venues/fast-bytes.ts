/**
 * Reads and comparisons of account bytes for the fast paths: no objects, no bounds errors. The
 * reference decoder has already read the same bytes.
 */

const WORD = 2 ** 32;
const TWO_64 = WORD * WORD;

/** Four bytes, little-endian, as an unsigned double. */
export function word(data: Uint8Array, at: number): number {
  return (
    ((data[at] ?? 0) |
      ((data[at + 1] ?? 0) << 8) |
      ((data[at + 2] ?? 0) << 16) |
      ((data[at + 3] ?? 0) << 24)) >>>
    0
  );
}

/** A little-endian u64 as a double: exact below 2^53. The caller has checked that the bytes reach. */
export function u64AsDouble(bytes: Uint8Array, offset: number): number {
  return word(bytes, offset + 4) * WORD + word(bytes, offset);
}

/** A little-endian u128 as a double: rounded twice, so wrong by less than two parts in 2^53. */
export function u128AsDouble(bytes: Uint8Array, offset: number): number {
  return u64AsDouble(bytes, offset + 8) * TWO_64 + u64AsDouble(bytes, offset);
}

/** An unsigned 128-bit integer without its lowest 32 bits; exact below 2^53. */
export function upperWords(data: Uint8Array, at: number): number {
  return (word(data, at + 12) * WORD + word(data, at + 8)) * WORD + word(data, at + 4);
}

/** A signed 128-bit integer without its lowest 32 bits; exact where its magnitude is below 2^53. */
export function signedUpperWords(data: Uint8Array, at: number): number {
  return ((word(data, at + 12) | 0) * WORD + word(data, at + 8)) * WORD + word(data, at + 4);
}

/** Whether two accounts hold the same bytes in [from, to). */
export function hasSameBytes(a: Uint8Array, b: Uint8Array, from: number, to: number): boolean {
  let difference = 0;
  for (let index = from; index < to; index++) difference |= (a[index] ?? 0) ^ (b[index] ?? 0);
  return difference === 0;
}
