import { checkedU64, checkedU128, divCeil, minBigint, Q64 } from "#src/units/integer.ts";
import { type Tick, unfilledOrders } from "./pool-state.ts";
import { feeOnTop, feeWithin } from "./swap-step.ts";

export type OrderMatch = {
  /** Net of a fee on the input. */
  readonly amountIn: bigint;
  /** Net of a fee on the output. */
  readonly amountOut: bigint;
  readonly fee: bigint;
  readonly tick: Tick;
};

export type Arrival = {
  readonly tick: Tick;
  /** The tick's own square root price. */
  readonly sqrtPriceX64: bigint;
  readonly remaining: bigint;
  readonly feePpm: bigint;
  readonly zeroForOne: boolean;
  readonly isFeeOnInput: boolean;
};

/**
 * Sells into the limit orders that wait at the tick where the price has arrived, at the tick's own
 * price; null if there is nothing to sell or no order waits.
 *
 * @throws MathError where the program aborts
 * @see match_limit_order_with_sqrt_price in states/tick_array.rs
 */
export function matchOrders(arrival: Arrival): OrderMatch | null {
  const { tick, remaining, feePpm, zeroForOne, isFeeOnInput } = arrival;
  const available = checkedU64(unfilledOrders(tick), "unfilled orders");
  if (remaining === 0n || available === 0n) return null;

  const square = arrival.sqrtPriceX64 * arrival.sqrtPriceX64;
  const priceX64 = checkedU128(zeroForOne ? square >> 64n : divCeil(square, Q64), "price");
  let fee = isFeeOnInput ? feeWithin(remaining, feePpm) : 0n;
  let amountIn = remaining - fee;
  let amountOut = zeroForOne ? (amountIn * priceX64) >> 64n : (amountIn * Q64) / priceX64;
  if (amountOut > available) {
    amountOut = available;
    const needed = zeroForOne
      ? divCeil(available * Q64, priceX64)
      : divCeil(available * priceX64, Q64);
    amountIn = checkedU64(needed, "amountIn");
    if (isFeeOnInput) fee = feeOnTop(amountIn, feePpm);
  }
  const filled = fillOrders(tick, amountOut);
  if (!isFeeOnInput) {
    fee = feeWithin(amountOut, feePpm);
    amountOut -= fee;
  }
  return { amountIn, amountOut, fee, tick: filled };
}

/** Part-filled orders go first; once fresh ones are touched, their rest is part-filled. */
function fillOrders(tick: Tick, amount: bigint): Tick {
  const fromPartFilled = minBigint(tick.partFilledOrdersRemaining, amount);
  const fromFresh = amount - fromPartFilled;
  if (fromFresh === 0n) {
    const left = tick.partFilledOrdersRemaining - fromPartFilled;
    return { ...tick, partFilledOrdersRemaining: left };
  }
  return {
    ...tick,
    ordersAmount: 0n,
    partFilledOrdersRemaining: tick.ordersAmount - fromFresh,
  };
}
