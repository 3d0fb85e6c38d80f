import type { Ratio } from "#src/units/ratio.ts";
import type { Direction } from "../shared/curves/direction.ts";
import { type Layer, layersReachable, layersSpotPrice } from "../shared/tick-pool.ts";
import { type ClmmState, unfilledOrders } from "./pool-state.ts";
import { nextTickIndex } from "./quote.ts";
import { MAX_SQRT_PRICE_X64, MIN_SQRT_PRICE_X64, sqrtPriceAtTick } from "./tick-math.ts";

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

/** Output per input before fees, past empty ranges; null where nothing can be sold. */
export function spotPrice(state: ClmmState, direction: Direction): Ratio | null {
  return layersSpotPrice(layersAhead(state, direction), direction);
}

/** Output that selling takes out until the seller's price has fallen by `fallBps` from its spot. */
export function reachable(state: ClmmState, direction: Direction, fallBps: number): bigint {
  const isDown = direction === "down";
  return layersReachable({
    layers: () => layersAhead(state, direction),
    direction,
    fallBps,
    endOfRangeX64: isDown ? MIN_SQRT_PRICE_X64 : MAX_SQRT_PRICE_X64,
    heldOut: (isDown ? state.token1 : state.token0).heldInVault,
  });
}
