import type { AccountsRead } from "#src/chain/chain-source.ts";
import { isWithin } from "#src/platform/clock.ts";
import type { AccountSet } from "#src/venues/account-set.ts";
import { tokenBalance } from "#src/venues/shared/token/token-account.ts";
import { rereadPool } from "../pools/open-pool.ts";
import { forEachUse } from "./followed-accounts.ts";
import { checkNeeds } from "./followed-pools.ts";
import { searchSoon } from "./followed-tokens.ts";
import { noteCurveStage } from "./graduation.ts";
import { isGone } from "./held-account.ts";
import type {
  FollowedAccount,
  FollowedPool,
  LiveState,
  PoolGroup,
  PoolNeed,
} from "./live-state.ts";
import { isActive } from "./schedule.ts";
import { deliveredSlot, isConfirmedAfterGap, isKeptByStream } from "./state-slot.ts";

/** An unused token that changed is measured for its next sample, or after this time. */
const REST_MS = 10_000;
/** Resting pools are visited this often. */
const REST_VISITS_MS = 100;
/** Changes over so many slots wait together, because the pool trades in each or its stream is late. */
const LONG_WAIT_SLOTS = 8n;
/** A pool waits for all that may still change until its slot is delivered, or the newest slot is so much newer. */
const AWAITED_SLOTS = 5n;
/** The notifications of one trade arrive within this time; after it, missing ones are taken for lost. */
const SETTLE_MS = 30;
/** A venue is asked at most this often which accounts a pool needs: it derives addresses. */
const NEEDS_EVERY_MS = 1_000;
/** An account may change with its pool if it changed in this share of the pool's changes. */
const CHANGING_SHARE = 0.4;
/** From this share on it is taken to change each time: only a lost notification explains that it did not. */
const ALWAYS_SHARE = 0.9;
/** Changes that count for the pool alone: its first read, and the one that the account may have missed. */
const UNCOUNTED = 2;
/** A pool that appeared may be missing from answers for this time: it is read within seconds, unless the node fails. */
const AWAITED_MS = 10_000;
/** Before this many changes, vaults are assumed to change with the pool and other accounts not to. */
const MIN_CHANGES = 6;
/** Uses of an account of one pool: the pool may be followed for both of its tokens, and as a hop. */
const MOST_OWN_USES = 4;

/**
 * Decodes changed pools again, and marks their tokens. A pool whose accounts are of different slots
 * waits, as between the notifications of its two vaults or after a lost one: together they are a
 * state that never existed; where the stream does not deliver the rest, its accounts are read. A pool of an
 * unused token rests until the token's next sample: a busy one is traded fifty times a second.
 *
 * @returns whether any pool is still waiting
 */
export function refreshPools(state: LiveState, nowMs: number): boolean {
  for (const pool of state.uncheckedPools) {
    if (nowMs - pool.needsCheckedAtMs < NEEDS_EVERY_MS) continue;
    pool.needsCheckedAtMs = nowMs;
    state.uncheckedPools.delete(pool);
    checkNeeds(state, pool);
  }
  if (isVisitDue(state)) for (const pool of state.waiting.pools) refreshPool(state, pool, nowMs);
  for (const pool of state.dirtyPools) refreshUnlessResting(state, pool, nowMs);
  visitResting(state, nowMs);
  return state.dirtyPools.size > 0 || state.waiting.pools.size > 0;
}

function refreshUnlessResting(state: LiveState, pool: FollowedPool, nowMs: number): void {
  if (isResting(state, pool, nowMs)) {
    state.dirtyPools.delete(pool);
    state.resting.pools.add(pool);
  } else refreshPool(state, pool, nowMs);
}

function isResting(state: LiveState, { group: { token } }: FollowedPool, nowMs: number): boolean {
  if (token === null || token.assessed === null || isActive(token, nowMs)) return false;
  // Its last assessment may be of a slot that was dropped.
  if (state.unconfirmed?.takenBack.has(token) === true) return false;
  return isWithin(REST_MS, token.assessed.atMs, nowMs);
}

function visitResting(state: LiveState, nowMs: number): void {
  const { resting } = state;
  if (isWithin(REST_VISITS_MS, resting.visitedAtMs, nowMs)) return;
  resting.visitedAtMs = nowMs;
  for (const pool of resting.pools)
    if (!isResting(state, pool, nowMs)) refreshPool(state, pool, nowMs);
}

