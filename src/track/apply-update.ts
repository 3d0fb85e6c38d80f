import type { AccountUpdate } from "#src/chain/chain-source.ts";
import { CLOCK_SYSVAR } from "#src/units/known-addresses.ts";
import { decodeMint } from "#src/venues/token/mint.ts";
import { decodeClock } from "./chain-clock.ts";
import { forEachUse } from "./followed-accounts.ts";
import { fillVacancy } from "./followed-pools.ts";
import { applyAccount } from "./held-account.ts";
import type { AccountUse, LiveState, PoolNeed } from "./live-state.ts";
import { recordClock } from "./slot-times.ts";

/**
 * Takes in what a notification or a read says of one account, in whatever order they come. Decodes
 * nothing: it marks what has to be read again, so that many updates of one slot cost one reading.
 */
export function applyUpdate(state: LiveState, update: AccountUpdate, nowMs: number): void {
  if (update.address === CLOCK_SYSVAR) {
    const clock = decodeClock(update.account);
    if (clock !== null) recordClock(state.times, clock, nowMs);
    return;
  }
  const account = state.accounts.get(update.address);
  if (account === undefined) return;
  const { held } = account;
  const next = applyAccount(held, update);
  if (next === held) {
    if (update.slot >= held.heldSlot && held.doubtSlot === null) account.confirmedAtMs = nowMs;
    return;
  }
  account.held = next;
  if (next.doubtSlot !== null) {
    state.rereadSoon.add(update.address);
    return;
  }
  account.confirmedAtMs = nowMs;
  if (next.account !== held.account) {
    forEachUse(account, (use) => touch(state, use, next.changedSlot));
  }
}

function touch(state: LiveState, use: AccountUse, slot: bigint): void {
  switch (use.kind) {
    case "pool-need":
      touchPool(state, use, slot);
      return;
    case "mint": {
      const { token, account } = use;
      token.mintFacts = decodeMint(account.held.account) ?? token.mintFacts;
      state.dirtyTokens.add(token);
      return;
    }
    case "vacancy":
      fillVacancy(state, use);
      return;
  }
}

function touchPool(state: LiveState, need: PoolNeed, slot: bigint): void {
  const { pool } = need;
  need.changes++;
  if (slot > pool.changedSlot) {
    pool.changedSlot = slot;
    // What a pool waits for is the rest of a change that was counted already.
    if (pool.waitingSinceMs === null) pool.changes++;
  }
  if (need.account.address === pool.open.ref.address) state.uncheckedPools.add(pool);
  state.dirtyPools.add(pool);
}
