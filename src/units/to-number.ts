import { LAMPORTS_PER_SOL } from "./amounts.ts";
import type { Ratio } from "./ratio.ts";

/**
 * The nearest double to an integer: exact up to 2^53, rounded above.
 * The one place where an amount becomes a float; the result never flows back into amounts.
 */
export function toNumber(value: bigint): number {
  return Number(value);
}

/**
 * `a / b` as a double, for integers of any width: relative error below 2^-52.
 * Both may exceed the range of a double; the quotient may not.
 */
export function ratioToNumber(a: bigint, b: bigint): number {
  const [x, y] = [Number(a), Number(b)];
  if (Number.isFinite(x) && Number.isFinite(y)) return x / y;
  const shift = BigInt(Math.max(bitLength(a), bitLength(b)) - 1000);
  return Number(a >> shift) / Number(b >> shift);
}

/** `part` of `whole` in percent: a share of few decimals is the double nearest to it. */
export function percentOf(part: bigint, whole: bigint): number {
  return ratioToNumber(100n * part, whole);
}

function bitLength(value: bigint): number {
  return value === 0n ? 0 : value.toString(16).length * 4;
}

/** SOL as a number; exact to the lamport up to nine million SOL. */
export function lamportsToSol(lamports: bigint): number {
  return toNumber(lamports) / 1e9;
}

/** SOL per whole token, of a price in lamports per base unit; null while the decimals are unknown. */
export function priceInSol(price: Ratio, decimals: number | null): number | null {
  if (decimals === null) return null;
  return ratioToNumber(
    price.numerator * 10n ** BigInt(decimals),
    price.denominator * LAMPORTS_PER_SOL,
  );
}
