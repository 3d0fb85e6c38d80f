import type { TokenNames } from "#src/store/tokens.ts";
import type { Address } from "#src/units/address.ts";
import { isStable, WSOL } from "#src/units/known-addresses.ts";
import type { Mint } from "#src/venues/shared/token/mint.ts";
import { firstBasis, newSeries } from "../history/series.ts";
import type { LoadedAccounts } from "../pools/gather-accounts.ts";
import { hopMintsOf, launchpadQuotes } from "../pools/hop-mints.ts";
import { MAX_CHAIN_HOPS } from "../pools/load-chain.ts";
import { type FoundPools, MAX_HOPS } from "../pools/load-token.ts";
import type { OpenPool, PoolRef } from "../pools/open-pool.ts";
import { addUse, followAccount, forEachUse, removeUse } from "./followed-accounts.ts";
import { removeGroup } from "./followed-pools.ts";
import type { FollowedAccount, FollowedToken, LiveState, PoolGroup } from "./live-state.ts";
import { addGroup, mergeFound } from "./merge-found.ts";
import { forgetToken } from "./unconfirmed.ts";

/**
 * The waits before a token's pools are searched again without evidence of a new one; the last repeats.
 * A search is dear, and subscriptions and watched addresses show new pools earlier.
 */
const SEARCH_WAITS_MS = [10 * 60_000, 60 * 60_000, 6 * 60 * 60_000] as const;

/** Hops of the longest way that is priced: a chain of coins, and the pool of what the last one pays in. */
const MOST_HOPS = MAX_CHAIN_HOPS + 1;
const NO_HOPS: readonly PoolGroup[] = [];
const NO_LACKING: readonly LackingHop[] = [];

/** The same while the last search was incomplete: a provider may serve tomorrow what it refused. */
const INCOMPLETE_WAITS_MS = [60_000, ...SEARCH_WAITS_MS] as const;
/** After a sign of a pool for which there is no room, and after a search that failed; then twice as long. */
const SEARCH_SOON_MS = 5_000;
const LONGEST_RETRY_MS = 60_000;
/** Failures in a row after which answers name the gap. */
const FAILURES_NAMED = 3;
const WEIGH_AGAIN_MS = 60_000;

export type NewToken = {
  readonly mint: Address;
  readonly mintFacts: Mint | null;
  readonly names: TokenNames;
  readonly found: FoundPools;
  readonly loaded: LoadedAccounts;
  /** Whether `found` is the result of a search of all venues. */
  readonly isSearched: boolean;
  readonly nowMs: number;
};

/**
 * Follows a loaded token. One that is followed already is returned: unchanged if its pools were searched, otherwise
 * with what was loaded, because the stream, which added it meanwhile, has only its pools that trade.
 */
export function addToken(state: LiveState, input: NewToken): FollowedToken {
  const existing = state.tokens.get(input.mint);
  if (existing !== undefined) {
    if (!existing.isSearched) mergeLoaded(state, existing, input);
    return existing;
  }
  const group = addGroup(state, input);
  const token: FollowedToken = {
    mint: input.mint,
    group,
    mintFacts: input.mintFacts,
    names: input.names,
    isSearched: input.isSearched,
    confirmedAfterGap: null,
    askedAtMs: input.isSearched ? input.nowMs : Number.NEGATIVE_INFINITY,
    isWatched: false,
    rereadDueMs: input.nowMs,
    searchDueMs: input.nowMs + searchWaitMs(group),
    isSearchUrgent: false,
    failedSearches: 0,
    assessed: null,
    series: newSeries(firstBasis(input.nowMs)),
  };
  group.token = token;
  const account = followAccount(state, input.mint, input.loaded);
  addUse(account, { kind: "mint", token, account });
  state.tokens.set(input.mint, token);
  if (input.isSearched) state.usedTokens.add(token);
  state.dirtyTokens.add(token);
  return token;
}

