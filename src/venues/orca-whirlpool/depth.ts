import type { Ratio } from "#src/units/ratio.ts";
import type { Direction } from "../shared/curves/direction.ts";
import { type Layer, layersReachable, layersSpotPrice } from "../shared/tick-pool.ts";
import type { WhirlpoolState } from "./pool-state.ts";
import { accumulateFee, advanceFee, type SwapFee } from "./swap-fee.ts";
import { MAX_SQRT_PRICE_X64, MIN_SQRT_PRICE_X64, sqrtPriceAtTick } from "./tick-math.ts";
import { stopsAhead } from "./tick-sequence.ts";

/** Layers ahead, up to the last stop of the arrays that one swap uses. */
function* layersAhead(state: WhirlpoolState, direction: Direction): Generator<Layer> {
  let fromX64 = state.sqrtPriceX64;
  let { liquidity } = state;
  for (const stop of stopsAhead(state, direction)) {
    const toX64 = sqrtPriceAtTick(stop.tick);
    yield { fromX64, toX64, liquidity, orders: 0n };
    fromX64 = toX64;
    liquidity += direction === "down" ? -stop.liquidityNet : stop.liquidityNet;
    if (liquidity < 0n) return;
  }
}

/** Output per input before fees, past empty ranges; null where nothing can be sold. */
export function spotPrice(state: WhirlpoolState, direction: Direction): Ratio | null {
  return layersSpotPrice(layersAhead(state, direction), direction);
}

/**
 * The adaptive fee where the first unit sells. The price passes what has no liquidity at once, and the fee
 * grows with the groups on the way.
 */
export function feeAtFirstUnit(
  begun: SwapFee,
  state: WhirlpoolState,
  direction: Direction,
): SwapFee {
  const aToB = direction === "down";
  let { liquidity, sqrtPriceX64: fromX64 } = state;
  let fee = accumulateFee(begun);
  for (const { tick: nextTick, liquidityNet } of stopsAhead(state, direction)) {
    const nextTickX64 = sqrtPriceAtTick(nextTick);
    if (liquidity > 0n && fromX64 !== nextTickX64) break;
    const isSkipping = liquidity === 0n;
    const end = { sqrtPriceX64: nextTickX64, nextTick, nextTickX64, isSkipping, aToB };
    fee = accumulateFee(advanceFee(fee, end));
    liquidity += aToB ? -liquidityNet : liquidityNet;
    fromX64 = nextTickX64;
  }
  return fee;
}

/** Output that selling takes out until the seller's price has fallen by `fallBps` from its spot. */
export function reachable(state: WhirlpoolState, direction: Direction, fallBps: number): bigint {
  const isDown = direction === "down";
  return layersReachable({
    layers: () => layersAhead(state, direction),
    direction,
    fallBps,
    endOfRangeX64: isDown ? MIN_SQRT_PRICE_X64 : MAX_SQRT_PRICE_X64,
    heldOut: (isDown ? state.tokenB : state.tokenA).heldInVault,
  });
}
