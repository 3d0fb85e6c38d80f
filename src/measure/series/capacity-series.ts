import type { Assessment, PoolShare, PricedPart } from "../assessment.ts";
import { CALIBRATION } from "../calibration.ts";

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

/**
 * Whether most of what an earlier assessment could be sold into waits behind a hop that migrates. Until its
 * pool opens, capacity does not show what the token's own pools hold.
 */
export function awaitsHop(before: PricedPart, { pools }: PricedPart): boolean {
  // Most tokens have no such pool, and need no set.
  if (!pools.some(isBehindClosedHop)) return false;
  const waiting = new Set(pools.filter(isBehindClosedHop).map(({ address }) => address));
  let known = 0n;
  for (const { address, nearDepthLamports } of before.pools)
    known += waiting.has(address) ? -nearDepthLamports : nearDepthLamports;
  return known < 0n;
}

/** Whether a hop migrates, or is not open yet: the pool itself holds what it held. */
export function isBehindClosedHop({ hopStatus }: PoolShare): boolean {
  return hopStatus !== undefined && hopStatus !== "paused";
}