function mergeLoaded(state: LiveState, token: FollowedToken, input: NewToken): void {
  const { found, loaded, names, nowMs } = input;
  const { group } = token;
  const before = [...group.pools.keys()];
  mergeFound(state, group, found, loaded);
  token.mintFacts ??= input.mintFacts;
  if (names.name !== null || names.symbol !== null) token.names = names;
  token.isSearched = input.isSearched;
  // Updates of these accounts may have been missed since they were read, as with a new token.
  token.confirmedAfterGap = null;
  searchWithin(token, nowMs, searchWaitMs(group));
  // If there were too many, those that the search had not seen were removed unweighed.
  const isUnweighed = (pool: Address): boolean =>
    !group.pools.has(pool) && !group.weighedOut.has(pool);
  if (before.some(isUnweighed)) noteUnweighed(token, nowMs);
  state.dirtyTokens.add(token);
}

/** Notes a request for the token. */
export function noteAsked(state: LiveState, token: FollowedToken, atMs: number): void {
  token.askedAtMs = atMs;
  if (isFollowed(state, token)) state.usedTokens.add(token);
}

export function setWatched(state: LiveState, token: FollowedToken, isWatched: boolean): void {
  token.isWatched = isWatched;
  if (isWatched && isFollowed(state, token)) state.usedTokens.add(token);
}

/** It may have been dropped while it waited, or while its accounts were read. */
export function isFollowed(state: LiveState, token: FollowedToken): boolean {
  return state.tokens.get(token.mint) === token;
}

/** How long after its last search a group is searched again without evidence of a new pool. */
export function searchWaitMs({ isSearchComplete, searches }: PoolGroup): number {
  const waits = isSearchComplete ? SEARCH_WAITS_MS : INCOMPLETE_WAITS_MS;
  return waits[Math.min(searches, waits.length - 1)] ?? waits[0];
}

/** Sets when the token's pools are searched again without evidence, after a search just begun. */
export function planNextSearch(token: FollowedToken, nowMs: number): void {
  token.group.searches++;
  token.isSearchUrgent = false;
  token.searchDueMs = nowMs + searchWaitMs(token.group);
}

/**
 * The search has ended, and may now be complete: without evidence since, the next one waits for that long.
 * A pool that it left out for the first time may have been created a moment ago, and be funded later.
 */
export function replanSearch(token: FollowedToken, plannedMs: number, nowMs: number): void {
  if (token.searchDueMs === plannedMs) token.searchDueMs = nowMs + searchWaitMs(token.group);
  const isAnyNew = token.group.weighedOut.values().some((wasBefore) => !wasBefore);
  if (isAnyNew) searchWithin(token, nowMs, SEARCH_WAITS_MS[0]);
}

/**
 * When the pools of a restored token are searched again: at `dueMs`, as planned by the earlier process, but
 * after the first wait at the latest, since pools may have been created while no process ran.
 */
export function searchSoonAfter(dueMs: number, nowMs: number): number {
  return Math.min(Math.max(dueMs, nowMs), nowMs + SEARCH_WAITS_MS[0]);
}

/** There is evidence of a new pool: the search comes soon, and the waits begin again. */
export function searchSoon(token: FollowedToken, nowMs: number): void {
  token.group.searches = 0;
  token.isSearchUrgent = true;
  token.searchDueMs = Math.min(token.searchDueMs, nowMs);
}

/** Answers name the gap until a search succeeds. */
export function noteIncomplete({ group }: FollowedToken): void {
  if (!group.isSearchComplete) return;
  group.isSearchComplete = false;
  group.version++;
}

/**
 * An update of a pool that a search weighed and left out: it may hold more now. A new pool, which is often
 * created empty, is weighed again soon, others after the first wait. False: it was not left out.
 */
export function noteWeighedOut(token: FollowedToken, pool: Address, nowMs: number): boolean {
  const wasBefore = token.group.weighedOut.get(pool);
  if (wasBefore === undefined) return false;
  searchWithin(token, nowMs, wasBefore ? SEARCH_WAITS_MS[0] : WEIGH_AGAIN_MS);
  return true;
}

