import type { Address } from "#src/units/address.ts";
import { isMoney } from "#src/units/known-addresses.ts";
import { accountsNeeded, type LoadedAccounts } from "../pools/gather-accounts.ts";
import { openPool, outlineOf, type PoolRef } from "../pools/open-pool.ts";
import { quoteMintFor } from "../pools/quote-mints.ts";
import { addUse, followAccount, forEachUse, removeUse } from "./followed-accounts.ts";
import type { FollowedPool, LiveState, PoolGroup, PoolNeed, Vacancy } from "./live-state.ts";

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
    isCounted: true,
    changedSlot: -1n,
    pendingSlot: null,
    isLoaded: false,
    // A hop has no answers of its own; those of its tokens may be given already.
    isAwaited: group.token === null || group.token.assessed !== null,
    waitsSinceMs: null,
    needsCheckedAtMs: 0,
  };
  group.pools.set(ref.address, pool);
  state.poolCount++;
  group.version++;
  state.unsavedGroups.add(group);
  checkNeeds(state, pool, loaded);
  pool.isLoaded = [...pool.needs.values()].every(({ account }) => account.content !== undefined);
  state.dirtyPools.add(pool);
  return pool;
}

/** Follows an address at which a pool of the group can appear. */
export function addVacancy(
  state: LiveState,
  group: PoolGroup,
  ref: PoolRef,
  loaded?: LoadedAccounts,
): void {
  if (group.pools.has(ref.address) || group.vacancies.has(ref.address)) return;
  const account = followAccount(state, ref.address, loaded);
  const { venue, address, mint, isReserved } = ref;
  // No spread, for the reason given in `followAccount`.
  const vacancy: Vacancy = { kind: "vacancy", venue, address, mint, isReserved, group, account };
  group.vacancies.set(ref.address, vacancy);
  addUse(account, vacancy);
  // It may be known already, as a pool of another group.
  fillVacancy(state, vacancy);
}

/** The account of a vacancy appeared: if the program owns it, it is added as a pool. */
export function fillVacancy(state: LiveState, vacancy: Vacancy): void {
  const { group, account, venue, address, mint, isReserved } = vacancy;
  if (account.content?.owner !== venue.programId) return;
  // Not the vacancy itself, which the pool would keep.
  addPool(state, group, { venue, address, mint, isReserved });
  group.vacancies.delete(address);
  removeUse(state, vacancy);
}

/** Pools that an earlier process followed were not found just now: a read of a later slot has to confirm that. */
export function doubtUnread(state: LiveState, { pools }: PoolGroup): void {
  const slot = state.times.newest?.slot ?? null;
  for (const { open } of pools.values()) {
    const account = state.accounts.get(open.ref.address);
    if (slot === null || account === undefined || account.content !== undefined) continue;
    account.doubtSlot ??= slot;
    state.doubted.add(account);
  }
}

/** Asks the venue again which accounts the pool needs: with the price, the needed ticks and bins change. */
export function checkNeeds(state: LiveState, pool: FollowedPool, loaded?: LoadedAccounts): void {
  const needed = new Set(accountsNeeded(pool.open.ref, loaded ?? state.known));
  for (const address of needed) {
    if (pool.needs.has(address)) continue;
    const account = followAccount(state, address, loaded);
    const need: PoolNeed = { kind: "pool-need", pool, account, changes: 0, hasChanged: false };
    pool.needs.set(address, need);
    addUse(account, need);
  }
  for (const [address, need] of pool.needs) {
    if (needed.has(address)) continue;
    pool.needs.delete(address);
    removeUse(state, need);
  }
}

export function removePool(state: LiveState, pool: FollowedPool): void {
  for (const need of pool.needs.values()) removeUse(state, need);
  pool.needs.clear();
  if (pool.group.pools.delete(pool.open.ref.address)) state.poolCount--;
  state.unsavedGroups.add(pool.group);
  state.dirtyPools.delete(pool);
  state.waiting.pools.delete(pool);
  state.resting.pools.delete(pool);
  state.uncheckedPools.delete(pool);
}

export function removeGroup(state: LiveState, group: PoolGroup): void {
  for (const pool of group.pools.values()) removePool(state, pool);
  for (const vacancy of group.vacancies.values()) removeUse(state, vacancy);
  group.vacancies.clear();
  state.unsavedGroups.delete(group);
}

/** The token whose followed pool this is, a curve included; null: none is followed at this address. */
export function tokenOfFollowedPool(state: LiveState, address: Address): Address | null {
  const account = state.accounts.get(address);
  if (account === undefined) return null;
  let token: Address | null = null;
  forEachUse(account, (use) => {
    if (use.kind !== "pool-need" || use.pool.open.ref.address !== address) return;
    const { mint } = use.pool.group;
    if (!isMoney(mint)) token = mint;
  });
  return token;
}
