import { checkedU64, checkedU128, maxBigint, U64_MAX } from "#src/units/integer.ts";
import type { Direction } from "../shared/curves/direction.ts";
import { unfillable } from "../shared/refusals.ts";
import {
  type TickOrder,
  type TickOutcome,
  type TickQuote,
  type TickSide,
  tickQuotes,
} from "../shared/tick-pool.ts";
import { transferFee } from "../shared/token/transfer-fee.ts";
import type { Clock, ExactIn, UnfillableReason } from "../venue.ts";
import { matchOrders, type OrderMatch } from "./limit-orders.ts";
import {
  type ClmmState,
  directionOf,
  isInitialized,
  isTransferBlocked,
  type Tick,
  unfilledOrders,
} from "./pool-state.ts";
import { computeStep } from "./swap-step.ts";
import {
  accumulate,
  advance,
  beginVolatility,
  boundPass,
  feePpmNow,
  type Volatility,
} from "./swap-volatility.ts";
import {
  MAX_SQRT_PRICE_X64,
  MAX_TICK,
  MIN_SQRT_PRICE_X64,
  MIN_TICK,
  sqrtPriceAtTick,
  tickAtSqrtPrice,
} from "./tick-math.ts";

/**
 * Passes of the inner loop that one swap may take. A transaction's compute budget ends well before;
 * the bound keeps a hostile dynamic fee, which stops at every tick spacing, from taking seconds.
 */
const MAX_PASSES = 1_000;

/** The position of a swap between two ticks. Advanced in place, copied to be resumed. */
type Cursor = {
  /** Base units sold so far, fee included. */
  consumed: bigint;
  /** Output so far, before the output token's transfer fee. */
  paid: bigint;
  /** The part of `paid` that limit orders pay. */
  paidByOrders: bigint;
  tradeFee: bigint;
  sqrtPriceX64: bigint;
  tick: number;
  liquidity: bigint;
  /** Index in the state's ticks of the next one ahead. */
  nextIndex: number;
  passes: number;
  volatility: Volatility | null;
  /** Ticks whose limit orders were filled, by index. */
  changedTicks: ReadonlyMap<number, Tick>;
};

/**
 * What the program pays for an exact-in order without a price limit, with the amounts that its event reports; see
 * README.md for its steps.
 */
export const { quoteExactIn, quoteAscending } = tickQuotes<ClmmState, Cursor>({
  refusalBeforeSwap,
  directionOf,
  soldSide: ({ token0, token1 }, direction) => (direction === "down" ? token0 : token1),
  begin,
  swap: swapExactIn,
  settle,
});

function refusalBeforeSwap(state: ClmmState, order: ExactIn): UnfillableReason | null {
  if (order.inputMint !== state.token0.mint && order.inputMint !== state.token1.mint) {
    return "refused";
  }
  if (order.amountIn <= 0n) return "amount-zero";
  if (order.amountIn > U64_MAX) return "overflow";
  if (state.isSwapDisabled) return "paused";
  if (order.clock.unixTimestamp <= state.openTime) return "not-open-yet";
  return isTransferBlocked(state) ? "paused" : null;
}

function begin(state: ClmmState, direction: Direction, clock: Clock): Cursor {
  return {
    consumed: 0n,
    paid: 0n,
    paidByOrders: 0n,
    tradeFee: 0n,
    sqrtPriceX64: state.sqrtPriceX64,
    tick: state.tickCurrent,
    liquidity: state.liquidity,
    nextIndex: nextTickIndex(state, direction),
    passes: 0,
    volatility: beginVolatility(state, clock.unixTimestamp),
    changedTicks: new Map(),
  };
}

/** The first tick at or below the current one when the price falls, above it when it rises. */
export function nextTickIndex(state: ClmmState, direction: Direction): number {
  let low = 0;
  let high = state.ticks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const tick = state.ticks[middle];
    if (tick !== undefined && tick.tick <= state.tickCurrent) low = middle + 1;
    else high = middle;
  }
  return direction === "down" ? low - 1 : low;
}

/**
 * The swap loop, step by step as the program runs it: outside from tick to tick, inside from one
 * tick spacing to the next where the fee is dynamic.
 *
 * @see swap_internal in instructions/swap.rs
 */
