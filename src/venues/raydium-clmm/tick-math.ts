import { Q64, U128_MAX } from "#src/units/integer.ts";
import { MathError } from "#src/units/math-error.ts";
import { ticksAround } from "../shared/curves/tick-logarithm.ts";

export const MIN_TICK = -443_636;
export const MAX_TICK = 443_636;
/** Square roots of token1 per token0, Q64.64, at the ends of the tick range. */
export const MIN_SQRT_PRICE_X64 = 4_295_048_016n;
export const MAX_SQRT_PRICE_X64 = 79_226_673_521_066_979_257_578_248_091n;

/** 2^64 * 1.0001^(-2^i / 2): what bit i of a tick multiplies by. The program's own constants. */
const FACTORS = [
  0xfffcb933bd6fb800n,
  0xfff97272373d4000n,
  0xfff2e50f5f657000n,
  0xffe5caca7e10f000n,
  0xffcb9843d60f7000n,
  0xff973b41fa98e800n,
  0xff2ea16466c9b000n,
  0xfe5dee046a9a3800n,
  0xfcbe86c7900bb000n,
  0xf987a7253ac65800n,
  0xf3392b0822bb6000n,
  0xe7159475a2caf000n,
  0xd097f3bdfd2f2000n,
  0xa9f746462d9f8000n,
  0x70d869a156f31c00n,
  0x31be135f97ed3200n,
  0x9aa508b5b85a500n,
  0x5d6af8dedc582cn,
  0x2216e584f5fan,
] as const;

/**
 * 1.0001^(tick/2) in Q64.64, with the rounding of the program: each factor's product and the final
 * inversion are rounded down.
 *
 * @throws MathError outside the tick range
 * @see get_sqrt_price_at_tick in libraries/tick_math.rs
 */
export function sqrtPriceAtTick(tick: number): bigint {
  if (tick < MIN_TICK || tick > MAX_TICK) {
    throw new MathError("out-of-range", { what: "tick", value: tick });
  }
  let bits = Math.abs(tick);
  let ratio = Q64;
  for (const factor of FACTORS) {
    if ((bits & 1) !== 0) ratio = (ratio * factor) >> 64n;
    bits >>= 1;
    if (bits === 0) break;
  }
  return tick > 0 ? U128_MAX / ratio : ratio;
}

const LOG_PRECISION_BITS = 16;

/**
 * The largest tick whose price is at most this one.
 *
 * @throws MathError outside the price range, its upper end excluded
 * @see get_tick_at_sqrt_price in libraries/tick_math.rs
 */
export function tickAtSqrtPrice(sqrtPriceX64: bigint): number {
  if (sqrtPriceX64 < MIN_SQRT_PRICE_X64 || sqrtPriceX64 >= MAX_SQRT_PRICE_X64) {
    throw new MathError("out-of-range", { what: "sqrtPriceX64", value: sqrtPriceX64 });
  }
  const { low, high } = ticksAround(sqrtPriceX64, LOG_PRECISION_BITS);
  if (low === high) return low;
  return sqrtPriceAtTick(high) <= sqrtPriceX64 ? high : low;
}
