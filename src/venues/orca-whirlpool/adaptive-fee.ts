import { divCeil } from "#src/units/integer.ts";
import { toNumber } from "#src/units/to-number.ts";

/** A fee that grows with the square of how many tick groups the price has moved lately. */
export type AdaptiveFee = {
  /** Seconds; swaps closer together than this share a reference. */
  readonly filterPeriod: bigint;
  /** Seconds after which the memory of earlier moves is dropped. */
  readonly decayPeriod: bigint;
  /** What is kept of the accumulator between the two periods, of 10,000. */
  readonly reductionFactor: number;
  readonly controlFactor: number;
  readonly maxAccumulator: number;
  /** Ticks in a group, within which the fee stays the same. */
  readonly groupSize: number;
  /** Ticks of price change that make a swap a major one. */
  readonly majorSwapThresholdTicks: number;
  /** Seconds. */
  readonly lastReferenceUpdate: bigint;
  /** Seconds. */
  readonly lastMajorSwap: bigint;
  readonly volatilityReference: number;
  readonly groupReference: number;
  readonly accumulator: number;
};

export const ACCUMULATOR_SCALE = 10_000;
const REDUCTION_DENOMINATOR = 10_000;
const CONTROL_DENOMINATOR = 100_000n * 10_000n * 10_000n;
/** What `maxAccumulator * groupSize` may come to: the program multiplies them in u32. */
export const MAX_CROSSED = 0xffff_ffff;
/** The highest rate that fees add up to. */
const MAX_FEE_PPM = 100_000;
const MAX_REFERENCE_AGE_SECONDS = 3_600n;

/** `floor(tick / groupSize)`: the group that a tick lies in. */
export function groupOfTick(fee: AdaptiveFee, tick: number): number {
  return Math.floor(tick / fee.groupSize);
}

/**
 * The fee's memory as a swap at `now` begins, or null where the clock is behind it and the program
 * refuses.
 *
 * @see AdaptiveFeeVariables::update_reference in state/oracle.rs
 */
export function updateReference(fee: AdaptiveFee, group: number, now: bigint): AdaptiveFee | null {
  const { lastReferenceUpdate, lastMajorSwap } = fee;
  const last = lastReferenceUpdate > lastMajorSwap ? lastReferenceUpdate : lastMajorSwap;
  if (now < last) return null;
  const isTooOld = now - lastReferenceUpdate > MAX_REFERENCE_AGE_SECONDS;
  const elapsed = now - last;
  if (!isTooOld && elapsed < fee.filterPeriod) return fee;
  const volatilityReference =
    !isTooOld && elapsed < fee.decayPeriod
      ? Math.floor((fee.accumulator * fee.reductionFactor) / REDUCTION_DENOMINATOR)
      : 0;
  return { ...fee, groupReference: group, volatilityReference, lastReferenceUpdate: now };
}

/** With the accumulator of a group; never above its maximum. */
export function accumulate(fee: AdaptiveFee, group: number): AdaptiveFee {
  const moved = Math.abs(fee.groupReference - group);
  const volatility = fee.volatilityReference + moved * ACCUMULATOR_SCALE;
  return { ...fee, accumulator: Math.min(volatility, fee.maxAccumulator) };
}

/**
 * The whole rate in parts per million: the pool's own and the adaptive part, rounded up, capped
 * together.
 *
 * @see get_total_fee_rate in manager/fee_rate_manager.rs
 */
export function totalFeePpm(baseFeePpm: number, fee: AdaptiveFee): number {
  const crossed = BigInt(fee.accumulator * fee.groupSize);
  const squared = crossed * crossed;
  const adaptivePpm = divCeil(BigInt(fee.controlFactor) * squared, CONTROL_DENOMINATOR);
  const capped = adaptivePpm > MAX_FEE_PPM ? MAX_FEE_PPM : toNumber(adaptivePpm);
  return Math.min(baseFeePpm + capped, MAX_FEE_PPM);
}
