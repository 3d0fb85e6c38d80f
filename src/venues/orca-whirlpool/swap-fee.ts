import { maxBigint, minBigint } from "#src/units/integer.ts";
import {
  ACCUMULATOR_SCALE,
  type AdaptiveFee,
  accumulate,
  groupOfTick,
  totalFeePpm,
  updateReference,
} from "./adaptive-fee.ts";
import type { WhirlpoolState } from "./pool-state.ts";
import { MAX_TICK, MIN_TICK, sqrtPriceAtTick, tickAtSqrtPrice } from "./tick-math.ts";

/** A tick group and the price at its outer edge. */
type Edge = { readonly group: number; readonly sqrtPriceX64: bigint };

/** The adaptive fee in the course of one swap. */
export type SwapFee = {
  readonly fee: AdaptiveFee;
  /** The tick group that the price is in. */
  readonly group: number;
  /** Outside these the accumulator is full; null where the tick range ends before. */
  readonly lower: Edge | null;
  readonly upper: Edge | null;
};

/** Where one pass begins, and where it would go. */
export type PassStart = {
  readonly targetX64: bigint;
  readonly liquidity: bigint;
  readonly aToB: boolean;
};

/** How far one pass may go at one fee rate. */
export type PassBound = {
  readonly sqrtPriceX64: bigint;
  /** Whether the boundaries of groups between here and there are passed over. */
  readonly isSkipping: boolean;
};

/**
 * The fee as a swap at `now` begins: null where it is static, "refused" where the clock is behind it
 * or its reference is one that the program never writes.
 *
 * @see FeeRateManager::new in manager/fee_rate_manager.rs
 */
export function beginFee(state: WhirlpoolState, now: bigint): SwapFee | null | "refused" {
  if (state.adaptiveFee === null) return null;
  const group = groupOfTick(state.adaptiveFee, state.tickCurrent);
  const fee = updateReference(state.adaptiveFee, group, now);
  if (fee === null) return "refused";
  const room = fee.maxAccumulator - fee.volatilityReference;
  if (room < 0) return "refused";
  const reach = Math.ceil(room / ACCUMULATOR_SCALE);
  const lower = fee.groupReference - reach;
  const upper = fee.groupReference + reach;
  const lowerTick = lower * fee.groupSize;
  const upperTick = (upper + 1) * fee.groupSize;
  if (lowerTick > MAX_TICK || upperTick < MIN_TICK) return "refused";
  return {
    fee,
    group,
    lower: lowerTick > MIN_TICK ? { group: lower, sqrtPriceX64: sqrtPriceAtTick(lowerTick) } : null,
    upper: upperTick < MAX_TICK ? { group: upper, sqrtPriceX64: sqrtPriceAtTick(upperTick) } : null,
  };
}

/** With the accumulator of the group that the price is in. */
export function accumulateFee(swap: SwapFee): SwapFee {
  return { ...swap, fee: accumulate(swap.fee, swap.group) };
}

/** The rate of a pass, parts per million. */
export function feePpmNow(swap: SwapFee, baseFeePpm: number): bigint {
  return BigInt(totalFeePpm(baseFeePpm, swap.fee));
}

/**
 * The end of this pass: the target, or the group's boundary before it. Where the fee can't change,
 * boundaries no longer matter.
 *
 * @see get_bounded_sqrt_price_target in manager/fee_rate_manager.rs
 */
export function boundPass(swap: SwapFee, { targetX64, liquidity, aToB }: PassStart): PassBound {
  const { fee, group, lower, upper } = swap;
  if (fee.controlFactor === 0 || liquidity === 0n) {
    return { sqrtPriceX64: targetX64, isSkipping: true };
  }
  if (lower !== null && group < lower.group) {
    const sqrtPriceX64 = aToB ? targetX64 : minBigint(targetX64, lower.sqrtPriceX64);
    return { sqrtPriceX64, isSkipping: true };
  }
  if (upper !== null && group > upper.group) {
    const sqrtPriceX64 = aToB ? maxBigint(targetX64, upper.sqrtPriceX64) : targetX64;
    return { sqrtPriceX64, isSkipping: true };
  }
  const boundary = (aToB ? group : group + 1) * fee.groupSize;
  const boundaryX64 = sqrtPriceAtTick(Math.min(Math.max(boundary, MIN_TICK), MAX_TICK));
  const sqrtPriceX64 = aToB ? maxBigint(targetX64, boundaryX64) : minBigint(targetX64, boundaryX64);
  return { sqrtPriceX64, isSkipping: false };
}

/** Where a pass ended. */
export type PassEnd = {
  readonly sqrtPriceX64: bigint;
  readonly nextTick: number;
  readonly nextTickX64: bigint;
  readonly isSkipping: boolean;
  readonly aToB: boolean;
};

/**
 * On to the next group after a pass; after one that skipped boundaries, from where it got to.
 *
 * @see advance_tick_group, advance_tick_group_after_skip in manager/fee_rate_manager.rs
 */
export function advanceFee(swap: SwapFee, end: PassEnd): SwapFee {
  const current = end.isSkipping ? catchUp(swap, end) : swap;
  return { ...current, group: current.group + (end.aToB ? -1 : 1) };
}

function catchUp(swap: SwapFee, end: PassEnd): SwapFee {
  const { groupSize } = swap.fee;
  const isAtNextTick = end.sqrtPriceX64 === end.nextTickX64;
  const tick = isAtNextTick ? end.nextTick : tickAtSqrtPrice(end.sqrtPriceX64);
  const isOnBoundary =
    tick % groupSize === 0 && (isAtNextTick || end.sqrtPriceX64 === sqrtPriceAtTick(tick));
  const group = groupOfTick(swap.fee, tick) - (isOnBoundary && !end.aToB ? 1 : 0);
  const isFurther = end.aToB ? group < swap.group : group > swap.group;
  return isFurther ? accumulateFee({ ...swap, group }) : swap;
}

/**
 * The fee's memory after the swap: a price change of the threshold or more is remembered.
 *
 * @throws MathError where the threshold lies beyond the tick range
 * @see update_major_swap_timestamp in state/oracle.rs
 */
export function endFee(
  swap: SwapFee,
  beforeX64: bigint,
  afterX64: bigint,
  now: bigint,
): AdaptiveFee {
  const { fee } = swap;
  const smaller = minBigint(beforeX64, afterX64);
  const larger = maxBigint(beforeX64, afterX64);
  const thresholdX64 = (smaller * sqrtPriceAtTick(fee.majorSwapThresholdTicks)) >> 64n;
  return larger >= thresholdX64 ? { ...fee, lastMajorSwap: now } : fee;
}
