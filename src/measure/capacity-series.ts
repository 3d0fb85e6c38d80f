import type { Assessment, PricedPart } from "./assessment.ts";
import { CALIBRATION } from "./calibration.ts";

/**
 * C10 as its series hold it: `ln(max(C10, 0.01 SOL))`. Float on purpose: it is judged, never paid.
 *
 * @param c10Sol 0 or more
 */
export function logCapacity(c10Sol: number): number {
  return Math.log(Math.max(c10Sol, CALIBRATION.series.leastCapacitySol));
}

/**
 * What an assessment adds to the public series of C10, in SOL: history and trend. If all trading is
 * known to be paused, the token can't be exited: 0. Every other block is a gap, null.
 */
export function capacityOfAssessment(assessment: Assessment): number | null {
  if (assessment.measurement !== null) return assessment.measurement.c10Sol;
  return assessment.blocked === "all-paused" ? 0 : null;
}

/**
 * What the deterioration alert is evaluated on (method.md section 6): the priced pools, also while the
 * answer is blocked. Null is a gap: nothing is known of any pool.
 */
export function pricedPart(assessment: Assessment): PricedPart | null {
  return assessment.measurement ?? assessment.pricedWhileBlocked;
}