/**
 * Whether a slot has ended since the waiting pools were visited. Thousands may wait during a burst: visiting
 * them all every 15 ms took a tenth of the thread.
 */
function isVisitDue(state: LiveState): boolean {
  const { waiting } = state;
  const slot = deliveredSlot(state);
  if (slot === waiting.visitedSlot) return false;
  waiting.visitedSlot = slot;
  return true;
}

/** The same for the pools of these groups only, for an answer that is requested now. */
export function refreshGroups(state: LiveState, groups: readonly PoolGroup[], nowMs: number): void {
  for (const group of groups) refreshGroup(state, group, nowMs);
}

/** The same for the pools of one group. */
export function refreshGroup(state: LiveState, { pools }: PoolGroup, nowMs: number): void {
  const { dirtyPools, waiting, resting } = state;
  if (dirtyPools.size + waiting.pools.size + resting.pools.size === 0) return;
  for (const pool of pools.values()) {
    if (dirtyPools.has(pool) || waiting.pools.has(pool) || resting.pools.has(pool))
      refreshPool(state, pool, nowMs);
  }
}

function refreshPool(state: LiveState, pool: FollowedPool, nowMs: number): void {
  state.resting.pools.delete(pool);
  if (!isWhole(state, pool)) {
    wait(state, pool, nowMs);
    return;
  }
  state.dirtyPools.delete(pool);
  state.waiting.pools.delete(pool);
  pool.waitsSinceMs = null;
  pool.pendingSlot = null;
  decodePool(state, pool, state.known, nowMs);
}

function decodePool(state: LiveState, pool: FollowedPool, known: AccountSet, nowMs: number): void {
  rereadPool(pool.open, known);
  pool.isLoaded = true;
  if (pool.open.decoded.kind === "unusable") state.uncheckedPools.add(pool);
  pool.group.version++;
  const { token } = pool.group;
  if (noteCurveStage(state, pool) && token !== null) searchSoon(token, nowMs);
  if (token !== null) state.dirtyTokens.add(token);
}

/**
 * Decodes pools that have waited long from one read of all their accounts, which are of one slot together,
 * although some have changed since: a pool that trades in every slot would never be decoded otherwise. It waits
 * on, and its answers claim at most the slot of the read.
 */
export function decodeFromRead(
  state: LiveState,
  { slot, accounts }: AccountsRead,
  nowMs: number,
): void {
  const known: AccountSet = {
    get: (address) => (accounts.has(address) ? accounts.get(address) : state.known.get(address)),
  };
  const pools = new Set<FollowedPool>();
  for (const address of accounts.keys()) {
    const account = state.accounts.get(address);
    if (account === undefined || isShared(account)) continue;
    forEachUse(account, (use) => {
      if (use.kind === "pool-need") pools.add(use.pool);
    });
  }
  for (const pool of pools) {
    if (pool.waitsSinceMs === null || !hasWaitedLong(pool) || !isNews(pool, slot)) continue;
    const isComplete = pool.needs
      .values()
      .every(({ account }) => isShared(account) || isReadAt(accounts, account, slot));
    if (!isComplete) continue;
    pool.pendingSlot = slot + 1n;
    decodePool(state, pool, known, nowMs);
  }
}

/** Whether the slot is after the one that is decoded, and before the newest change: at that, the pool is whole. */
function isNews({ pendingSlot, changedSlot }: FollowedPool, slot: bigint): boolean {
  return pendingSlot !== null && slot >= pendingSlot && slot < changedSlot;
}

/** Accounts of many pools, such as configurations, do not change with one of them. */
function isShared({ uses }: FollowedAccount): boolean {
  return uses instanceof Set && uses.size > MOST_OWN_USES;
}

/**
 * Whether the read has the account at its slot: a divided read has accounts of several. One that is suddenly
 * absent has to be confirmed first.
 */
function isReadAt(
  accounts: AccountsRead["accounts"],
  { address, content }: FollowedAccount,
  slot: bigint,
): boolean {
  const read = accounts.get(address);
  if (read === undefined) return false;
  if (read === null || isGone(read)) return content === null;
  return read.slot === slot;
}

/**
 * A pool that is not whole waits: for the rest of its notifications, then for a read of its accounts, and from
 * then on it is visited with the other waiting ones. It waits without a limit: its answers claim the slot before
 * its changes, and their age grows, while figures from accounts of two slots would be those of a state that never
 * existed.
 */