/** A pool was named that no search has weighed, and the token has no room for it: a search chooses. */
export function noteUnweighed(token: FollowedToken, nowMs: number): void {
  noteIncomplete(token);
  searchWithin(token, nowMs, SEARCH_SOON_MS);
}

/** A pool was named of a slot that may be dropped: a search, which reads confirmed state, finds it later. */
export function searchForUnconfirmed(token: FollowedToken, nowMs: number): void {
  searchWithin(token, nowMs, SEARCH_SOON_MS);
}

function searchWithin(token: FollowedToken, nowMs: number, waitMs: number): void {
  token.searchDueMs = Math.min(token.searchDueMs, nowMs + waitMs);
}

/**
 * The search that `planNextSearch` noted has failed: it is repeated soon. Where a pool is known to be
 * missing, or searches keep failing, answers name the gap.
 */
export function retrySearch(token: FollowedToken, wasUrgent: boolean, nowMs: number): void {
  token.failedSearches++;
  token.group.searches = Math.max(0, token.group.searches - 1);
  if (wasUrgent || token.failedSearches >= FAILURES_NAMED) noteIncomplete(token);
  token.isSearchUrgent ||= wasUrgent;
  const waitMs = SEARCH_SOON_MS * 2 ** (token.failedSearches - 1);
  searchWithin(token, nowMs, Math.min(waitMs, LONGEST_RETRY_MS));
}

export function removeToken(state: LiveState, token: FollowedToken): void {
  removeGroup(state, token.group);
  const account = state.accounts.get(token.mint);
  if (account !== undefined) {
    forEachUse(account, (use) => {
      if (use.kind === "mint" && use.token === token) removeUse(state, use);
    });
  }
  state.tokens.delete(token.mint);
  state.usedTokens.delete(token);
  state.dirtyTokens.delete(token);
  if (state.unconfirmed !== null) forgetToken(state.unconfirmed, token);
}

/** The token's own group, and those of `hopsOf`. */
export function groupsOf(state: LiveState, token: FollowedToken): readonly PoolGroup[] {
  return [token.group, ...hopsOf(state, token)];
}

/** The groups that the token's pools lead through, and those that their pools lead through. */
export function hopsOf(state: LiveState, token: FollowedToken): readonly PoolGroup[] {
  if (state.hops.size === 0 || isStable(token.mint) || !leadsOn(state, token.group)) return NO_HOPS;
  return hopsWithin(state, token.group).map(({ group }) => group);
}

/** Whether any hop is behind the group's pools: behind most there is none, and each measurement needs to know. */
function leadsOn(state: LiveState, { mint, pools }: PoolGroup): boolean {
  for (const { open } of pools.values()) if (hopBehind(state, mint, open) !== null) return true;
  return false;
}

/** The hop behind a pool; null: it needs none, its pair is unreadable, or no hop of its quote mint is followed. */
function hopBehind(state: LiveState, origin: Address, { quoteMint }: OpenPool): PoolGroup | null {
  return needsHop(quoteMint, origin) ? (state.hops.get(quoteMint) ?? null) : null;
}

/** Whether a pool that pays in this leads to SOL through another pool only. Null: its pair is unreadable. */
function needsHop(quoteMint: Address | null, origin: Address): quoteMint is Address {
  return quoteMint !== null && quoteMint !== WSOL && quoteMint !== origin;
}

/** The groups behind a group's pools, nearest first; `hops` counts those from the token's pool to it. */
function hopsWithin(
  state: LiveState,
  origin: PoolGroup,
): readonly { readonly group: PoolGroup; readonly hops: number }[] {
  const found: { readonly group: PoolGroup; readonly hops: number }[] = [];
  const seen = new Set<PoolGroup>([origin]);
  let level: readonly PoolGroup[] = [origin];
  for (let hops = 1; hops <= MOST_HOPS && level.length > 0; hops++) {
    const next: PoolGroup[] = [];
    for (const { pools } of level) {
      for (const { open } of pools.values()) {
        const group = hopBehind(state, origin.mint, open);
        if (group === null || seen.has(group)) continue;
        seen.add(group);
        found.push({ group, hops });
        next.push(group);
      }
    }
    level = next;
  }
  return found;
}

