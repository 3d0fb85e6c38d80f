import type { Address } from "#src/units/address.ts";
import { MAX_POOLS, MAX_WEIGHED } from "../pools/choose-pools.ts";
import type { LoadedAccounts } from "../pools/gather-accounts.ts";
import type { FoundPools } from "../pools/load-token.ts";
import { applyUpdate } from "./apply-update.ts";
import { addPool, addVacancy, removePool } from "./followed-pools.ts";
import type { FollowedPool, LiveState, PoolGroup } from "./live-state.ts";

const NO_POOLS: ReadonlyMap<Address, boolean> = new Map();
/** A search may have read an account long before it ends: this does not count as confirming it. */
const READ_BEFORE_MS = 0;

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
    isDerivedOnly: found.isDerivedOnly,
    leftOut: found.leftOut,
    weighedOut: NO_POOLS,
    isSearchComplete: found.isSearchComplete,
    searchedSlot: found.searchedSlot,
    searchedAtMs: 0,
    searches: 0,
    version: 0,
    token: null,
  };
  mergeFound(state, group, found, loaded);
  // No answer was complete without them.
  for (const pool of group.pools.values()) pool.isAwaited = false;
  return group;
}

/**
 * Adds the pools that a search found. Pools that the search did not return are kept, because a search
 * may miss some. They are removed only if there are too many: the search has then chosen among these
 * and all that it found.
 */
export function mergeFound(
  state: LiveState,
  group: PoolGroup,
  found: FoundPools,
  loaded: LoadedAccounts,
): void {
  state.unsavedGroups.add(group);
  // An incomplete search that left none out may have missed those that an earlier one left out.
  if (found.isSearchComplete || found.leftOut.length > 0) group.leftOut = found.leftOut;
  group.weighedOut = weighedOutOf(group, found);
  // The next answer is measured again, even if the last one was measured just now.
  group.version++;
  group.isDerivedOnly &&= found.isDerivedOnly;
  // It is repeated soon, however long ago the first one was.
  if (group.isSearchComplete && !found.isSearchComplete) group.searches = 0;
  group.isSearchComplete = found.isSearchComplete;
  group.searchedSlot = found.searchedSlot ?? group.searchedSlot;
  for (const ref of found.pools) addPool(state, group, ref, loaded);
  for (const ref of found.vacant) addVacancy(state, group, ref, loaded);
  for (const ref of found.pools) applyAppeared(state, group.pools.get(ref.address), loaded);
  if (group.pools.size <= MAX_POOLS) return;
  const chosen = new Set(found.pools.map(({ address }) => address));
  for (const pool of group.pools.values()) {
    if (!chosen.has(pool.open.ref.address)) removePool(state, pool);
  }
  group.version++;
}

/** A search that is incomplete may have missed pools that an earlier one weighed. */
function weighedOutOf(
  { weighedOut: before }: PoolGroup,
  { weighedOut = [], isSearchComplete }: FoundPools,
): ReadonlyMap<Address, boolean> {
  const weighed = weighedOut.map((pool) => [pool, before.has(pool)] as const);
  const isKept = !isSearchComplete && before.size + weighed.length <= MAX_WEIGHED;
  if (weighed.length === 0) return isKept ? before : NO_POOLS;
  return new Map(isKept ? [...before, ...weighed] : weighed);
}

/**
 * Applies what the search read at addresses that were followed before the pool's program owned them, such as
 * that of a pool whose creation was not notified yet: without its bytes the pool would lose its vaults again.
 */
function applyAppeared(
  state: LiveState,
  pool: FollowedPool | undefined,
  loaded: LoadedAccounts,
): void {
  for (const { account: followed } of pool?.needs.values() ?? []) {
    const { address, content } = followed;
    const account = loaded.get(address) ?? null;
    if (account === null || content?.owner === account.owner) continue;
    const update = { address, account, slot: account.slot };
    applyUpdate(state, update, READ_BEFORE_MS, { isConfirmed: true });
  }
}
