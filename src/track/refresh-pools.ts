import { checkNeeds } from "./followed-pools.ts";
import type { FollowedPool, LiveState } from "./live-state.ts";
import { rereadPool } from "./open-pool.ts";

/** How long a pool may wait for parts of itself before it is taken as it is. */
const LONGEST_WAIT_MS = 3_000;
/** The venue is asked at most this often which accounts a moving pool needs: it derives addresses. */
const NEEDS_EVERY_MS = 1_000;
/** An account moves with its pool when it changed in three of four of the pool's changes. */
const MOVES_WITH_POOL = { share: 0.75, leastChanges: 4 } as const;

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
  for (const pool of state.dirtyPools) {
    if (mustWait(state, pool, nowMs)) continue;
    state.dirtyPools.delete(pool);
    rereadPool(pool.open, state.known);
    if (pool.open.decoded.kind === "unusable") state.uncheckedPools.add(pool);
    pool.group.version++;
    if (pool.group.token !== null) state.dirtyTokens.add(pool.group.token);
  }
  return state.dirtyPools.size > 0;
}

function mustWait(state: LiveState, pool: FollowedPool, nowMs: number): boolean {
  const missing = missingParts(pool);
  if (missing.length === 0) {
    pool.waitingSinceMs = null;
    return false;
  }
  if (pool.waitingSinceMs === null) {
    pool.waitingSinceMs = nowMs;
    return true;
  }
  const waitedMs = nowMs - pool.waitingSinceMs;
  if (waitedMs >= LONGEST_WAIT_MS) return false;
  for (const address of missing) state.rereadSoon.add(address);
  return true;
}

/** Accounts that were never asked for, or that move with the pool and stand at an older slot. */
function missingParts(pool: FollowedPool) {
  const missing = [];
  for (const { account, changes } of pool.needs.values()) {
    const isUnknown = account.held.account === undefined && !account.wasAsked;
    const moves =
      pool.changes >= MOVES_WITH_POOL.leastChanges &&
      changes >= pool.changes * MOVES_WITH_POOL.share;
    if (isUnknown || (moves && account.held.heldSlot < pool.changedSlot)) {
      missing.push(account.address);
    }
  }
  return missing;
}
