import {
  accumulatorAt,
  type DynamicFee,
  spacingIndex,
  totalFeePpm,
  updateReference,
} from "./dynamic-fee.ts";
import type { ClmmState } from "./pool-state.ts";
import { MAX_TICK, MIN_TICK, sqrtPriceAtTick } from "./tick-math.ts";

/** The dynamic fee in the course of one swap. */
export type Volatility = {
  readonly fee: DynamicFee;
  /** The tick spacing that the price is in. */
  readonly index: number;
  readonly tickSpacing: number;
};

/** Where one pass begins, and where it would go. */
export type PassStart = {
  readonly targetX64: bigint;
  readonly liquidity: bigint;
  readonly zeroForOne: boolean;
};

/** How far one pass may go at one fee rate. */
export type PassBound = {
  readonly sqrtPriceX64: bigint;
  /** The tick of that price, where it is the spacing's own boundary. */
  readonly tick: number | null;
  /** Whether the boundaries of spacings between here and there are passed over. */
  readonly isSkipping: boolean;
};

/** Null where the pool's fee is static. */
export function beginVolatility(state: ClmmState, now: bigint): Volatility | null {
  if (state.dynamicFee === null) return null;
  const index = spacingIndex(state.tickCurrent, state.tickSpacing);
  return {
    fee: updateReference(state.dynamicFee, index, now),
    index,
    tickSpacing: state.tickSpacing,
  };
}

/** With the accumulator of the spacing that the price is in. */
export function accumulate(volatility: Volatility): Volatility {
  const accumulator = accumulatorAt(volatility.fee, volatility.index);
  return { ...volatility, fee: { ...volatility.fee, accumulator } };
}

/** The rate of a pass, parts per million. */
export function feePpmNow(volatility: Volatility, basePpm: number): bigint {
  return BigInt(totalFeePpm(basePpm, volatility.fee, volatility.tickSpacing));
}

/**
 * The end of this pass: the target, or the spacing's boundary before it. Without liquidity, or once
 * the accumulator is full, boundaries no longer matter.
 *
 * @see get_spacing_bounded_price in instructions/swap.rs
 */
export function boundPass(
  volatility: Volatility,
  { targetX64, liquidity, zeroForOne }: PassStart,
): PassBound {
  const { fee, index, tickSpacing } = volatility;
  if (liquidity === 0n || fee.accumulator === fee.maxAccumulator) {
    return { sqrtPriceX64: targetX64, tick: null, isSkipping: true };
  }
  const boundary = (zeroForOne ? index : index + 1) * tickSpacing;
  const tick = Math.min(Math.max(boundary, MIN_TICK), MAX_TICK);
  const sqrtPriceX64 = sqrtPriceAtTick(tick);
  const isTargetNearer = zeroForOne ? targetX64 > sqrtPriceX64 : targetX64 < sqrtPriceX64;
  return isTargetNearer
    ? { sqrtPriceX64: targetX64, tick: null, isSkipping: false }
    : { sqrtPriceX64, tick, isSkipping: false };
}

/**
 * On to the next spacing after a pass; after one that skipped boundaries, from where it got to.
 *
 * @see update_dynamic_fee_index in instructions/swap.rs
 */
export function advance(
  volatility: Volatility,
  pass: {
    readonly reachedTick: number;
    readonly isSkipping: boolean;
    readonly zeroForOne: boolean;
  },
): Volatility {
  const { reachedTick, isSkipping, zeroForOne } = pass;
  const { tickSpacing } = volatility;
  let current = volatility;
  if (isSkipping) {
    const isOnBoundary = reachedTick % tickSpacing === 0;
    const index = spacingIndex(reachedTick, tickSpacing) - (!zeroForOne && isOnBoundary ? 1 : 0);
    current = { ...volatility, index };
    if (current.fee.accumulator !== current.fee.maxAccumulator) current = accumulate(current);
  }
  return { ...current, index: current.index + (zeroForOne ? -1 : 1) };
}
