import { maxBigint, minBigint } from "#src/units/integer.ts";
import type { Ratio } from "#src/units/ratio.ts";
import { squareRootFloor } from "../shared/curves/constant-product.ts";
import { baseInStretch, type CurveRange, quoteInStretch } from "./curve.ts";
import { isComplete } from "./quote.ts";
import type { DbcState } from "./state.ts";

const Q128 = 1n << 128n;
const BASIS_POINTS = 10_000n;

/** Stretches below the current price that hold liquidity, as a sale passes them. */
function stretchesBelow(state: DbcState): readonly CurveRange[] {
  const { curve, sqrtStartPrice } = state.config;
  const found: CurveRange[] = [];
  let upper = state.sqrtPrice;
  for (let index = curve.length - 2; index >= 0; index--) {
    const point = curve[index];
    const liquidity = curve[index + 1]?.liquidity ?? 0n;
    if (point === undefined || point.sqrtPrice === 0n || point.liquidity === 0n) continue;
    if (point.sqrtPrice >= upper) continue;
    if (liquidity > 0n) found.push({ lower: point.sqrtPrice, upper, liquidity });
    upper = point.sqrtPrice;
  }
  const liquidity = curve[0]?.liquidity ?? 0n;
  if (liquidity > 0n && sqrtStartPrice < upper) {
    found.push({ lower: sqrtStartPrice, upper, liquidity });
  }
  return found;
}

/** Stretches from the current price up to the migration price, as a purchase passes them. */
function stretchesAbove(state: DbcState): readonly CurveRange[] {
  const { curve, migrationSqrtPrice } = state.config;
  const found: CurveRange[] = [];
  let lower = state.sqrtPrice;
  for (const { sqrtPrice, liquidity } of curve) {
    if (sqrtPrice === 0n || liquidity === 0n) break;
    const upper = minBigint(migrationSqrtPrice, sqrtPrice);
    if (upper <= lower) continue;
    found.push({ lower, upper, liquidity });
    lower = upper;
  }
  return found;
}

/** Output per input before fees of the first unit; null where there is nothing to take. */
export function spotOf(state: DbcState, isBuy: boolean): Ratio | null {
  if (state.isMigrated || isComplete(state)) return null;
  const [first] = isBuy ? stretchesAbove(state) : stretchesBelow(state);
  if (first === undefined || first.lower === 0n) return null;
  if (isBuy) return { numerator: Q128, denominator: first.lower * first.lower };
  if (state.quoteReserve === 0n) return null;
  return { numerator: first.upper * first.upper, denominator: Q128 };
}

/** What an order takes out, before fees, until the price has fallen by `fallBps`; never over the reserve. */
export function reachableOut(state: DbcState, isBuy: boolean, fallBps: number): bigint {
  const spot = spotOf(state, isBuy);
  if (spot === null) return 0n;
  const keptBps = BASIS_POINTS - BigInt(fallBps);
  if (keptBps === 0n) return isBuy ? baseAbove(state, null) : state.quoteReserve;
  return isBuy
    ? baseAbove(state, squareRootFloor((spot.denominator * BASIS_POINTS) / keptBps))
    : quoteBelow(state, squareRootFloor((spot.numerator * keptBps) / BASIS_POINTS));
}

function quoteBelow(state: DbcState, limit: bigint): bigint {
  let out = 0n;
  for (const { lower, upper, liquidity } of stretchesBelow(state)) {
    const end = maxBigint(lower, limit);
    if (end < upper) out += quoteInStretch({ lower: end, upper, liquidity }, "down");
  }
  return minBigint(out, state.quoteReserve);
}

function baseAbove(state: DbcState, limit: bigint | null): bigint {
  let out = 0n;
  for (const { lower, upper, liquidity } of stretchesAbove(state)) {
    const end = limit === null ? upper : minBigint(upper, limit);
    if (lower < end) out += baseInStretch({ lower, upper: end, liquidity }, "down");
  }
  return minBigint(out, state.baseReserve);
}
