import type { PoolRef } from "#src/track/pools/open-pool.ts";

/** Pools of each venue whose swaps are received at a time, and for how long. */
const POOLS_PER_VENUE = 2;
const TURN_MS = 5 * 60_000;

/**
 * The pools that are sampled now: a few of each venue in turn, since every swap received costs bytes.
 * An hour sees two dozen pools of each venue, more than the five that a fall below 99 % requires.
 */
export function sampledPools(pools: Iterable<PoolRef>, nowMs: number): readonly PoolRef[] {
  const turn = Math.floor(nowMs / TURN_MS);
  const byVenue = Map.groupBy(pools, ({ venue }) => venue.id);
  return [...byVenue.values()].flatMap((own) => {
    if (own.length <= POOLS_PER_VENUE) return own;
    const ordered = own.toSorted((a, b) => (a.address < b.address ? -1 : 1));
    return Array.from({ length: POOLS_PER_VENUE }, (_, place) => {
      return ordered[(turn * POOLS_PER_VENUE + place) % ordered.length];
    }).filter((ref) => ref !== undefined);
  });
}
