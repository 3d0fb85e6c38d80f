import { toNumber } from "#src/units/to-number.ts";

/** 2^32 / log2(sqrt(1.0001)) */
const LOG_BASE_CHANGE = 59_543_866_431_248n;
const LOG_ERROR_LOW = 184_467_440_737_095_516n;
const LOG_ERROR_HIGH = 15_793_534_762_490_258_745n;

/**
 * The two ticks between which the logarithm of a Q64.64 square root price lies; mostly the same one.
 * Raydium CLMM and Orca Whirlpool compute these very integers, with `precisionBits` of 16 and 14.
 */
export function ticksAround(
  sqrtPriceX64: bigint,
  precisionBits: number,
): { readonly low: number; readonly high: number } {
  const mostSignificantBit = sqrtPriceX64.toString(2).length - 1;
  let mantissa =
    mostSignificantBit >= 64
      ? sqrtPriceX64 >> BigInt(mostSignificantBit - 63)
      : sqrtPriceX64 << BigInt(63 - mostSignificantBit);
  let fraction = 0;
  for (let bit = 1; bit <= precisionBits; bit++) {
    mantissa *= mantissa;
    const isTwoOrMore = mantissa >> 127n;
    mantissa >>= 63n + isTwoOrMore;
    if (isTwoOrMore === 1n) fraction += 2 ** (32 - bit);
  }
  const log2X32 = BigInt((mostSignificantBit - 64) * 2 ** 32 + fraction);
  const logX64 = log2X32 * LOG_BASE_CHANGE;
  return {
    low: toNumber((logX64 - LOG_ERROR_LOW) >> 64n),
    high: toNumber((logX64 + LOG_ERROR_HIGH) >> 64n),
  };
}
