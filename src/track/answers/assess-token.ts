import { assess } from "#src/measure/assess.ts";
import type { Assessment } from "#src/measure/assessment.ts";
import type { Market, UnpricedPool } from "#src/measure/market/market.ts";
import { lamportsPerMicroUsd } from "#src/measure/market/usd-price.ts";
import { ratioToNumber } from "#src/units/to-number.ts";
import type { Clock, VenueId } from "#src/venues/venue.ts";
import { hopsOf } from "../following/followed-tokens.ts";
import { awaitsGraduation } from "../following/graduation.ts";
import type { FollowedToken, LiveState, PoolGroup } from "../following/live-state.ts";
import { timeOfSlotMs } from "../following/slot-times.ts";
import { stateSlot } from "../following/state-slot.ts";
import { buildMarket, unsearchedHops } from "../pools/build-market.ts";
import { blockTimeMs } from "../pools/chain-clock.ts";
import { type OpenPool, unreadPool } from "../pools/open-pool.ts";
import { agedAssessment } from "../snapshot-text.ts";
import { carriedAssessment, carriedKey, NotedClock, sharedFacts } from "./carried-assessment.ts";
import type { ExecutedAnswers } from "./executed-answers.ts";

const NO_POOLS: readonly OpenPool[] = [];

export type AssessDeps = {
  /** Recorded accounts never change, and are assessed at the time of the recording. */
  readonly isFrozen: boolean;
  /** Answers are of processed slots, which may be dropped. */
  readonly isProcessed: boolean;
  readonly historySeconds: (token: FollowedToken) => number | null;
  readonly exactPctByVenue: () => ReadonlyMap<VenueId, number>;
  readonly newDeployments?: () => ReadonlySet<VenueId>;
  /** The token's answer by execution; absent: the model always answers. */
  readonly executed?: Pick<ExecutedAnswers, "of" | "concerns">;
};

/**
 * The token's market from the accounts held now; null while the chain's clock is unknown.
 *
 * @param moment.isLasting measured also after this turn: its pools have no quoters in doubles, which follow the accounts
 */
export function marketOf(
  state: LiveState,
  token: FollowedToken,
  deps: AssessDeps,
  moment: { readonly nowMs: number; readonly isLasting: boolean },
): Market | null {
  const clock = state.times.newest;
  return clock === null ? null : marketAt(state, token, deps, { clock, ...moment });
}

function marketAt(
  state: LiveState,
  token: FollowedToken,
  deps: AssessDeps,
  moment: { readonly clock: Clock; readonly nowMs: number; readonly isLasting: boolean },
): Market | null {
  const { clock, nowMs, isLasting } = moment;
  const slot = stateSlot(state, token);
  const stateTimeMs = slot === null ? null : timeOfSlotMs(state.times, slot);
  if (slot === null || stateTimeMs === null) return null;
  const { group } = token;
  const hops = hopsOf(state, token);
  const poolsOf = (of: PoolGroup): readonly OpenPool[] => {
    const pools = openPools(state, of);
    return isLasting ? pools.map((pool) => ({ ...pool, fast: null })) : pools;
  };
  const { exactPctByVenue, newDeployments } = sharedFacts(state, deps, {
    epoch: clock.epoch,
    nowMs,
  });
  return buildMarket(
    {
      mint: token.mint,
      mintFacts: token.mintFacts,
      pools: poolsOf(group),
      hopPools: hops.flatMap(poolsOf),
      leftOut: withUnread(state, group),
      // What a hop pays is not known before all of its pools are read.
      isSearchComplete:
        group.isSearchComplete && !hops.some((hop) => unreadPools(state, hop).length > 0),
      unsearchedHops: unsearchedHops(hops),
      awaitsGraduation: awaitsGraduation(group),
      clock,
      slot,
      stateTimeMs,
      nowMs: deps.isFrozen ? blockTimeMs(clock) : nowMs,
      historySeconds: deps.historySeconds(token),
      exactPctByVenue,
      newDeployments,
    },
    state.known,
  );
}

/**
 * Measures the token again if anything it depends on changed, or if its answer is older than `maxAgeMs`; an
 * unchanged answer is carried on to the newest slot where measuring would give the same.
 *
 * @param options.isResting it is not measured now: its last answer is given, which states its slot, at its present age
 */
