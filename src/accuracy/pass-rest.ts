/** No pause is longer, also if the clock was set forward during a pass. */
const LONGEST_REST_MS = 60_000;

/** The pause after a pass over all pools: passes of up to a second take a fiftieth of the time. */
export function restAfter(passMs: number): number {
  return Math.min(50 * passMs, LONGEST_REST_MS);
}
