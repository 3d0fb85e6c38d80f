/** The pause after a pass over all pools, with which such passes take at most a fiftieth of the time. */
export function restAfter(passMs: number): number {
  return 50 * passMs;
}
