import { Q64 } from "#src/units/integer.ts";
import { powQ64 } from "../shared/curves/q64-power.ts";
import { MAX_BIN_PER_ARRAY } from "./layout.ts";

/**
 * Price of a bin, Y base units per X base unit, Q64.64: `(1 + binStep / 10,000) ^ id`, rounded as
 * the program's own power is.
 *
 * A bin stores this same number once it was touched; an untouched bin stores 0 and is computed.
 *
 * @param binStep basis points, 1 .. 400 on chain
 * @throws MathError where the program finds the price out of range
 * @see commons/src/math/price_math.rs in the source named in this folder's README
 */
export function binPrice(id: number, binStep: number): bigint {
  return powQ64(Q64 + (BigInt(binStep) << 64n) / 10_000n, id);
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
