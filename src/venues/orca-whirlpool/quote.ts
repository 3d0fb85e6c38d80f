import { checkedU64, checkedU128, U64_MAX } from "#src/units/integer.ts";
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
import { directionOf, type WhirlpoolState } from "./pool-state.ts";
import {
  accumulateFee,
  advanceFee,
  beginFee,
  boundPass,
  endFee,
  feePpmNow,
  type SwapFee,
} from "./swap-fee.ts";
import { computeStep } from "./swap-step.ts";
import {
  MAX_SQRT_PRICE_X64,
  MIN_SQRT_PRICE_X64,
  sqrtPriceAtTick,
  tickAtSqrtPrice,
} from "./tick-math.ts";
import { type Stop, stopsAhead } from "./tick-sequence.ts";

/**
 * Passes of the inner loop that one swap may take. A transaction's compute budget ends well before;
 * the bound keeps a hostile adaptive fee, which stops at every tick group, from taking seconds.
 */
const MAX_PASSES = 1_000;

/** The position of a swap between two ticks. Advanced in place, copied to be resumed. */
type Cursor = {
  readonly stops: readonly Stop[];
  /** Base units sold so far, fee included. */
  consumed: bigint;
  /** Output so far, before the output token's transfer fee. */
  paid: bigint;
  tradeFee: bigint;
  sqrtPriceX64: bigint;
  tick: number;
  liquidity: bigint;
  nextIndex: number;
  passes: number;
  /** Null: the fee is static. */
  fee: SwapFee | null;
};

/**
 * What the program pays for an exact-in order without a price limit, with the amounts that its event reports; see
 * README.md for its steps.
 */
export const { quoteExactIn, quoteAscending } = tickQuotes<WhirlpoolState, Cursor>({
  refusalBeforeSwap,
  directionOf,
  soldSide: ({ tokenA, tokenB }, direction) => (direction === "down" ? tokenA : tokenB),
  begin,
  swap: swapExactIn,
  settle,
});

function refusalBeforeSwap(state: WhirlpoolState, order: ExactIn): UnfillableReason | null {
  if (order.inputMint !== state.tokenA.mint && order.inputMint !== state.tokenB.mint) {
    return "refused";
  }
  if (order.amountIn <= 0n) return "amount-zero";
  if (order.amountIn > U64_MAX) return "overflow";
  if (state.tokenA.isStuck || state.tokenB.isStuck) return "paused";
  return order.clock.unixTimestamp < state.tradeEnableTimestamp ? "not-open-yet" : null;
}

function begin(state: WhirlpoolState, direction: Direction, clock: Clock): Cursor | null {
  const fee = beginFee(state, clock.unixTimestamp);
  if (fee === "refused") return null;
  return {
    stops: stopsAhead(state, direction),
    consumed: 0n,
    paid: 0n,
    tradeFee: 0n,
    sqrtPriceX64: state.sqrtPriceX64,
    tick: state.tickCurrent,
    liquidity: state.liquidity,
    nextIndex: 0,
    passes: 0,
    fee,
  };
}

/**
 * The swap loop, step by step as the program runs it: outside from stop to stop, inside from one tick
 * group to the next where the fee is adaptive.
 *
 * @see swap in manager/swap_manager.rs
 */