export function assessToken(
  state: LiveState,
  token: FollowedToken,
  deps: AssessDeps,
  options: { readonly nowMs: number; readonly maxAgeMs: number; readonly isResting?: boolean },
): Assessment | null {
  const { assessed } = token;
  if (assessed !== null && options.nowMs - assessed.atMs < options.maxAgeMs) {
    if (isUnchanged(state, token)) return assessed.assessment;
  }
  const { nowMs } = options;
  const carried = isUnchanged(state, token) ? carriedAssessment(state, token, deps, nowMs) : null;
  if (assessed !== null && carried !== null) {
    const { version, carriedUnder } = assessed;
    token.assessed = { assessment: carried, atMs: nowMs, version, carriedUnder };
    return carried;
  }
  if (assessed !== null && options.isResting === true)
    return deps.isFrozen ? assessed.assessment : agedAssessment(assessed.assessment, nowMs);
  const { newest } = state.times;
  const clock = newest === null ? null : new NotedClock(newest);
  const market =
    clock === null ? null : marketAt(state, token, deps, { clock, nowMs, isLasting: false });
  if (clock === null || market === null) return assessed?.assessment ?? null;
  const executed = deps.executed?.of(token, market) ?? null;
  const measured = executed ?? assess(market);
  const assessment: Assessment = deps.isProcessed
    ? { ...measured, commitment: "processed" }
    : measured;
  notePriceOfSol(state, market, nowMs);
  token.assessed = {
    assessment,
    atMs: nowMs,
    version: versionOf(state, token),
    carriedUnder:
      executed === null
        ? carriedKey(assessment, clock, sharedFacts(state, deps, { epoch: clock.epoch, nowMs }))
        : null,
  };
  state.dirtyTokens.delete(token);
  return assessment;
}

/** Whether the token's accounts are those of its last assessment. */
export function isUnchanged(state: LiveState, token: FollowedToken): boolean {
  const { assessed } = token;
  if (assessed === null || state.dirtyTokens.has(token)) return false;
  return assessed.version === versionOf(state, token);
}

/** For display only, and therefore read every ten seconds at most: nothing is measured with it. */
const PRICE_OF_SOL_EVERY_MS = 10_000;
const MICRO_USD_LAMPORTS_PER_SOL_USD = 1_000n;

function notePriceOfSol(state: LiveState, { hopPools }: Market, nowMs: number): void {
  if (state.solPrice !== null && nowMs - state.solPrice.atMs < PRICE_OF_SOL_EVERY_MS) return;
  const price = hopPools.length === 0 ? null : lamportsPerMicroUsd(hopPools);
  if (price === null || price.numerator === 0n) return;
  const usd = ratioToNumber(MICRO_USD_LAMPORTS_PER_SOL_USD * price.denominator, price.numerator);
  state.solPrice = { usd, atMs: nowMs };
}

export function versionOf(state: LiveState, token: FollowedToken): number {
  let version = token.group.version;
  for (const hop of hopsOf(state, token)) version += hop.version;
  return version;
}

/** The loaded pools, without those known to be closed. */
export function openPools(state: LiveState, { pools }: PoolGroup): readonly OpenPool[] {
  const loaded: OpenPool[] = [];
  for (const { open, isLoaded } of pools.values())
    if (isLoaded && state.known.get(open.ref.address) !== null) loaded.push(open);
  return loaded;
}

/**
 * Pools that are known and not read yet. Those that appeared a moment ago are left out while the answer without them
 * has a price, and another pool is loaded that is not a closed curve.
 */
function unreadPools(state: LiveState, { pools, token }: PoolGroup): readonly OpenPool[] {
  let unread = NO_POOLS;
  let awaited = NO_POOLS;
  let isOtherLoaded = false;
  for (const { open, isLoaded, isAwaited, curve } of pools.values()) {
    if (state.known.get(open.ref.address) === null) continue;
    if (isLoaded) isOtherLoaded ||= curve === null || curve.closedSlot === null;
    else if (isAwaited) awaited = [...awaited, open];
    else unread = [...unread, open];
  }
  if (awaited.length === 0) return unread;
  const midPrice = token?.assessed?.assessment.measurement?.midPrice ?? null;
  const hasPrice = token === null || midPrice !== null;
  return isOtherLoaded && hasPrice ? unread : [...unread, ...awaited];
}

/** The pools that were left out and those that are not read: both are known and not priced. */
function withUnread(state: LiveState, group: PoolGroup): readonly UnpricedPool[] {
  const unread = unreadPools(state, group);
  if (unread.length === 0) return group.leftOut;
  return [...group.leftOut, ...unread.map((pool) => unreadPool(pool, state.known))];
}
