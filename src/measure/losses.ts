import { ratioToNumber, toNumber } from "#src/units/to-number.ts";
import type { Assessment, PoolShare } from "./assessment.ts";
import { CALIBRATION } from "./calibration.ts";
import { capacityOfAssessment, logCapacity } from "./capacity-series.ts";

/** What took exit capacity away: each the natural logarithm of its share of the fall, 0 or more. */
export type Losses = {
  /** Liquidity taken out by those who had put it in. */
  readonly withdrawn: number;
  readonly sold: number;
  readonly fees: number;
  readonly paused: number;
};

export const CAUSES = ["withdrawn", "sold", "fees", "paused"] as const;
export type Cause = (typeof CAUSES)[number];

export const NO_LOSSES: Losses = { withdrawn: 0, sold: 0, fees: 0, paused: 0 };

export function addLosses(sum: Losses, added: Losses | null): Losses {
  if (added === null) return sum;
  return {
    withdrawn: sum.withdrawn + added.withdrawn,
    sold: sum.sold + added.sold,
    fees: sum.fees + added.fees,
    paused: sum.paused + added.paused,
  };
}

/** The cause of most of the fall with its share, 0 to 1; null where none is known. */
export function causeOf(losses: Losses): { readonly kind: Cause; readonly share: number } | null {
  const all = CAUSES.reduce((sum, cause) => sum + losses[cause], 0);
  if (all <= 0) return null;
  let main: Cause = "withdrawn";
  for (const cause of CAUSES) if (losses[cause] > losses[main]) main = cause;
  return { kind: main, share: losses[main] / all };
}

/**
 * Why C10 fell between two assessments of one token: read off each pool's fee, price, D10 and status,
 * and scaled to the whole fall. Null where one of them is a gap, or where nothing that is seen
 * explains the fall. Without a fall there are no losses.
 *
 * A sale moves the price, and takes D10 down with the price's square root where the product is
 * constant. A withdrawal takes D10 and leaves the price. Where liquidity is concentrated and the
 * price has moved, what is missing is taken for sold: its D10 may have ended there.
 */
export function lossesBetween(before: Assessment, after: Assessment): Losses | null {
  const capacityBefore = capacityOfAssessment(before);
  const capacityAfter = capacityOfAssessment(after);
  if (capacityBefore === null || capacityAfter === null) return null;
  const fall = logCapacity(capacityBefore) - logCapacity(capacityAfter);
  if (fall <= 0) return NO_LOSSES;
  if (after.blocked === "all-paused") return { ...NO_LOSSES, paused: fall };
  const pools = before.measurement?.pools ?? [];
  const later = new Map(after.measurement?.pools.map((pool) => [pool.address, pool]));
  const seen = pools.reduce(
    (sum, pool) => addLosses(sum, poolLosses(pool, later.get(pool.address))),
    NO_LOSSES,
  );
  const all = CAUSES.reduce((sum, cause) => sum + seen[cause], 0);
  if (all <= 0) return null;
  const scale = fall / all;
  return {
    withdrawn: seen.withdrawn * scale,
    sold: seen.sold * scale,
    fees: seen.fees * scale,
    paused: seen.paused * scale,
  };
}

/** What happened to one pool, weighed by the D10 that it had. */
function poolLosses(before: PoolShare, after: PoolShare | undefined): Losses {
  const weight = toNumber(before.nearDepthLamports);
  if (weight === 0 || before.spotPrice === null) return NO_LOSSES;
  if (after === undefined) return { ...NO_LOSSES, withdrawn: weight };
  if (after.status === "paused") return { ...NO_LOSSES, paused: weight };
  if (after.spotPrice === null) return { ...NO_LOSSES, withdrawn: weight };
  const priceFall =
    Math.log(ratioToNumber(before.spotPrice.numerator, before.spotPrice.denominator)) -
    Math.log(ratioToNumber(after.spotPrice.numerator, after.spotPrice.denominator));
  const near = Math.max(toNumber(after.nearDepthLamports), 1e-6 * weight);
  const nearFall = Math.log(weight / near);
  const { quietPrice } = CALIBRATION.deterioration.cause;
  const isPriceQuiet = Math.abs(priceFall) < quietPrice;
  const withdrawn =
    isPriceQuiet || isConstantProduct(before) ? Math.max(0, nearFall - priceFall / 2) : 0;
  return {
    withdrawn: weight * withdrawn,
    sold: weight * Math.max(0, isConstantProduct(before) ? priceFall / 2 : nearFall - withdrawn),
    fees: weight * Math.max(0, feeLoss(before.feePpm, after.feePpm)),
    paused: 0,
  };
}

/** Whether D10 is the share of the depth that it is at constant product: 1 - sqrt(0.9). */
function isConstantProduct({ nearDepthLamports, depthLamports }: PoolShare): boolean {
  const { nearFallBps } = CALIBRATION.mid;
  const expected = 1 - Math.sqrt(1 - nearFallBps / 10_000);
  const share = ratioToNumber(nearDepthLamports, depthLamports);
  return Math.abs(share / expected - 1) < CALIBRATION.deterioration.cause.constantProductTolerance;
}

/** How much less a constant-product pool's C10 is under the later fee, as a natural logarithm. */
function feeLoss(beforePpm: number, afterPpm: number): number {
  const kept = 1 - toNumber(CALIBRATION.capacity.slippageBps) / 10_000;
  const room = (feePpm: number) => Math.max(1e-3, (1 - feePpm / 1e6) / kept - 1);
  return Math.log(room(beforePpm) / room(afterPpm));
}
