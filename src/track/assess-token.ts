import { assess } from "#src/measure/assess.ts";
import type { Assessment } from "#src/measure/assessment.ts";
import type { Market } from "#src/measure/market.ts";
import type { VenueId } from "#src/venues/venue.ts";
import { buildMarket } from "./build-market.ts";
import { blockTimeMs } from "./chain-clock.ts";
import { hopsOf } from "./followed-tokens.ts";
import type { FollowedPool, FollowedToken, LiveState, PoolGroup } from "./live-state.ts";
import type { OpenPool } from "./open-pool.ts";
import { timeOfSlotMs } from "./slot-times.ts";

/** A minute: what was confirmed so recently and does not move is taken to stand. */
const SETTLED_SLOTS = 150n;

export type AssessDeps = {
  /** Recorded accounts stand still, and the time at which they are judged with them. */
  readonly standsStill: boolean;
  readonly historySeconds: (token: FollowedToken) => number | null;
  readonly exactPctByVenue: () => ReadonlyMap<VenueId, number>;
};

/** The token's market as it is held now, or null while the chain's clock is not known. */
export function marketOf(
  state: LiveState,
  token: FollowedToken,
  deps: AssessDeps,
  nowMs: number,
): Market | null {
  const clock = state.times.newest;
  const slot = stateSlot(state, token);
  const stateTimeMs = slot === null ? null : timeOfSlotMs(state.times, slot);
  if (clock === null || slot === null || stateTimeMs === null) return null;
  const { group } = token;
  return buildMarket(
    {
      mint: token.mint,
      mintFacts: token.mintFacts,
      pools: standingPools(state, group),
      stablePools: hopsOf(state, token).flatMap((hop) => standingPools(state, hop)),
      leftOut: group.leftOut,
      isSearchComplete: group.isSearchComplete,
      clock,
      slot,
      stateTimeMs,
      nowMs: deps.standsStill ? blockTimeMs(clock) : nowMs,
      historySeconds: deps.historySeconds(token),
      exactPctByVenue: deps.exactPctByVenue(),
    },
    state.known,
  );
}

/** Measures the token anew where anything it rests on changed, or where its answer is older than `maxAgeMs`. */
export function assessToken(
  state: LiveState,
  token: FollowedToken,
  deps: AssessDeps,
  options: { readonly nowMs: number; readonly maxAgeMs: number },
): Assessment | null {
  const version = versionOf(state, token);
  const { assessed } = token;
  if (
    assessed !== null &&
    assessed.version === version &&
    !state.dirtyTokens.has(token) &&
    options.nowMs - assessed.atMs < options.maxAgeMs
  ) {
    return assessed.assessment;
  }
  const market = marketOf(state, token, deps, options.nowMs);
  if (market === null) return assessed?.assessment ?? null;
  const assessment = assess(market);
  token.assessed = { assessment, atMs: options.nowMs, version };
  state.dirtyTokens.delete(token);
  return assessment;
}

function versionOf(state: LiveState, token: FollowedToken): number {
  let version = token.group.version;
  for (const hop of hopsOf(state, token)) version += hop.version;
  return version;
}

/** Pools that are loaded and whose own account is there; one that is known to be closed holds nothing and is left out. */
function standingPools(state: LiveState, group: PoolGroup): readonly OpenPool[] {
  const pools: OpenPool[] = [];
  for (const { open, isLoaded } of group.pools.values()) {
    if (isLoaded && state.known.get(open.ref.address) !== null) pools.push(open);
  }
  return pools;
}

/**
 * The newest slot at which everything behind the token is known to hold. A stream that tells of every
 * change vouches for what it is silent about, up to the slot before its newest.
 */
function stateSlot(state: LiveState, token: FollowedToken): bigint | null {
  const { stream, times } = state;
  if (stream !== null && times.newest !== null && token.confirmedAfterGap === stream.gaps) {
    return times.newest.slot - 1n;
  }
  return slotOfAccounts(state, token);
}

function slotOfAccounts(state: LiveState, token: FollowedToken): bigint | null {
  let slot: bigint | null = null;
  for (const group of [token.group, ...hopsOf(state, token)]) {
    for (const pool of group.pools.values()) {
      const poolSlot = pool.isLoaded ? slotOfPool(pool) : null;
      if (poolSlot !== null && (slot === null || poolSlot < slot)) slot = poolSlot;
    }
  }
  // The mint moves seldom and is confirmed by rereads alone: it only bounds what the pools say.
  const mintSlot = state.accounts.get(token.mint)?.held.heldSlot ?? null;
  if (slot === null || mintSlot === null) return slot ?? mintSlot;
  return mintSlot + SETTLED_SLOTS < slot ? mintSlot : slot;
}

/**
 * A pool holds at the oldest slot of its accounts; or, where the parts that move were all seen at a
 * newer one, at that: what did not move then was confirmed not long before.
 */
function slotOfPool(pool: FollowedPool): bigint | null {
  let oldest: bigint | null = null;
  for (const { account } of pool.needs.values()) {
    const { account: bytes, heldSlot } = account.held;
    if (bytes === undefined) continue;
    if (oldest === null || heldSlot < oldest) oldest = heldSlot;
  }
  if (oldest === null || pool.changedSlot - oldest > SETTLED_SLOTS) return oldest;
  return pool.changedSlot > oldest && pool.waitingSinceMs === null ? pool.changedSlot : oldest;
}
