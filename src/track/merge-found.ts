import type { Address } from "#src/units/address.ts";
import { applyUpdate } from "./apply-update.ts";
import { MAX_POOLS } from "./choose-pools.ts";
import { addPool, addVacancy, removePool } from "./followed-pools.ts";
import type { LoadedAccounts } from "./gather-accounts.ts";
import type { LiveState, PoolGroup } from "./live-state.ts";
import type { FoundPools } from "./load-token.ts";

/** The result of a search, with the accounts that it read. */
export type Search = {
  readonly found: FoundPools;
  readonly loaded: LoadedAccounts;
  readonly nowMs: number;
};

/** Follows the pools that a search found as a group. */
export function addGroup(state: LiveState, search: Search & { readonly mint: Address }): PoolGroup {
  const { mint, found } = search;
  const group: PoolGroup = {
    mint,
    pools: new Map(),
    vacancies: new Map(),
    filters: found.filters,
    leftOut: found.leftOut,
    isSearchComplete: found.isSearchComplete,
    searchedSlot: found.searchedSlot,
    searchedAtMs: 0,
    searches: 0,
    version: 0,
    token: null,
  };
  mergeFound(state, group, search);
  return group;
}

/**
 * Adds the pools that a search found. Pools that the search did not return are kept, because a search
 * may miss some; they are removed only if there are too many, as the search then weighed all of them.
 */
export function mergeFound(state: LiveState, group: PoolGroup, search: Search): void {
  const { found, loaded } = search;
  state.unsavedGroups.add(group);
  group.leftOut = found.leftOut;
  // The next answer is measured again, even if the last one was measured just now.
  if (group.isSearchComplete !== found.isSearchComplete) group.version++;
  group.isSearchComplete = found.isSearchComplete;
  group.searchedSlot = found.searchedSlot ?? group.searchedSlot;
  for (const ref of found.pools) addPool(state, group, ref, loaded);
  for (const ref of found.vacant) addVacancy(state, group, ref, loaded);
  applyAppeared(state, group, search);
  if (group.pools.size <= MAX_POOLS) return;
  const chosen = new Set(found.pools.map(({ address }) => address));
  for (const pool of group.pools.values()) {
    if (!chosen.has(pool.open.ref.address)) removePool(state, pool);
  }
  group.version++;
}

/**
 * Applies what the search read at addresses that were followed while they had no account, such as that of a
 * pool whose creation was not notified yet: without its bytes the pool would lose its vaults again.
 */
function applyAppeared(
  state: LiveState,
  { pools }: PoolGroup,
  { found, loaded, nowMs }: Search,
): void {
  for (const ref of found.pools) {
    for (const { account: followed } of pools.get(ref.address)?.needs.values() ?? []) {
      const { address, held } = followed;
      const account = loaded.get(address) ?? null;
      if (account === null || (held.account ?? null) !== null) continue;
      const update = { address, account, slot: account.slot };
      applyUpdate(state, update, nowMs, { isConfirmed: true });
    }
  }
}
