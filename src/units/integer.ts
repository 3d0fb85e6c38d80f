import { MathError } from "./math-error.ts";

export const U64_MAX = (1n << 64n) - 1n;
export const U128_MAX = (1n << 128n) - 1n;
export const Q64 = 1n << 64n;

/** `floor(a / b)` for non-negative a and positive b. @throws MathError when b is zero */
export function divFloor(a: bigint, b: bigint): bigint {
  if (b === 0n) throw new MathError("division-by-zero");
  return a / b;
}

/** `ceil(a / b)` for non-negative a and positive b. @throws MathError when b is zero */
export function divCeil(a: bigint, b: bigint): bigint {
  if (b === 0n) throw new MathError("division-by-zero");
  return (a + b - 1n) / b;
}

/** `floor(a * b / d)`, with a product of any width, for non-negative a, b and positive d. */
export function mulDivFloor(a: bigint, b: bigint, d: bigint): bigint {
  return divFloor(a * b, d);
}

/** `ceil(a * b / d)`, with a product of any width, for non-negative a, b and positive d. */
export function mulDivCeil(a: bigint, b: bigint, d: bigint): bigint {
  return divCeil(a * b, d);
}

/** The value itself where it fits an unsigned 64-bit integer. @throws MathError where it does not */
export function checkedU64(value: bigint, what = "u64"): bigint {
  if (value < 0n) throw new MathError("underflow", { what, value });
  if (value > U64_MAX) throw new MathError("overflow", { what, value });
  return value;
}

/** The value itself where it fits an unsigned 128-bit integer. @throws MathError where it does not */
export function checkedU128(value: bigint, what = "u128"): bigint {
  if (value < 0n) throw new MathError("underflow", { what, value });
  if (value > U128_MAX) throw new MathError("overflow", { what, value });
  return value;
}

export function minBigint(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

export function maxBigint(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

/** Sorts ascending; with its arguments exchanged, descending. */
export function compareBigints(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
