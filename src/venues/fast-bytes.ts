/**
 * Reads and comparisons of account bytes for the fast paths: no objects, no bounds errors. The
 * reference decoder has already read the same bytes.
 */

const TWO_32 = 4_294_967_296;
const TWO_64 = TWO_32 * TWO_32;

/** A little-endian u64 as a double: exact below 2^53. The caller has checked that the bytes reach. */
export function u64AsDouble(bytes: Uint8Array, offset: number): number {
  return u32AsDouble(bytes, offset + 4) * TWO_32 + u32AsDouble(bytes, offset);
}

/** A little-endian u128 as a double: rounded twice, so wrong by less than two parts in 2^53. */
export function u128AsDouble(bytes: Uint8Array, offset: number): number {
  return u64AsDouble(bytes, offset + 8) * TWO_64 + u64AsDouble(bytes, offset);
}

function u32AsDouble(bytes: Uint8Array, offset: number): number {
  const b0 = bytes[offset] ?? 0;
  const b1 = bytes[offset + 1] ?? 0;
  const b2 = bytes[offset + 2] ?? 0;
  const b3 = bytes[offset + 3] ?? 0;
  return (b0 | (b1 << 8) | (b2 << 16) | (b3 << 24)) >>> 0;
}

/** Whether two accounts hold the same bytes in [from, to). */
export function hasSameBytes(a: Uint8Array, b: Uint8Array, from: number, to: number): boolean {
  let difference = 0;
  for (let index = from; index < to; index++) difference |= (a[index] ?? 0) ^ (b[index] ?? 0);
  return difference === 0;
}
