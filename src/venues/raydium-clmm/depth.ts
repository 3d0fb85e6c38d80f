import { Q64 } from "#src/units/integer.ts";
import type { Ratio } from "#src/units/ratio.ts";
import { squareRootFloor } from "../curves/constant-product.ts";
import type { Direction } from "../curves/direction.ts";
import { type ClmmState, unfilledOrders } from "./pool-state.ts";
import { nextTickIndex } from "./quote.ts";
import { MAX_SQRT_PRICE_X64, MIN_SQRT_PRICE_X64, sqrtPriceAtTick } from "./tick-math.ts";

const Q128 = Q64 * Q64;

/** A price range at constant liquidity, or limit orders at one price, in the order a sale meets them. */
type Layer = {
  readonly fromX64: bigint;
  readonly toX64: bigint;
  readonly liquidity: bigint;
  /** Output base units of limit orders waiting at `toX64`. */
  readonly orders: bigint;
};

/** Layers ahead, up to the last loaded tick: the program refuses whatever goes beyond. */
function* layersAhead(state: ClmmState, direction: Direction): Generator<Layer> {
  const isDown = direction === "down";
  let fromX64 = state.sqrtPriceX64;
  let { liquidity } = state;
  let index = nextTickIndex(state, direction);
  for (let tick = state.ticks[index]; tick !== undefined; tick = state.ticks[index]) {
    const toX64 = sqrtPriceAtTick(tick.tick);
    yield { fromX64, toX64, liquidity, orders: unfilledOrders(tick) };
    fromX64 = toX64;
    liquidity += isDown ? -tick.liquidityNet : tick.liquidityNet;
    if (liquidity < 0n) return;
    index += isDown ? -1 : 1;
  }
}

/** Square root price, token1 per token0, at which the first unit sells; null where none does. */
function firstSqrtPrice(state: ClmmState, direction: Direction): bigint | null {
  for (const { fromX64, toX64, liquidity, orders } of layersAhead(state, direction)) {
    if (liquidity > 0n && fromX64 !== toX64) return fromX64;
    if (orders > 0n) return toX64;
  }
  return null;
}

/** Output per input before fees, past empty ranges; null where nothing can be sold. */
export function spotPrice(state: ClmmState, direction: Direction): Ratio | null {
  const sqrtPriceX64 = firstSqrtPrice(state, direction);
  if (sqrtPriceX64 === null) return null;
  const square = sqrtPriceX64 * sqrtPriceX64;
  return direction === "down"
    ? { numerator: square, denominator: Q128 }
    : { numerator: Q128, denominator: square };
}

/** Output that selling takes out until the seller's price has fallen by `fallBps` from its spot. */
export function reachable(state: ClmmState, direction: Direction, fallBps: number): bigint {
  const isDown = direction === "down";
  const spot = firstSqrtPrice(state, direction);
  if (spot === null) return 0n;
  const endX64 = sqrtPriceAfterFall(spot, direction, fallBps);
  let total = 0n;
  for (const { fromX64, toX64, liquidity, orders } of layersAhead(state, direction)) {
    const isEndNearer = isDown ? endX64 > toX64 : endX64 < toX64;
    const stopX64 = isEndNearer ? endX64 : toX64;
    const isPastEnd = isDown ? fromX64 <= endX64 : fromX64 >= endX64;
    if (!isPastEnd) {
      const area = liquidity * (isDown ? fromX64 - stopX64 : stopX64 - fromX64);
      total += isDown ? area >> 64n : (area << 64n) / (fromX64 * stopX64);
    }
    if (isEndNearer) break;
    total += orders;
  }
  const held = (isDown ? state.token1 : state.token0).heldInVault;
  return total < held ? total : held;
}

/** The seller's price is the square of this one when it sells token0, its inverse otherwise. */
function sqrtPriceAfterFall(spot: bigint, direction: Direction, fallBps: number): bigint {
  const isDown = direction === "down";
  if (fallBps >= 10_000) return isDown ? MIN_SQRT_PRICE_X64 : MAX_SQRT_PRICE_X64;
  const left = BigInt(10_000 - fallBps);
  const square = spot * spot;
  return squareRootFloor(isDown ? (square * left) / 10_000n : (square * 10_000n) / left);
}
