import type { Assessment } from "./assessment.ts";
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
 * What an assessment adds to the series of C10, in SOL. A token on which all trading is known to be
 * paused can't be exited: 0. Every other block is a gap, null: nothing is known.
 */
export function capacityOfAssessment(assessment: Assessment): number | null {
  if (assessment.measurement !== null) return assessment.measurement.c10Sol;
  return assessment.blocked === "all-paused" ? 0 : null;
}
