import type { TokenNames } from "#src/store/tokens.ts";
import type { Address } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import type { Mint } from "#src/venues/shared/token/mint.ts";
import { addUse, followAccount, forEachUse, removeUse } from "./followed-accounts.ts";
import { addGroup, removeGroup } from "./followed-pools.ts";
import type { LoadedAccounts } from "./gather-accounts.ts";
import { firstBasis, newSeries } from "./history/series.ts";
import { hopMintsOf } from "./hop-mints.ts";
import type { FollowedAccount, FollowedToken, LiveState, PoolGroup } from "./live-state.ts";
import type { FoundPools } from "./load-token.ts";
import type { PoolRef } from "./open-pool.ts";
import { isStable } from "./quote-mints.ts";

/**
 * The waits before a token's pools are searched again without evidence of a new one; the last repeats.
 * A search is dear, and subscriptions and watched addresses show new pools earlier.
 */
const SEARCH_WAITS_MS = [10 * 60_000, 60 * 60_000, 6 * 60 * 60_000] as const;

/** Hops of the longest chain that is priced: coins quoted in pump coins. */
const MAX_CHAIN = 5;
const NO_HOPS: readonly PoolGroup[] = [];

/** The same while the last search was incomplete: a provider may serve tomorrow what it refused. */
const INCOMPLETE_WAITS_MS = [60_000, 5 * 60_000, 10 * 60_000] as const;

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

/** Follows a loaded token; a token that is followed already is returned unchanged. */
export function addToken(state: LiveState, input: NewToken): FollowedToken {
  const existing = state.tokens.get(input.mint);
  if (existing !== undefined) return existing;
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
    searches: 0,
    searchDueMs:
      input.nowMs + (input.found.isSearchComplete ? SEARCH_WAITS_MS : INCOMPLETE_WAITS_MS)[0],
    assessed: null,
    series: newSeries(firstBasis(input.nowMs)),
  };
  group.token = token;
  const account = followAccount(state, input.mint, input.loaded);
  addUse(account, { kind: "mint", token, account });
  state.tokens.set(input.mint, token);
  state.dirtyTokens.add(token);
  return token;
}

/** Sets when the token's pools are searched again without evidence, after a search just begun. */
export function planNextSearch(token: FollowedToken, nowMs: number): void {
  token.searches++;
  const waits = token.group.isSearchComplete ? SEARCH_WAITS_MS : INCOMPLETE_WAITS_MS;
  const place = Math.min(token.searches, waits.length - 1);
  token.searchDueMs = nowMs + (waits[place] ?? waits[0]);
}

/** There is evidence of a new pool: the search comes soon, and the waits begin again. */
export function searchSoon(token: FollowedToken, nowMs: number): void {
  token.searches = 0;
  token.searchDueMs = Math.min(token.searchDueMs, nowMs);
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
  state.dirtyTokens.delete(token);
}

/** The groups that the token's pools lead through, and those that their pools lead through. */
export function hopsOf(state: LiveState, token: FollowedToken): readonly PoolGroup[] {
  if (state.hops.size === 0 || isStable(token.mint)) return NO_HOPS;
  const hops = hopsWithin(state, token.group, MAX_CHAIN);
  return hops.length === 0 ? NO_HOPS : hops.map(({ group }) => group);
}

/** The groups behind a group's pools, nearest first, with the hops that are left behind each. */
export function hopsWithin(
  state: LiveState,
  origin: PoolGroup,
  most: number,
): readonly { readonly group: PoolGroup; readonly left: number }[] {
  const hops: { readonly group: PoolGroup; readonly left: number }[] = [];
  const seen = new Set<PoolGroup>([origin]);
  let level: readonly PoolGroup[] = [origin];
  for (let left = most - 1; left >= 0 && level.length > 0; left--) {
    const next: PoolGroup[] = [];
    for (const { pools } of level) {
      for (const { open } of pools.values()) {
        const { quoteMint } = open;
        if (quoteMint === null || quoteMint === WSOL || quoteMint === origin.mint) continue;
        const group = state.hops.get(quoteMint);
        if (group === undefined || seen.has(group)) continue;
        seen.add(group);
        hops.push({ group, left });
        next.push(group);
      }
    }
    level = next;
  }
  return hops;
}

/** The quote mints that need hops of their own and whose pools were never searched. */
export function lackingHops(
  state: LiveState,
  group: PoolGroup,
  origin: Address,
): readonly Address[] {
  if (isStable(group.mint)) return [];
  const hasUnknown = group.pools.values().some(({ open: { quoteMint } }) => {
    return (
      quoteMint !== null && quoteMint !== WSOL && quoteMint !== origin && !state.hops.has(quoteMint)
    );
  });
  if (!hasUnknown) return [];
  return hopMintsOf({ mint: group.mint, except: origin }, refsOf(group), state.known).filter(
    (mint) => !state.hops.has(mint),
  );
}

/** The pools of a group, by program and address. */
export function refsOf({ pools }: PoolGroup): readonly PoolRef[] {
  return Array.from(pools.values(), ({ open }) => open.ref);
}

/** Every account that an assessment of the token depends on, without vacancies. */
export function accountsOf(state: LiveState, token: FollowedToken): Set<FollowedAccount> {
  const accounts = new Set<FollowedAccount>();
  const mint = state.accounts.get(token.mint);
  if (mint !== undefined) accounts.add(mint);
  for (const group of [token.group, ...hopsOf(state, token)]) {
    for (const pool of group.pools.values()) {
      for (const { account } of pool.needs.values()) accounts.add(account);
    }
  }
  return accounts;
}
