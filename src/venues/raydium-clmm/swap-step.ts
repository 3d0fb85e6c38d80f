import { checkedU64, checkedU128, divCeil, Q64, U64_MAX } from "#src/units/integer.ts";
import { MathError } from "#src/units/math-error.ts";

const FEE_DENOMINATOR = 1_000_000n;

/** A stretch of constant liquidity, to be crossed towards a target price. */
export type LiquidityRange = {
  readonly sqrtPriceX64: bigint;
  readonly targetX64: bigint;
  readonly liquidity: bigint;
  /** Base units still to be sold, fee included. */
  readonly remaining: bigint;
  readonly feePpm: bigint;
  /** Token0 is sold and the price falls. */
  readonly zeroForOne: boolean;
  readonly isFeeOnInput: boolean;
};

/** What a stretch took and paid; `amountOut` is net of a fee on the output. */
export type SwapStep = {
  readonly sqrtPriceX64: bigint;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly fee: bigint;
};

/**
 * Sells into one stretch, to its end where the amount suffices.
 *
 * @throws MathError where the program aborts
 * @see compute_swap in libraries/swap_math.rs
 */
export function computeStep(stretch: LiquidityRange): SwapStep {
  const { sqrtPriceX64, targetX64, liquidity, remaining, feePpm, zeroForOne } = stretch;
  const usable = stretch.isFeeOnInput
    ? (remaining * (FEE_DENOMINATOR - feePpm)) / FEE_DENOMINATOR
    : remaining;

  let nextX64 = targetX64;
  let amounts = swapAmounts(stretch, targetX64);
  if (!fitU64(amounts) || usable < amounts.amountIn) {
    nextX64 = zeroForOne
      ? nextPriceFrom0(sqrtPriceX64, liquidity, usable)
      : nextPriceFrom1(sqrtPriceX64, liquidity, usable);
    if (zeroForOne ? nextX64 < targetX64 : nextX64 > targetX64) {
      throw new MathError("out-of-range", { what: "sqrtPriceX64", value: nextX64 });
    }
    amounts = swapAmounts(stretch, nextX64);
    checkedU64(amounts.amountIn, "amountIn");
    checkedU64(amounts.amountOut, "amountOut");
  }

  const isTargetReached = nextX64 === targetX64;
  if (stretch.isFeeOnInput) {
    const fee = isTargetReached
      ? feeOnTop(amounts.amountIn, feePpm)
      : checkedU64(remaining - amounts.amountIn, "fee");
    return { ...amounts, sqrtPriceX64: nextX64, fee };
  }
  const fee = feeWithin(amounts.amountOut, feePpm);
  return {
    sqrtPriceX64: nextX64,
    // Short of the target, the dust that moves the price no further goes to the pool too.
    amountIn: isTargetReached ? amounts.amountIn : remaining,
    amountOut: amounts.amountOut - fee,
    fee,
  };
}

/** The fee on top of a net input: `ceil(net * rate / (1 - rate))`. */
export function feeOnTop(net: bigint, feePpm: bigint): bigint {
  return checkedU64(divCeil(net * feePpm, FEE_DENOMINATOR - feePpm), "fee");
}

/** The fee contained in a gross amount: `ceil(gross * rate)`. */
export function feeWithin(gross: bigint, feePpm: bigint): bigint {
  return divCeil(gross * feePpm, FEE_DENOMINATOR);
}

type Amounts = { readonly amountIn: bigint; readonly amountOut: bigint };

/**
 * Input (rounded up) and output (rounded down) of moving the price to another.
 *
 * @see get_delta_amounts_for_swap in libraries/liquidity_math.rs
 */
function swapAmounts(
  { sqrtPriceX64: a, liquidity, zeroForOne }: LiquidityRange,
  b: bigint,
): Amounts {
  const amount1X64 = liquidity * (a > b ? a - b : b - a);
  const amount0X64 = amount1X64 << 64n;
  return zeroForOne
    ? { amountIn: divCeil(amount0X64, a * b), amountOut: amount1X64 >> 64n }
    : { amountIn: (amount1X64 + U64_MAX) >> 64n, amountOut: amount0X64 / (a * b) };
}

function fitU64(amounts: Amounts): boolean {
  return amounts.amountIn <= U64_MAX && amounts.amountOut <= U64_MAX;
}

/** @see get_next_sqrt_price_from_amount_0_rounding_up in libraries/sqrt_price_math.rs */
function nextPriceFrom0(sqrtPriceX64: bigint, liquidity: bigint, amount: bigint): bigint {
  requireLiquidity(liquidity);
  if (amount === 0n) return sqrtPriceX64;
  const numerator = liquidity << 64n;
  return divCeil(numerator * sqrtPriceX64, numerator + amount * sqrtPriceX64);
}

/** @see get_next_sqrt_price_from_amount_1_rounding_down in libraries/sqrt_price_math.rs */
function nextPriceFrom1(sqrtPriceX64: bigint, liquidity: bigint, amount: bigint): bigint {
  requireLiquidity(liquidity);
  return checkedU128(sqrtPriceX64 + (amount * Q64) / liquidity, "sqrtPriceX64");
}

function requireLiquidity(liquidity: bigint): void {
  if (liquidity === 0n) throw new MathError("division-by-zero", { what: "liquidity" });
}