/** A quote mint that needs hops of its own and whose pools were never searched. */
export type LackingHop = {
  readonly mint: Address;
  /** How many hops may follow the pool that pays in it, by any venue, or through coins of a launchpad. */
  readonly left: number;
  /** A launchpad's own pool pays in it: its pools can be derived if it is a coin of the launchpad. */
  readonly isLaunchpadQuote: boolean;
};

/** The lacking hops behind the token's pools and behind the hops that are known, nearest first. */
export function lackingHops(state: LiveState, token: FollowedToken): readonly LackingHop[] {
  if (!anyNeedsHop(token.group)) return NO_LACKING;
  const groups = [{ group: token.group, hops: 0 }, ...hopsWithin(state, token.group)];
  return groups.flatMap(({ group, hops }) => lackingBehind(state, token, { group, hops }));
}

/** A loop that allocates nothing: this is checked for thousands of tokens each second. */
function anyNeedsHop({ mint, pools }: PoolGroup): boolean {
  for (const { open } of pools.values()) if (needsHop(open.quoteMint, mint)) return true;
  return false;
}

function lackingBehind(
  state: LiveState,
  { mint: origin }: FollowedToken,
  { group, hops }: { readonly group: PoolGroup; readonly hops: number },
): readonly LackingHop[] {
  if (isStable(group.mint)) return [];
  const hasUnknown = group.pools.values().some(({ open: { quoteMint, ref } }) => {
    if (!needsHop(quoteMint, origin)) return false;
    return isLacking(state, quoteMint, ref.venue.chainSales !== undefined);
  });
  if (!hasUnknown) return [];
  const quotes = launchpadQuotes(group.mint, refsOf(group), state.known);
  return hopMintsOf({ mint: group.mint, except: origin }, refsOf(group), state.known).flatMap(
    (mint) => {
      const isLaunchpadQuote = quotes.has(mint);
      const left = hopsLeft({ mint, isLaunchpadQuote, hops });
      const isLeft = left > 0 && isLacking(state, mint, isLaunchpadQuote);
      return isLeft ? [{ mint, left, isLaunchpadQuote }] : [];
    },
  );
}

/** Derived pools are enough behind a launchpad's own pool; behind others, all its pools are searched. */
function isLacking(state: LiveState, mint: Address, isLaunchpadQuote: boolean): boolean {
  const group = state.hops.get(mint);
  return group === undefined || (!isLaunchpadQuote && group.isDerivedOnly);
}

function hopsLeft(behind: {
  readonly mint: Address;
  readonly isLaunchpadQuote: boolean;
  readonly hops: number;
}): number {
  const { mint, isLaunchpadQuote, hops } = behind;
  if (isLaunchpadQuote) return MAX_CHAIN_HOPS - hops;
  // A chain may end in a stable at any depth.
  return isStable(mint) ? MOST_HOPS - hops : MAX_HOPS - hops;
}

/** The pools of a group, by program and address. */
export function refsOf({ pools }: PoolGroup): readonly PoolRef[] {
  return Array.from(pools.values(), ({ open }) => open.ref);
}

/** Every account that an assessment of the token depends on, without vacancies. */
export function accountsOf(state: LiveState, token: FollowedToken): Set<FollowedAccount> {
  const accounts = new Set<FollowedAccount>();
  for (const group of groupsOf(state, token)) {
    const mint = state.accounts.get(group.mint);
    if (mint !== undefined) accounts.add(mint);
    for (const pool of group.pools.values()) {
      for (const { account } of pool.needs.values()) accounts.add(account);
    }
  }
  return accounts;
}
