import type { Clock, Family } from "#src/venues/venue.ts";
import type { CurveStage, FollowedPool, LiveState, PoolGroup } from "./live-state.ts";

/** Curves are full or not at every clock: this one is used until the clock of the chain is known. */
const ANY_CLOCK: Clock = { slot: 0n, unixTimestamp: 0n, epoch: 0n };

/**
 * Notes whether a curve sells, after its bytes were read again.
 *
 * @returns whether it was closed since: then its token's pool may exist and not be known
 */
export function noteCurveStage(state: LiveState, pool: FollowedPool): boolean {
  const { ref, decoded, baseMint } = pool.open;
  if (decoded.kind === "unusable") return false;
  // A launch that is paid for with this token launches another one.
  if ((ref.venue.raised?.(decoded.state, baseMint) ?? null) === null) return false;
  const status = ref.venue.status(decoded.state, state.times.newest ?? ANY_CLOCK);
  if (pool.curve?.status === status) return false;
  const isClosed = status === "complete" || status === "migrated";
  const closedSlot = isClosed ? (state.accounts.get(ref.address)?.changedSlot ?? 0n) : null;
  const wasSeenOpen =
    pool.curve !== null && (pool.curve.closedSlot === null || pool.curve.wasSeenOpen);
  pool.curve = { status, closedSlot, wasSeenOpen };
  return isClosed && wasSeenOpen;
}

/**
 * Whether a curve of the group was closed after the last complete search and the pool that it graduates
 * to is not known (method.md section 4).
 */
export function awaitsGraduation(group: PoolGroup): boolean {
  for (const { curve, open } of group.pools.values()) {
    if (curve === null || curve.closedSlot === null) continue;
    if (curve.closedSlot <= (group.searchedSlot ?? -1n)) continue;
    if (!hasGraduated(group, open.ref.venue.family, curve)) return true;
  }
  return false;
}

/**
 * Whether the pool is known with its accounts: at an address that only the launchpad can use. Any pool of the family will
 * do in a group that was never searched, since a stream brings every pool as it is created, and for a
 * curve that was closed when it was first read, which a moment of the search alone can have missed.
 */
function hasGraduated(
  { pools, searchedSlot }: PoolGroup,
  family: Family,
  { wasSeenOpen }: CurveStage,
): boolean {
  for (const { open, isLoaded } of pools.values()) {
    const { venue, isReserved } = open.ref;
    if (!isLoaded || venue.kind !== "amm" || venue.family !== family) continue;
    if (open.decoded.kind === "unusable" && open.decoded.reason === "missing-account") continue;
    if (isReserved || searchedSlot === null || !wasSeenOpen) return true;
  }
  return false;
}
