import type { Ratio } from "#src/units/ratio.ts";
import type { Direction } from "../shared/curves/direction.ts";
import { type Layer, layersReachable, layersSpotPrice } from "../shared/tick-pool.ts";
import { type ClmmState, unfilledOrders } from "./pool-state.ts";
import { nextTickIndex } from "./quote.ts";
import { accumulate, advance, boundPass, type Volatility } from "./swap-volatility.ts";
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

/**
 * The dynamic fee where the first unit sells. The price passes what has no liquidity at once, and the fee
 * grows with the spacings on the way; orders are filled at the fee of the pass that reached them.
 */
export function feeAtFirstUnit(
  begun: Volatility,
  state: ClmmState,
  direction: Direction,
): Volatility {
  const zeroForOne = direction === "down";
  let { liquidity, sqrtPriceX64: fromX64 } = state;
  let volatility = accumulate(begun);
  let index = nextTickIndex(state, direction);
  for (let tick = state.ticks[index]; tick !== undefined; tick = state.ticks[index]) {
    const toX64 = sqrtPriceAtTick(tick.tick);
    if ((liquidity > 0n && fromX64 !== toX64) || unfilledOrders(tick) > 0n) break;
    const { isSkipping } = boundPass(volatility, { targetX64: toX64, liquidity, zeroForOne });
    const pass = { reachedTick: tick.tick, isSkipping, zeroForOne };
    volatility = accumulate(advance(volatility, pass));
    liquidity += zeroForOne ? -tick.liquidityNet : tick.liquidityNet;
    fromX64 = toX64;
    index += zeroForOne ? -1 : 1;
  }
  return volatility;
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