function swapExactIn(
  { state, direction, amount }: TickOrder<WhirlpoolState>,
  cursor: Cursor,
): TickOutcome<Cursor> {
  const aToB = direction === "down";
  const limitX64 = aToB ? MIN_SQRT_PRICE_X64 : MAX_SQRT_PRICE_X64;
  if (state.sqrtPriceX64 === limitX64) return unfillable("insufficient-liquidity");

  const baseFeePpm = BigInt(state.feeRatePpm);
  let resumeFrom = { ...cursor };
  while (cursor.consumed < amount && cursor.sqrtPriceX64 !== limitX64) {
    resumeFrom = { ...cursor };
    const next = cursor.stops[cursor.nextIndex];
    if (next === undefined) return unfillable("insufficient-liquidity");
    const targetX64 = sqrtPriceAtTick(next.tick);

    let liquidityNext = cursor.liquidity;
    do {
      if (++cursor.passes > MAX_PASSES) return unfillable("refused");
      const fee = cursor.fee === null ? null : accumulateFee(cursor.fee);
      const feePpm = fee === null ? baseFeePpm : feePpmNow(fee, state.feeRatePpm);
      const { liquidity } = cursor;
      const bound = fee === null ? null : boundPass(fee, { targetX64, liquidity, aToB });
      const step = computeStep({
        sqrtPriceX64: cursor.sqrtPriceX64,
        targetX64: bound?.sqrtPriceX64 ?? targetX64,
        liquidity: cursor.liquidity,
        remaining: amount - cursor.consumed,
        feePpm,
        aToB,
      });
      cursor.consumed += step.amountIn + step.fee;
      checkedU64(amount - cursor.consumed, "remaining");
      cursor.paid = checkedU64(cursor.paid + step.amountOut, "paid");
      cursor.tradeFee += step.fee;

      if (step.sqrtPriceX64 === targetX64) {
        if (next.isInitialized) {
          liquidityNext = checkedU128(
            aToB ? cursor.liquidity - next.liquidityNet : cursor.liquidity + next.liquidityNet,
            "liquidity",
          );
        }
        cursor.tick = aToB ? next.tick - 1 : next.tick;
      } else if (step.sqrtPriceX64 !== cursor.sqrtPriceX64) {
        cursor.tick = tickAtSqrtPrice(step.sqrtPriceX64);
      }
      cursor.sqrtPriceX64 = step.sqrtPriceX64;
      if (fee !== null) {
        cursor.fee = advanceFee(fee, {
          sqrtPriceX64: step.sqrtPriceX64,
          nextTick: next.tick,
          nextTickX64: targetX64,
          isSkipping: bound?.isSkipping ?? false,
          aToB,
        });
      }
    } while (cursor.consumed < amount && cursor.sqrtPriceX64 !== targetX64);
    cursor.liquidity = liquidityNext;
    cursor.nextIndex++;
  }
  return { kind: "filled", cursor, resumeFrom };
}

function settle(
  { state, order, amount, direction }: TickOrder<WhirlpoolState>,
  cursor: Cursor,
): TickQuote<WhirlpoolState> {
  const aToB = direction === "down";
  const sold = aToB ? state.tokenA : state.tokenB;
  const bought = aToB ? state.tokenB : state.tokenA;
  const grossOut = cursor.paid;
  // A permanent delegate can take from the vault what the ranges owe: the transfer is refused then.
  if (grossOut > bought.heldInVault) return unfillable("insufficient-liquidity");
  const amountOut = grossOut - transferFee(bought.transferFee, grossOut, order.clock.epoch);
  // At the end of the price range the program keeps what it took and returns the rest.
  if (cursor.consumed < amount) {
    return { ...unfillable("insufficient-liquidity"), partlyPaid: amountOut };
  }
  const soldAfter: TickSide = { ...sold, heldInVault: sold.heldInVault + cursor.consumed };
  const boughtAfter: TickSide = { ...bought, heldInVault: bought.heldInVault - grossOut };
  return {
    kind: "filled",
    amountOut,
    grossOut,
    tradeFee: cursor.tradeFee,
    after: {
      ...state,
      tokenA: aToB ? soldAfter : boughtAfter,
      tokenB: aToB ? boughtAfter : soldAfter,
      sqrtPriceX64: cursor.sqrtPriceX64,
      tickCurrent: cursor.tick,
      liquidity: cursor.liquidity,
      adaptiveFee:
        cursor.fee === null
          ? null
          : endFee(cursor.fee, state.sqrtPriceX64, cursor.sqrtPriceX64, order.clock.unixTimestamp),
    },
  };
}
