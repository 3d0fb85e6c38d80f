import { checkedU64, checkedU128, divCeil, divFloor } from "#src/units/integer.ts";
import { MathError } from "#src/units/math-error.ts";

const Q128 = 1n << 128n;

/**
 * Base units of A between two prices: `liquidity * (upper - lower) / (lower * upper)`, with prices
 * as Q64.64 square roots.
 *
 * @throws MathError where the prices are in the wrong order, one is zero, or the amount leaves u64
 */
export function amountA(
  liquidity: bigint,
  lower: bigint,
  upper: bigint,
  rounding: "up" | "down",
): bigint {
  const product = liquidity * checkedU128(upper - lower, "price difference");
  const divide = rounding === "up" ? divCeil : divFloor;
  return checkedU64(divide(product, lower * upper), "amount of A");
}

/**
 * Base units of B between two prices: `liquidity * (upper - lower) / 2^128`.
 *
 * @throws MathError where the prices are in the wrong order or the amount leaves u64
 */
export function amountB(
  liquidity: bigint,
  lower: bigint,
  upper: bigint,
  rounding: "up" | "down",
): bigint {
  const product = liquidity * checkedU128(upper - lower, "price difference");
  const divide = rounding === "up" ? divCeil : divFloor;
  return checkedU64(divide(product, Q128), "amount of B");
}

/**
 * The price after `amount` base units of A came in, rounded up: never past what they can move.
 *
 * @throws MathError where price or liquidity is zero
 */
export function priceAfterA(sqrtPrice: bigint, liquidity: bigint, amount: bigint): bigint {
  requirePositive(sqrtPrice, liquidity);
  if (amount === 0n) return sqrtPrice;
  return checkedU128(divCeil(liquidity * sqrtPrice, liquidity + amount * sqrtPrice), "price");
}

/**
 * The price after `amount` base units of B came in, rounded down.
 *
 * @throws MathError where price or liquidity is zero, or the price leaves u128
 */
export function priceAfterB(sqrtPrice: bigint, liquidity: bigint, amount: bigint): bigint {
  requirePositive(sqrtPrice, liquidity);
  return checkedU128(sqrtPrice + divFloor(amount << 128n, liquidity), "price");
}

function requirePositive(sqrtPrice: bigint, liquidity: bigint): void {
  if (sqrtPrice === 0n || liquidity === 0n) throw new MathError("division-by-zero");
}
