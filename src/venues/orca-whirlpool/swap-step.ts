import { checkedU64, divCeil, Q64, U64_MAX, U128_MAX } from "#src/units/integer.ts";
import { MathError } from "#src/units/math-error.ts";
import { MAX_SQRT_PRICE_X64, MIN_SQRT_PRICE_X64 } from "./tick-math.ts";

const FEE_DENOMINATOR = 1_000_000n;
const Q192 = 1n << 192n;

/** A stretch of constant liquidity, to be crossed towards a target price. */
export type LiquidityRange = {
  readonly sqrtPriceX64: bigint;
  readonly targetX64: bigint;
  readonly liquidity: bigint;
  /** Base units still to be sold, fee included. */
  readonly remaining: bigint;
  readonly feePpm: bigint;
  /** Token A is sold and the price falls. */
  readonly aToB: boolean;
};

export type SwapStep = {
  readonly sqrtPriceX64: bigint;
  /** Net of the fee. */
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly fee: bigint;
};

/**
 * Sells into one stretch, to its end where the amount suffices.
 *
 * @throws MathError where the program aborts
 * @see compute_swap in math/swap_math.rs
 */
export function computeStep(stretch: LiquidityRange): SwapStep {
  const { sqrtPriceX64, targetX64, liquidity, remaining, feePpm, aToB } = stretch;
  const toTarget = aToB
    ? amountA(sqrtPriceX64, targetX64, liquidity, "up")
    : amountB(sqrtPriceX64, targetX64, liquidity, "up");
  const usable = (remaining * (FEE_DENOMINATOR - feePpm)) / FEE_DENOMINATOR;

  let nextX64 = targetX64;
  if (toTarget === null || toTarget > usable) {
    nextX64 = aToB
      ? nextPriceFromA(sqrtPriceX64, liquidity, usable)
      : nextPriceFromB(sqrtPriceX64, liquidity, usable);
  }
  const isTargetReached = nextX64 === targetX64;
  const amountOut = aToB
    ? amountB(sqrtPriceX64, nextX64, liquidity, "down")
    : amountA(sqrtPriceX64, nextX64, liquidity, "down");
  let amountIn = toTarget;
  if (!isTargetReached || amountIn === null) {
    amountIn = aToB
      ? amountA(sqrtPriceX64, nextX64, liquidity, "up")
      : amountB(sqrtPriceX64, nextX64, liquidity, "up");
  }
  if (amountOut === null || amountIn === null) {
    throw new MathError("overflow", { what: "amount" });
  }
  const fee = isTargetReached
    ? divCeil(amountIn * feePpm, FEE_DENOMINATOR - feePpm)
    : remaining - amountIn;
  return { sqrtPriceX64: nextX64, amountIn, amountOut, fee: checkedU64(fee, "fee") };
}

type Rounding = "up" | "down";

/**
 * Token A between two prices, or null where it leaves u64.
 *
 * @throws MathError where the program's 256-bit shift overflows
 * @see try_get_amount_delta_a in math/token_math.rs
 */
function amountA(a: bigint, b: bigint, liquidity: bigint, rounding: Rounding): bigint | null {
  const product = liquidity * (a > b ? a - b : b - a);
  if (product >= Q192) throw new MathError("overflow", { what: "amountA", value: product });
  const numerator = product << 64n;
  const amount = rounding === "up" ? divCeil(numerator, a * b) : numerator / (a * b);
  return amount > U64_MAX ? null : amount;
}

/**
 * Token B between two prices, or null where the product leaves u128.
 *
 * @see try_get_amount_delta_b in math/token_math.rs
 */
function amountB(a: bigint, b: bigint, liquidity: bigint, rounding: Rounding): bigint | null {
  const product = liquidity * (a > b ? a - b : b - a);
  if (product > U128_MAX) return null;
  const amount = rounding === "up" ? divCeil(product, Q64) : product >> 64n;
  return amount > U64_MAX ? null : amount;
}

/** @see get_next_sqrt_price_from_a_round_up in math/token_math.rs */
function nextPriceFromA(sqrtPriceX64: bigint, liquidity: bigint, amount: bigint): bigint {
  if (amount === 0n) return sqrtPriceX64;
  const product = liquidity * sqrtPriceX64;
  if (product >= Q192) throw new MathError("overflow", { what: "price", value: product });
  const next = divCeil(product << 64n, (liquidity << 64n) + amount * sqrtPriceX64);
  if (next < MIN_SQRT_PRICE_X64 || next > MAX_SQRT_PRICE_X64) {
    throw new MathError("out-of-range", { what: "sqrtPriceX64", value: next });
  }
  return next;
}

/** @see get_next_sqrt_price_from_b_round_down in math/token_math.rs */
function nextPriceFromB(sqrtPriceX64: bigint, liquidity: bigint, amount: bigint): bigint {
  if (liquidity === 0n) throw new MathError("division-by-zero", { what: "liquidity" });
  return sqrtPriceX64 + (amount << 64n) / liquidity;
}
