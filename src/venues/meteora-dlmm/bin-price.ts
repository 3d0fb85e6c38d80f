import { checkedU128, Q64, U128_MAX } from "#src/units/integer.ts";
import { MathError } from "#src/units/math-error.ts";
import { MAX_BIN_PER_ARRAY } from "./layout.ts";

const EXPONENT_BITS = 19;

/**
 * Price of a bin, Y base units per X base unit, Q64.64: `(1 + binStep / 10,000) ^ id` by the
 * program's own square-and-multiply on the inverse, each product rounded down.
 *
 * A bin stores this same number once it was touched; an untouched bin stores 0 and is computed.
 *
 * @param binStep basis points, 1 .. 400 on chain
 * @throws MathError where the program finds the price out of range
 * @see commons/src/math/{price_math,u64x64_math}.rs in the source named in this folder's README
 */
export function binPrice(id: number, binStep: number): bigint {
  if (id === 0) return Q64;
  const exponent = Math.abs(id);
  if (exponent >= 1 << EXPONENT_BITS) throw new MathError("overflow", { what: "bin id", id });
  const base = Q64 + (BigInt(binStep) << 64n) / 10_000n;
  let squared = U128_MAX / base;
  let result = Q64;
  for (let bit = 0; bit < EXPONENT_BITS; bit++) {
    if (bit > 0) squared = checkedU128(squared * squared, "squared base") >> 64n;
    if ((exponent & (1 << bit)) !== 0) {
      result = checkedU128(result * squared, "bin price") >> 64n;
    }
  }
  if (result === 0n) throw new MathError("underflow", { what: "bin price", id });
  return id > 0 ? U128_MAX / result : result;
}

/** Index of the array that holds a bin: `floor(id / 70)`, for negative ids too. */
export function binArrayIndex(binId: number): number {
  return Math.floor(binId / MAX_BIN_PER_ARRAY);
}

/** Lowest bin id of an array. */
export function lowestBinId(arrayIndex: number): number {
  return arrayIndex * MAX_BIN_PER_ARRAY;
}

/** Highest bin id of an array. */
export function highestBinId(arrayIndex: number): number {
  return arrayIndex * MAX_BIN_PER_ARRAY + MAX_BIN_PER_ARRAY - 1;
}
