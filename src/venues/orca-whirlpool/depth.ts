import { minBigint, Q64 } from "#src/units/integer.ts";
import type { Ratio } from "#src/units/ratio.ts";
import { squareRootFloor } from "../curves/constant-product.ts";
import type { Direction } from "../curves/direction.ts";
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
function* layersAhead(state: WhirlpoolState, direction: Direction): Generator<Layer> {
  let fromX64 = state.sqrtPriceX64;
  let { liquidity } = state;
  for (const stop of stopsAhead(state, direction)) {
    const toX64 = sqrtPriceAtTick(stop.tick);
    yield { fromX64, toX64, liquidity };
    fromX64 = toX64;
    liquidity += direction === "down" ? -stop.liquidityNet : stop.liquidityNet;
    if (liquidity < 0n) return;
  }
}

/** Square root price, token B per token A, at which the first unit sells; null where none does. */
function firstSqrtPrice(state: WhirlpoolState, direction: Direction): bigint | null {
  for (const { fromX64, toX64, liquidity } of layersAhead(state, direction)) {
    if (liquidity > 0n && fromX64 !== toX64) return fromX64;
  }
  return null;
}

/** Output per input before fees, past empty ranges; null where nothing can be sold. */
export function spotPrice(state: WhirlpoolState, direction: Direction): Ratio | null {
  const sqrtPriceX64 = firstSqrtPrice(state, direction);
  if (sqrtPriceX64 === null) return null;
  const square = sqrtPriceX64 * sqrtPriceX64;
  return direction === "down"
    ? { numerator: square, denominator: Q128 }
    : { numerator: Q128, denominator: square };
}

/** Output that selling takes out until the seller's price has fallen by `fallBps` from its spot. */
export function reachable(state: WhirlpoolState, direction: Direction, fallBps: number): bigint {
  const isDown = direction === "down";
  const spot = firstSqrtPrice(state, direction);
  if (spot === null) return 0n;
  const endX64 = sqrtPriceAfterFall(spot, direction, fallBps);
  let total = 0n;
  for (const { fromX64, toX64, liquidity } of layersAhead(state, direction)) {
    const isEndNearer = isDown ? endX64 > toX64 : endX64 < toX64;
    const stopX64 = isEndNearer ? endX64 : toX64;
    const isPastEnd = isDown ? fromX64 <= endX64 : fromX64 >= endX64;
    if (!isPastEnd) {
      const area = liquidity * (isDown ? fromX64 - stopX64 : stopX64 - fromX64);
      total += isDown ? area >> 64n : (area << 64n) / (fromX64 * stopX64);
    }
    if (isEndNearer) break;
  }
  return minBigint(total, (isDown ? state.tokenB : state.tokenA).heldInVault);
}

/** The seller's price is the square of this one when it sells token A, its inverse otherwise. */
function sqrtPriceAfterFall(spot: bigint, direction: Direction, fallBps: number): bigint {
  const isDown = direction === "down";
  if (fallBps >= 10_000) return isDown ? MIN_SQRT_PRICE_X64 : MAX_SQRT_PRICE_X64;
  const left = BigInt(10_000 - fallBps);
  const square = spot * spot;
  return squareRootFloor(isDown ? (square * left) / 10_000n : (square * 10_000n) / left);
}