function swapExactIn(
  { state, direction, amount }: TickOrder<ClmmState>,
  cursor: Cursor,
): TickOutcome<Cursor> {
  const zeroForOne = direction === "down";
  const isFeeOnInput = state.feeSide === "input" || (state.feeSide === "token0") === zeroForOne;
  const limitX64 = zeroForOne ? MIN_SQRT_PRICE_X64 + 1n : MAX_SQRT_PRICE_X64 - 1n;
  if (zeroForOne ? limitX64 >= state.sqrtPriceX64 : limitX64 <= state.sqrtPriceX64) {
    return unfillable("insufficient-liquidity");
  }

  const baseFeePpm = BigInt(state.tradeFeePpm);
  let resumeFrom = { ...cursor };
  while (cursor.consumed < amount && cursor.sqrtPriceX64 !== limitX64) {
    resumeFrom = { ...cursor };
    const next = state.ticks[cursor.nextIndex];
    if (next === undefined) return unfillable("insufficient-liquidity");
    const nextTick = Math.min(Math.max(next.tick, MIN_TICK), MAX_TICK);
    const nextX64 = sqrtPriceAtTick(nextTick);
    const targetX64 = zeroForOne
      ? nextX64 < limitX64
        ? limitX64
        : nextX64
      : nextX64 > limitX64
        ? limitX64
        : nextX64;
    if (zeroForOne ? cursor.sqrtPriceX64 < targetX64 : cursor.sqrtPriceX64 > targetX64) {
      return unfillable("refused");
    }

    let liquidityNext = cursor.liquidity;
    let tick = next;
    do {
      if (++cursor.passes > MAX_PASSES) return unfillable("refused");
      const volatility = cursor.volatility === null ? null : accumulate(cursor.volatility);
      const feePpm = volatility === null ? baseFeePpm : feePpmNow(volatility, state.tradeFeePpm);
      const bound =
        volatility === null
          ? null
          : boundPass(volatility, { targetX64, liquidity: cursor.liquidity, zeroForOne });
      const boundX64 = bound?.sqrtPriceX64 ?? targetX64;
      const startX64 = cursor.sqrtPriceX64;
      let reachedX64 = boundX64;
      if (startX64 !== boundX64) {
        const step = computeStep({
          sqrtPriceX64: startX64,
          targetX64: boundX64,
          liquidity: cursor.liquidity,
          remaining: amount - cursor.consumed,
          feePpm,
          zeroForOne,
          isFeeOnInput,
        });
        reachedX64 = step.sqrtPriceX64;
        apply(cursor, step, isFeeOnInput ? step.amountIn + step.fee : step.amountIn);
        checkedU64(amount - cursor.consumed, "remaining");
      }

      if (reachedX64 === nextX64) {
        const match = matchOrders({
          tick,
          sqrtPriceX64: nextX64,
          remaining: amount - cursor.consumed,
          feePpm,
          zeroForOne,
          isFeeOnInput,
        });
        if (match !== null) {
          apply(cursor, match, isFeeOnInput ? match.amountIn + match.fee : match.amountIn);
          cursor.paidByOrders += match.amountOut;
          checkedU64(amount - cursor.consumed, "remaining");
          tick = match.tick;
          cursor.changedTicks = new Map(cursor.changedTicks).set(cursor.nextIndex, tick);
        }
        const hasOrders = unfilledOrders(tick) > 0n;
        if (tick.liquidityGross > 0n && !hasOrders) {
          liquidityNext = checkedU128(
            zeroForOne
              ? cursor.liquidity - tick.liquidityNet
              : cursor.liquidity + tick.liquidityNet,
            "liquidity",
          );
        }
        cursor.tick = zeroForOne === hasOrders ? nextTick : nextTick - 1;
      } else if (startX64 !== reachedX64) {
        const isOnBoundary = reachedX64 === boundX64;
        cursor.tick = (isOnBoundary ? bound?.tick : null) ?? tickAtSqrtPrice(reachedX64);
      }
      cursor.sqrtPriceX64 = reachedX64;
      if (volatility !== null) {
        cursor.volatility = advance(volatility, {
          reachedTick: reachedX64 === nextX64 ? nextTick : cursor.tick,
          isSkipping: bound?.isSkipping ?? true,
          zeroForOne,
        });
      }
    } while (cursor.consumed < amount && cursor.sqrtPriceX64 !== targetX64);
    cursor.liquidity = liquidityNext;
    cursor.nextIndex += zeroForOne ? -1 : 1;
  }
  // Without a price limit the program takes all of the amount or nothing.
  if (cursor.consumed < amount) return unfillable("insufficient-liquidity");
  return { kind: "filled", cursor, resumeFrom };
}

function apply(
  cursor: Cursor,
  paid: Pick<OrderMatch, "amountOut" | "fee">,
  consumed: bigint,
): void {
  cursor.consumed += consumed;
  cursor.paid = checkedU64(cursor.paid + paid.amountOut, "paid");
  cursor.tradeFee += paid.fee;
}

function settle(
  { state, order, amount, direction }: TickOrder<ClmmState>,
  cursor: Cursor,
): TickQuote<ClmmState> {
  const zeroForOne = direction === "down";
  const sold = zeroForOne ? state.token0 : state.token1;
  const bought = zeroForOne ? state.token1 : state.token0;
  const grossOut = cursor.paid;
  if (grossOut === 0n) return unfillable("output-zero");
  // A permanent delegate can take from the vault what the ranges owe: the transfer is refused then.
  // Limit orders are not counted: recorded executions of the source paid them from vaults without them.
  const paidByRanges = grossOut - cursor.paidByOrders;
  if (paidByRanges > bought.heldInVault) return unfillable("insufficient-liquidity");
  const soldAfter: TickSide = { ...sold, heldInVault: sold.heldInVault + amount };
  const boughtAfter: TickSide = {
    ...bought,
    heldInVault: maxBigint(bought.heldInVault - grossOut, 0n),
  };
  return {
    kind: "filled",
    amountOut: grossOut - transferFee(bought.transferFee, grossOut, order.clock.epoch),
    grossOut,
    tradeFee: cursor.tradeFee,
    after: {
      ...state,
      token0: zeroForOne ? soldAfter : boughtAfter,
      token1: zeroForOne ? boughtAfter : soldAfter,
      sqrtPriceX64: cursor.sqrtPriceX64,
      tickCurrent: cursor.tick,
      liquidity: cursor.liquidity,
      dynamicFee: cursor.volatility?.fee ?? null,
      ticks:
        cursor.changedTicks.size === 0
          ? state.ticks
          : state.ticks
              .map((tick, index) => cursor.changedTicks.get(index) ?? tick)
              .filter(isInitialized),
    },
  };
}
