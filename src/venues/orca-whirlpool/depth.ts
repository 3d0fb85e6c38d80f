import { minBigint, Q64 } from "#src/units/integer.ts";
import type { Ratio } from "#src/units/ratio.ts";
import { squareRootFloor } from "../curves/constant-product.ts";
import type { WhirlpoolState } from "./pool-state.ts";
import { MAX_SQRT_PRICE_X64, MIN_SQRT_PRICE_X64, sqrtPriceAtTick } from "./tick-math.ts";
import { stopsAhead } from "./tick-sequence.ts";

const Q128 = Q64 * Q64;

/** A price range at constant liquidity, in the order a sale meets them. */
type Layer = {
  readonly fromX64: bigint;
  readonly toX64: bigint;
  readonly liquidity: bigint;
};

/** Layers ahead, up to the last stop of the arrays that one swap uses. */
function* layersAhead(state: WhirlpoolState, aToB: boolean): Generator<Layer> {
  let fromX64 = state.sqrtPriceX64;
  let { liquidity } = state;
  for (const stop of stopsAhead(state, aToB)) {
    const toX64 = sqrtPriceAtTick(stop.tick);
    yield { fromX64, toX64, liquidity };
    fromX64 = toX64;
    liquidity += aToB ? -stop.liquidityNet : stop.liquidityNet;
    if (liquidity < 0n) return;
  }
}

/** Square root price, token B per token A, at which the first unit sells; null where none does. */
function firstSqrtPrice(state: WhirlpoolState, aToB: boolean): bigint | null {
  for (const { fromX64, toX64, liquidity } of layersAhead(state, aToB)) {
    if (liquidity > 0n && fromX64 !== toX64) return fromX64;
  }
  return null;
}

/** Output per input before fees, past empty ranges; null where nothing can be sold. */
export function spotPrice(state: WhirlpoolState, aToB: boolean): Ratio | null {
  const sqrtPriceX64 = firstSqrtPrice(state, aToB);
  if (sqrtPriceX64 === null) return null;
  const square = sqrtPriceX64 * sqrtPriceX64;
  return aToB ? { numerator: square, denominator: Q128 } : { numerator: Q128, denominator: square };
}

/** Output that selling takes out until the seller's price has fallen by `fallBps` from its spot. */
export function reachable(state: WhirlpoolState, aToB: boolean, fallBps: number): bigint {
  const spot = firstSqrtPrice(state, aToB);
  if (spot === null) return 0n;
  const endX64 = sqrtPriceAfterFall(spot, aToB, fallBps);
  let total = 0n;
  for (const { fromX64, toX64, liquidity } of layersAhead(state, aToB)) {
    const isEndNearer = aToB ? endX64 > toX64 : endX64 < toX64;
    const stopX64 = isEndNearer ? endX64 : toX64;
    const isPastEnd = aToB ? fromX64 <= endX64 : fromX64 >= endX64;
    if (!isPastEnd) total += outputBetween(fromX64, stopX64, liquidity, aToB);
    if (isEndNearer) break;
  }
  return minBigint(total, (aToB ? state.tokenB : state.tokenA).heldInVault);
}

function outputBetween(a: bigint, b: bigint, liquidity: bigint, aToB: boolean): bigint {
  const amountBX64 = liquidity * (a > b ? a - b : b - a);
  return aToB ? amountBX64 >> 64n : (amountBX64 << 64n) / (a * b);
}

/** The seller's price is the square of this one when it sells token A, its inverse otherwise. */
function sqrtPriceAfterFall(spot: bigint, aToB: boolean, fallBps: number): bigint {
  if (fallBps >= 10_000) return aToB ? MIN_SQRT_PRICE_X64 : MAX_SQRT_PRICE_X64;
  const left = BigInt(10_000 - fallBps);
  const square = spot * spot;
  return squareRootFloor(aToB ? (square * left) / 10_000n : (square * 10_000n) / left);
}
