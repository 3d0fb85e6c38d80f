import { tokenBalance } from "#src/venues/token/token-account.ts";
import { checkNeeds } from "./followed-pools.ts";
import type { FollowedPool, LiveState, PoolGroup, PoolNeed } from "./live-state.ts";
import { rereadPool } from "./open-pool.ts";

/** How long a pool may wait for parts of itself before it is taken as it is. */
const LONGEST_WAIT_MS = 3_000;
/** The venue is asked at most this often which accounts a moving pool needs: it derives addresses. */
const NEEDS_EVERY_MS = 1_000;
/** An account moves with its pool when it changed in this share of the pool's changes. */
const MOVING_SHARE = 0.4;
/** Until so many changes were seen, vaults are taken to move and other accounts not. */
const LEAST_CHANGES = 6;

/**
 * Reads changed pools again, and marks their tokens. A pool whose parts stand at different slots, as
 * between the notifications of its two vaults or after a lost one, waits: its bytes together are no
 * state that ever was. What it waits for is read at once.
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
  for (const pool of state.dirtyPools) refreshPool(state, pool, nowMs);
  return state.dirtyPools.size > 0;
}

/** The same for the pools that these groups are made of, for an answer that is wanted now. */
export function refreshGroups(state: LiveState, groups: readonly PoolGroup[], nowMs: number): void {
  if (state.dirtyPools.size === 0) return;
  for (const group of groups) {
    for (const pool of group.pools.values()) {
      if (state.dirtyPools.has(pool)) refreshPool(state, pool, nowMs);
    }
  }
}

function refreshPool(state: LiveState, pool: FollowedPool, nowMs: number): void {
  if (mustWait(state, pool, nowMs)) return;
  state.dirtyPools.delete(pool);
  rereadPool(pool.open, state.known);
  pool.isLoaded = true;
  if (pool.open.decoded.kind === "unusable") state.uncheckedPools.add(pool);
  pool.group.version++;
  if (pool.group.token !== null) state.dirtyTokens.add(pool.group.token);
}

function mustWait(state: LiveState, pool: FollowedPool, nowMs: number): boolean {
  if (isWhole(pool)) {
    pool.waitingSinceMs = null;
    return false;
  }
  if (pool.waitingSinceMs === null) {
    pool.waitingSinceMs = nowMs;
    return true;
  }
  if (nowMs - pool.waitingSinceMs >= LONGEST_WAIT_MS) return false;
  // All of it together: a part alone would stand at yet another slot.
  for (const address of pool.needs.keys()) state.rereadSoon.add(address);
  return true;
}

/** Whether every account was asked for, and those that move with the pool stand at its newest slot. */
function isWhole(pool: FollowedPool): boolean {
  for (const need of pool.needs.values()) {
    const { held, wasAsked } = need.account;
    if (held.account === undefined && !wasAsked) return false;
    if (held.heldSlot < pool.changedSlot && movesWithPool(pool, need)) return false;
  }
  return true;
}

function movesWithPool(pool: FollowedPool, need: PoolNeed): boolean {
  if (pool.changes >= LEAST_CHANGES) return need.changes >= pool.changes * MOVING_SHARE;
  return tokenBalance(need.account.held.account) !== null;
}
