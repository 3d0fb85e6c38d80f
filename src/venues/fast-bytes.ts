/**
 * Reads and comparisons of account bytes for the fast paths: no objects, no bounds errors. The
 * reference decoder has already read the same bytes.
 */

const TWO_32 = 4_294_967_296;

/** A little-endian u64 as a double: exact below 2^53, NaN where the bytes end before. */
export function u64AsDouble(bytes: Uint8Array, offset: number): number {
  return u32AsDouble(bytes, offset + 4) * TWO_32 + u32AsDouble(bytes, offset);
}

function u32AsDouble(bytes: Uint8Array, offset: number): number {
  const b0 = bytes[offset];
  const b1 = bytes[offset + 1];
  const b2 = bytes[offset + 2];
  const b3 = bytes[offset + 3];
  if (b0 === undefined || b1 === undefined || b2 === undefined || b3 === undefined) {
    return Number.NaN;
  }
  return (b0 | (b1 << 8) | (b2 << 16) | (b3 << 24)) >>> 0;
}

/** Whether two accounts hold the same bytes in [from, to). */
export function hasSameBytes(a: Uint8Array, b: Uint8Array, from: number, to: number): boolean {
  for (let index = from; index < to; index++) if (a[index] !== b[index]) return false;
  return true;
}

/** A little-endian i128 as a double: exact where it lies within 2^53 of zero, NaN where it is no i64. */
export function i128AsDouble(bytes: Uint8Array, offset: number): number {
  const low = u32AsDouble(bytes, offset);
  const high = u32AsDouble(bytes, offset + 4) | 0;
  const sign = high < 0 ? 255 : 0;
  for (let index = offset + 8; index < offset + 16; index++) {
    if (bytes[index] !== sign) return Number.NaN;
  }
  return high * TWO_32 + low;
}
