import { checkedU128, divFloor } from "#src/units/integer.ts";
import { toNumber } from "#src/units/to-number.ts";

/**
 * `floor(reserveOut * amountIn / (reserveIn + amountIn))`: what `amountIn` takes out of a pool that
 * keeps the product of its reserves. The programs that share it compute this very expression in
 * unsigned 128-bit integers.
 *
 * @param amountIn base units that reach the curve, after every fee on the input
 * @returns base units, rounded down in the pool's favour; always below `reserveOut`
 * @throws MathError where a product leaves u128, or both `reserveIn` and `amountIn` are zero
 */
export function constantProductOut(
  reserveIn: bigint,
  reserveOut: bigint,
  amountIn: bigint,
): bigint {
  return divFloor(
    checkedU128(reserveOut * amountIn, "reserve times amount"),
    checkedU128(reserveIn + amountIn, "reserve after"),
  );
}

/**
 * Base units that selling takes out of a constant product until its price has fallen by `fallBps`:
 * `floor(reserveOut * (1 - sqrt(1 - fallBps / 10,000)))`, since the price goes with the square of
 * the reserve that pays.
 */
export function constantProductReachable(reserveOut: bigint, fallBps: number): bigint {
  const left = squareRootFloor((reserveOut * reserveOut * BigInt(10_000 - fallBps)) / 10_000n);
  return reserveOut - left;
}

/** `floor(sqrt(value))` for a non-negative integer of any width. */
export function squareRootFloor(value: bigint): bigint {
  if (value < 2n) return value;
  let root = aboveSquareRoot(value);
  for (;;) {
    const next = (root + value / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}

/** A number at or above the root: within a few units of 2^-50 of it where the value fits a double. */
function aboveSquareRoot(value: bigint): bigint {
  const guess = Math.sqrt(toNumber(value));
  if (Number.isFinite(guess)) return BigInt(Math.ceil(guess * (1 + 2 ** -50))) + 1n;
  return 1n << BigInt((value.toString(2).length + 1) >> 1);
}