function wait(state: LiveState, pool: FollowedPool, nowMs: number): void {
  pool.waitsSinceMs ??= nowMs;
  if (pool.isAwaited && !isWithin(AWAITED_MS, pool.waitsSinceMs, nowMs)) endAwaiting(state, pool);
  const isRead = !awaitsStream(state, pool);
  if (isRead && isWithin(SETTLE_MS, pool.waitsSinceMs, nowMs)) {
    state.dirtyPools.add(pool);
    return;
  }
  state.dirtyPools.delete(pool);
  state.waiting.pools.add(pool);
  // Read all accounts together: a single one would be of yet another slot.
  if (isRead) for (const address of pool.needs.keys()) state.rereadSoon.add(address);
}

/** From now on answers name the pool until it is read. */
function endAwaiting(state: LiveState, pool: FollowedPool): void {
  pool.isAwaited = false;
  const { isLoaded, group } = pool;
  if (isLoaded) return;
  group.version++;
  if (group.token !== null) state.dirtyTokens.add(group.token);
}

/** Whether the stream will deliver what is left of the slot: a read would be of a later one. */
function awaitsStream(state: LiveState, pool: FollowedPool): boolean {
  return !hasWaitedLong(pool) && !isSlotDelivered(state, pool) && isKept(state, pool);
}

function hasWaitedLong({ pendingSlot, changedSlot }: FollowedPool): boolean {
  return pendingSlot !== null && changedSlot - pendingSlot >= LONG_WAIT_SLOTS;
}

function isSlotDelivered(state: LiveState, { changedSlot }: FollowedPool): boolean {
  return (deliveredSlot(state) ?? -1n) >= changedSlot;
}

/** Whether the stream alone keeps the pool current. A hop belongs to no token; a new account is read first. */
function isKept(state: LiveState, { group: { token }, needs }: FollowedPool): boolean {
  const { stream } = state;
  if (stream?.isWhole !== true) return false;
  if (token !== null && !isKeptByStream(state, token)) return false;
  return needs
    .values()
    .every(
      ({ account }) =>
        isConfirmedAfterGap(stream, account) && !stream.elsewhere.has(account.address),
    );
}

/**
 * Whether every account was requested, and those that change with the pool are at its newest slot. One that
 * changes with some trades only, such as a PumpSwap pool with those that leave fees in it, was not changed by
 * this one if the slot is over; and of a pool that the stream keeps, none was. Before the slot is over, a pool that
 * the stream keeps waits for each account that may have changed with it. In a gap of the stream that
 * proves nothing: updates are missing, also among those that were counted.
 */
function isWhole(state: LiveState, pool: FollowedPool): boolean {
  // Nothing of a closed pool can still arrive.
  if (state.known.get(pool.open.ref.address) === null) return true;
  const isDelivered = isSlotDelivered(state, pool);
  const isKeptPool = isKept(state, pool);
  const isComplete = isDelivered && isKeptPool;
  const isInGap = state.stream !== null && !isKeptPool;
  // With changes of several slots it would wait for the end of each: a pool that trades in every slot has always begun the next.
  const isFirstSlot = pool.pendingSlot === pool.changedSlot;
  const isRecent = (state.times.newest?.slot ?? 0n) <= pool.changedSlot + AWAITED_SLOTS;
  const awaitsAll = isKeptPool && !isDelivered && isFirstSlot && isRecent;
  const least =
    isDelivered && !isInGap
      ? ALWAYS_SHARE * pool.changes - UNCOUNTED
      : CHANGING_SHARE * pool.changes;
  for (const need of pool.needs.values()) {
    const { content, heldSlot, wasAsked } = need.account;
    if (content === undefined && !wasAsked) return false;
    if (isComplete || heldSlot >= pool.changedSlot) continue;
    if (awaitsAll && mayChange(pool, need)) return false;
    if (changesWithPool(pool, need, least)) return false;
  }
  return true;
}

/**
 * Whether the account may still change in a slot that is not over: if it ever did, or if it is the pool's own
 * and little is known of the pool.
 */
function mayChange({ changes, open }: FollowedPool, { account, hasChanged }: PoolNeed): boolean {
  if (isShared(account)) return false;
  return hasChanged || (changes < MIN_CHANGES && account.address === open.ref.address);
}

function changesWithPool(pool: FollowedPool, need: PoolNeed, least: number): boolean {
  if (pool.changes >= MIN_CHANGES) return need.changes >= least;
  return tokenBalance(need.account.content) !== null;
}
