import type { Address } from "#src/units/address.ts";
import { STABLE_MINTS } from "#src/units/known-addresses.ts";
import type { Mint } from "#src/venues/token/mint.ts";
import { addUse, followAccount, forEachUse, removeUse } from "./followed-accounts.ts";
import { addGroup, removeGroup } from "./followed-pools.ts";
import type { LoadedAccounts } from "./gather-accounts.ts";
import type { FollowedAccount, FollowedToken, LiveState, PoolGroup } from "./live-state.ts";
import type { FoundPools } from "./load-token.ts";
import { isStable } from "./quote-mints.ts";
import type { TokenNames } from "./token-names.ts";
import { firstBasis, newSeries } from "./token-series.ts";

/** Pools of a token are searched again this often, beside what subscriptions tell. */
export const SEARCH_EVERY_MS = 120_000;

export type NewToken = {
  readonly mint: Address;
  readonly mintFacts: Mint | null;
  readonly names: TokenNames;
  readonly found: FoundPools;
  readonly loaded: LoadedAccounts;
  /** Whether `found` is what a search of all venues found. */
  readonly isSearched: boolean;
  readonly nowMs: number;
};

/** Follows a token that was loaded; one that is followed already keeps what it has. */
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
    searchDueMs: input.nowMs + SEARCH_EVERY_MS,
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

/** The stables' groups that the token's pools lead through. */
export function hopsOf(state: LiveState, token: FollowedToken): readonly PoolGroup[] {
  if (state.hops.size === 0) return [];
  const hops: PoolGroup[] = [];
  for (const stable of STABLE_MINTS) {
    const group = state.hops.get(stable);
    if (group === undefined || stable === token.mint) continue;
    for (const pool of token.group.pools.values()) {
      if (pool.open.quoteMint !== stable) continue;
      hops.push(group);
      break;
    }
  }
  return hops;
}

/** Whether a pool of the token leads through a stable whose SOL pools were never looked for. */
export function lacksHop(state: LiveState, token: FollowedToken): boolean {
  for (const { open } of token.group.pools.values()) {
    const { quoteMint } = open;
    if (quoteMint !== null && isStable(quoteMint) && !state.hops.has(quoteMint)) return true;
  }
  return false;
}

/** Every account that an assessment of the token rests on; vacancies are read along with them. */
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
