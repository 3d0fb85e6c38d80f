import { mulDivCeil } from "#src/units/integer.ts";
import { toNumber } from "#src/units/to-number.ts";

/** A fee that grows with the square of how many tick spacings the price has moved lately. */
export type DynamicFee = {
  /** Seconds; swaps closer together than this share a reference. */
  readonly filterPeriod: bigint;
  /** Seconds after which the memory of earlier moves is dropped. */
  readonly decayPeriod: bigint;
  /** What is kept of the accumulator between the two periods, of 10,000. */
  readonly reductionFactor: number;
  readonly control: number;
  readonly maxAccumulator: number;
  readonly indexReference: number;
  readonly volatilityReference: number;
  readonly accumulator: number;
  /** Seconds. */
  readonly lastUpdate: bigint;
};

/** What `maxAccumulator * tickSpacing` may come to: the program multiplies them in u32. */
export const MAX_CROSSED = 0xffff_ffff;
/** The highest rate that fees add up to. */
const MAX_FEE_PPM = 100_000;

const ACCUMULATOR_SCALE = 10_000;
const REDUCTION_DENOMINATOR = 10_000;
const CONTROL_DENOMINATOR = 100_000n * 10_000n * 10_000n;

/** `floor(tick / spacing)`: the spacing that a tick lies in. */
export function spacingIndex(tick: number, tickSpacing: number): number {
  return Math.floor(tick / tickSpacing);
}

/**
 * The fee's memory as a swap at `now` begins.
 *
 * @see DynamicFeeInfo::update_reference in states/pool_fee.rs
 */
export function updateReference(fee: DynamicFee, index: number, now: bigint): DynamicFee {
  const elapsed = now > fee.lastUpdate ? now - fee.lastUpdate : 0n;
  if (elapsed < fee.filterPeriod) return fee;
  const volatilityReference =
    elapsed < fee.decayPeriod
      ? Math.floor((fee.accumulator * fee.reductionFactor) / REDUCTION_DENOMINATOR)
      : 0;
  return { ...fee, indexReference: index, volatilityReference, lastUpdate: now };
}

/** The accumulator while the price is within the spacing `index`; never above its maximum. */
export function accumulatorAt(fee: DynamicFee, index: number): number {
  const moved = Math.abs(fee.indexReference - index);
  return Math.min(fee.volatilityReference + moved * ACCUMULATOR_SCALE, fee.maxAccumulator);
}

/**
 * The whole rate in parts per million at this accumulator: the pool's base rate and the dynamic part,
 * rounded up, capped together.
 *
 * @see get_total_fee_rate in instructions/swap.rs
 */
export function totalFeePpm(
  basePpm: number,
  fee: { readonly control: number; readonly accumulator: number },
  tickSpacing: number,
): number {
  const crossed = BigInt(fee.accumulator * tickSpacing);
  const squared = crossed * crossed;
  const dynamicPpm = mulDivCeil(BigInt(fee.control), squared, CONTROL_DENOMINATOR);
  const capped = dynamicPpm > MAX_FEE_PPM ? MAX_FEE_PPM : toNumber(dynamicPpm);
  return Math.min(basePpm + capped, MAX_FEE_PPM);
}
