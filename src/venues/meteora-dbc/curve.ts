import { checkedU64, checkedU128, divCeil, mulDivCeil, mulDivFloor } from "#src/units/integer.ts";
import { MathError } from "#src/units/math-error.ts";
import type { DbcConfig } from "./state.ts";

/** Where an order ends on the curve. `left` is input that found nothing to take. */
export type CurveWalk = {
  readonly out: bigint;
  readonly sqrtPrice: bigint;
  readonly left: bigint;
};

/** One stretch of the curve: square root prices, and the liquidity between them. */
export type CurveRange = {
  readonly lower: bigint;
  readonly upper: bigint;
  readonly liquidity: bigint;
};

/**
 * A sale of `amountIn` base units from `sqrtPrice` down to the curve's start, stretch by stretch.
 * Input needed is rounded up, quote paid is rounded down.
 *
 * @throws MathError where the program's integers overflow
 * @see calculate_base_to_quote_from_amount_in in state/virtual_pool.rs of the source named in this
 *   folder's README
 */
export function sellBase(config: DbcConfig, sqrtPrice: bigint, amountIn: bigint): CurveWalk {
  const { curve } = config;
  let out = 0n;
  let price = sqrtPrice;
  let left = amountIn;
  for (let index = curve.length - 2; index >= 0; index--) {
    const point = curve[index];
    const liquidity = curve[index + 1]?.liquidity ?? 0n;
    if (point === undefined || point.sqrtPrice === 0n || point.liquidity === 0n) continue;
    if (point.sqrtPrice >= price) continue;
    const need = baseInStretch({ lower: point.sqrtPrice, upper: price, liquidity }, "up");
    const isLast = left < need;
    const next = isLast ? sqrtPriceAfterBaseIn(price, liquidity, left) : point.sqrtPrice;
    const paid = quoteInStretch({ lower: next, upper: price, liquidity }, "down");
    out = checkedU64(out + checkedU64(paid, "quote out"), "quote out");
    left = isLast ? 0n : left - need;
    price = next;
    if (isLast) break;
  }
  if (left === 0n) return { out, sqrtPrice: price, left };

  const liquidity = curve[0]?.liquidity ?? 0n;
  let next = sqrtPriceAfterBaseIn(price, liquidity, left);
  if (next < config.sqrtStartPrice) {
    next = config.sqrtStartPrice;
    const need = baseInStretch({ lower: next, upper: price, liquidity }, "up");
    left = checkedU64(left - checkedU64(need, "base in"), "base left");
  } else {
    left = 0n;
  }
  const paid = quoteInStretch({ lower: next, upper: price, liquidity }, "down");
  out = checkedU64(out + checkedU64(paid, "quote out"), "quote out");
  return { out, sqrtPrice: next, left };
}

/**
 * A purchase with `amountIn` quote units from `sqrtPrice` up to the migration price.
 *
 * @throws MathError where the program's integers overflow
 * @see calculate_quote_to_base_from_amount_in in state/virtual_pool.rs of the source named in this
 *   folder's README
 */
export function buyBase(config: DbcConfig, sqrtPrice: bigint, amountIn: bigint): CurveWalk {
  const stop = config.migrationSqrtPrice;
  let out = 0n;
  let price = sqrtPrice;
  let left = amountIn;
  for (const { sqrtPrice: end, liquidity } of config.curve) {
    if (end === 0n || liquidity === 0n) break;
    const upper = stop < end ? stop : end;
    if (upper <= price) continue;
    const need = quoteInStretch({ lower: price, upper, liquidity }, "up");
    const isLast = left < need;
    const next = isLast ? sqrtPriceAfterQuoteIn(price, liquidity, left) : upper;
    const paid = baseInStretch({ lower: price, upper: next, liquidity }, "down");
    out = checkedU64(out + checkedU64(paid, "base out"), "base out");
    left = isLast ? 0n : left - need;
    price = next;
    if (isLast || next === stop) break;
  }
  return { out, sqrtPrice: price, left };
}

/** Base units between two prices: `L * (upper - lower) / (upper * lower)`. */
export function baseInStretch(stretch: CurveRange, rounding: "up" | "down"): bigint {
  const { lower, upper, liquidity } = stretch;
  if (upper < lower) throw new MathError("underflow", { what: "price difference" });
  const divide = rounding === "up" ? mulDivCeil : mulDivFloor;
  return divide(liquidity, upper - lower, lower * upper);
}

/** Quote units between two prices: `L * (upper - lower) / 2^128`. */
export function quoteInStretch(stretch: CurveRange, rounding: "up" | "down"): bigint {
  const { lower, upper, liquidity } = stretch;
  if (upper < lower) throw new MathError("underflow", { what: "price difference" });
  const product = liquidity * (upper - lower);
  return rounding === "up" ? divCeil(product, 1n << 128n) : product >> 128n;
}

/** `ceil(L * P / (L + amount * P))`: not past where the base units would carry the price. */
function sqrtPriceAfterBaseIn(price: bigint, liquidity: bigint, amount: bigint): bigint {
  if (price === 0n || liquidity === 0n) {
    throw new MathError("division-by-zero", { what: "price or liquidity" });
  }
  return checkedU128(mulDivCeil(liquidity, price, liquidity + amount * price), "sqrt price");
}

/** `P + floor(amount * 2^128 / L)`. */
function sqrtPriceAfterQuoteIn(price: bigint, liquidity: bigint, amount: bigint): bigint {
  return checkedU128(price + (amount << 128n) / liquidity, "sqrt price");
}
