import type { Address } from "#src/units/address.ts";
import { MAX_POOLS } from "./choose-pools.ts";
import { addUse, followAccount, removeUse } from "./followed-accounts.ts";
import { accountsNeeded, type LoadedAccounts } from "./gather-accounts.ts";
import type { FollowedPool, LiveState, PoolGroup, PoolNeed, Vacancy } from "./live-state.ts";
import type { FoundPools } from "./load-token.ts";
import { openPool, outlineOf, type PoolRef } from "./open-pool.ts";
import { quoteMintFor } from "./quote-mints.ts";

/** Follows the pools that a search found as a group. */
export function addGroup(
  state: LiveState,
  input: { readonly mint: Address; readonly found: FoundPools; readonly loaded: LoadedAccounts },
): PoolGroup {
  const { mint, found, loaded } = input;
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
  mergeFound(state, group, found, loaded);
  return group;
}

/**
 * Adds the pools that a search found. Pools that the search did not return are kept, because a search
 * may miss some; they are removed only if there are too many, as the search then weighed all of them.
 */
export function mergeFound(
  state: LiveState,
  group: PoolGroup,
  found: FoundPools,
  loaded: LoadedAccounts,
): void {
  state.unsavedGroups.add(group);
  group.leftOut = found.leftOut;
  // The next answer is measured again, even if the last one was measured just now.
  if (group.isSearchComplete !== found.isSearchComplete) group.version++;
  group.isSearchComplete = found.isSearchComplete;
  group.searchedSlot = found.searchedSlot ?? group.searchedSlot;
  for (const ref of found.pools) addPool(state, group, ref, loaded);
  for (const ref of found.vacant) addVacancy(state, group, ref, loaded);
  if (group.pools.size <= MAX_POOLS) return;
  const chosen = new Set(found.pools.map(({ address }) => address));
  for (const pool of group.pools.values()) {
    if (!chosen.has(pool.open.ref.address)) removePool(state, pool);
  }
  group.version++;
}

/** Follows a pool of the group, unless its pair is readable and is not one we count. */
export function addPool(
  state: LiveState,
  group: PoolGroup,
  ref: PoolRef,
  loaded?: LoadedAccounts,
): FollowedPool | null {
  const existing = group.pools.get(ref.address);
  if (existing !== undefined) return existing;
  const known = loaded ?? state.known;
  const outline = outlineOf(ref, known);
  if (outline !== null && quoteMintFor(group.mint, outline) === null) return null;
  const pool: FollowedPool = {
    group,
    open: openPool(ref, group.mint, known),
    curve: null,
    needs: new Map(),
    changes: 0,
    changedSlot: -1n,
    isLoaded: false,
    waitingSinceMs: null,
    needsCheckedAtMs: 0,
  };
  group.pools.set(ref.address, pool);
  state.unsavedGroups.add(group);
  checkNeeds(state, pool, loaded);
  pool.isLoaded = [...pool.needs.values()].every(
    ({ account }) => account.held.account !== undefined,
  );
  state.dirtyPools.add(pool);
  return pool;
}

/** Follows an address at which a pool of the group can appear. */
function addVacancy(
  state: LiveState,
  group: PoolGroup,
  ref: PoolRef,
  loaded?: LoadedAccounts,
): void {
  if (group.pools.has(ref.address) || group.vacancies.has(ref.address)) return;
  const account = followAccount(state, ref.address, loaded);
  const vacancy: Vacancy = { kind: "vacancy", group, ref, account };
  group.vacancies.set(ref.address, vacancy);
  addUse(account, vacancy);
}

/** The account of a vacancy appeared: if the program owns it, it is added as a pool. */
export function fillVacancy(state: LiveState, vacancy: Vacancy): void {
  const { group, ref, account } = vacancy;
  if (account.held.account?.owner !== ref.venue.programId) return;
  addPool(state, group, ref);
  group.vacancies.delete(ref.address);
  removeUse(state, vacancy);
}

/** Asks the venue again which accounts the pool needs: with the price, the needed ticks and bins change. */
export function checkNeeds(state: LiveState, pool: FollowedPool, loaded?: LoadedAccounts): void {
  const needed = new Set(accountsNeeded(pool.open.ref, loaded ?? state.known));
  for (const address of needed) {
    if (pool.needs.has(address)) continue;
    const account = followAccount(state, address, loaded);
    const need: PoolNeed = { kind: "pool-need", pool, account, changes: 0 };
    pool.needs.set(address, need);
    addUse(account, need);
  }
  for (const [address, need] of pool.needs) {
    if (needed.has(address)) continue;
    pool.needs.delete(address);
    removeUse(state, need);
  }
}

function removePool(state: LiveState, pool: FollowedPool): void {
  for (const need of pool.needs.values()) removeUse(state, need);
  pool.needs.clear();
  pool.group.pools.delete(pool.open.ref.address);
  state.unsavedGroups.add(pool.group);
  state.dirtyPools.delete(pool);
  state.uncheckedPools.delete(pool);
}

export function removeGroup(state: LiveState, group: PoolGroup): void {
  for (const pool of group.pools.values()) removePool(state, pool);
  for (const vacancy of group.vacancies.values()) removeUse(state, vacancy);
  group.vacancies.clear();
  state.unsavedGroups.delete(group);
}
