import type { AccountUpdate } from "#src/chain/chain-source.ts";
import type { SlotOutcome } from "#src/chain/geyser/slot-outcomes.ts";
import { CLOCK_SYSVAR } from "#src/units/known-addresses.ts";
import { decodeMint } from "#src/venues/shared/token/mint.ts";
import { decodeClock } from "../pools/chain-clock.ts";
import { forEachUse, hold } from "./followed-accounts.ts";
import { fillVacancy } from "./followed-pools.ts";
import { applyAccount, withData } from "./held-account.ts";
import type {
  AccountUse,
  FollowedAccount,
  FollowedPool,
  LiveState,
  PoolNeed,
} from "./live-state.ts";
import { recordClock } from "./slot-times.ts";
import { createUnconfirmed, endSlot, keepSeries, keepVersion } from "./unconfirmed.ts";

/**
 * Applies a notification or a read of one account; they may arrive in any order. Decodes nothing:
 * it marks pools and tokens as changed, so that many updates of one slot are decoded once.
 */
export function applyUpdate(
  state: LiveState,
  given: AccountUpdate,
  nowMs: number,
  { isConfirmed = false } = {},
): void {
  const content = withData(given.account);
  const update = content === given.account ? given : { ...given, account: content };
  if (update.address === CLOCK_SYSVAR) {
    const clock = decodeClock(update.account);
    if (clock !== null) recordClock(state.times, clock, nowMs);
    return;
  }
  const { unconfirmed } = state;
  const account = state.accounts.get(update.address);
  if (account === undefined || unconfirmed?.dropped.has(update.slot) === true) return;
  const next = applyAccount(account, update);
  if (unconfirmed !== null) keepVersion(unconfirmed, account, { update, next, isConfirmed });
  const { content: before, doubtSlot } = account;
  if (next === account) {
    if (update.slot >= account.heldSlot && doubtSlot === null) noteConfirmed(account, nowMs);
    return;
  }
  hold(account, next);
  if (next.doubtSlot !== doubtSlot) noteDoubt(state, account);
  if (next.doubtSlot !== null && next.content === before) return;
  noteConfirmed(account, nowMs);
  if (next.content !== before) {
    touchUses(state, account, before !== undefined);
  } else if (account.uses !== null && !(account.uses instanceof Set)) endWait(state, account.uses);
}

/** What is of a slot before the end of a loss confirms nothing: a lost update may be newer. */
function noteConfirmed(account: FollowedAccount, nowMs: number): void {
  if (account.heldSlot >= account.lostUntilSlot)
    account.confirmedAtSeconds = Math.floor(nowMs / 1_000);
}

/** An account that was reported as gone is read at once, and then with each sweep until that is certain. */
function noteDoubt(state: LiveState, account: FollowedAccount): void {
  if (account.doubtSlot === null) {
    state.doubted.delete(account);
    if (account.content !== null) return;
    // The pool may be closed with its vault: it has another owner then, and the stream of its program lacks it.
    forEachUse(account, (use) => {
      if (use.kind === "pool-need") state.rereadSoon.add(use.pool.open.ref.address);
    });
    return;
  }
  state.doubted.add(account);
  state.rereadSoon.add(account.address);
}

/**
 * The account is unchanged up to a newer slot: its pool may have waited for that alone. Accounts with several
 * uses, such as configurations of thousands of pools, rarely change with a pool: theirs wait for the next slot.
 */
function endWait(state: LiveState, use: AccountUse): void {
  if (use.kind === "pool-need" && state.waiting.pools.has(use.pool)) state.dirtyPools.add(use.pool);
}

/** Applies what became of a slot: accounts that a dropped one changed are as before it. */
export function applySlotEnd(state: LiveState, slot: bigint, outcome: SlotOutcome): void {
  state.unconfirmed ??= createUnconfirmed();
  for (const account of endSlot(state.unconfirmed, slot, outcome)) {
    // It may not be followed any more.
    if (state.accounts.get(account.address) !== account) continue;
    noteDoubt(state, account);
    if (account.content === undefined) state.rereadSoon.add(account.address);
    forEachUse(account, (use) => {
      if (use.kind === "pool-need") revertPool(state, use.pool);
      else touch(state, use, false);
    });
  }
}

function revertPool(state: LiveState, pool: FollowedPool): void {
  pool.changedSlot = -1n;
  for (const { account } of pool.needs.values()) {
    if (account.changedSlot > pool.changedSlot) pool.changedSlot = account.changedSlot;
  }
  pool.pendingSlot ??= pool.changedSlot;
  state.uncheckedPools.add(pool);
  state.dirtyPools.add(pool);
}

/**
 * Marks what uses the account as changed. No function and no object for each update.
 *
 * @param isChange  the account was held before, with other bytes
 */
function touchUses(state: LiveState, { uses }: FollowedAccount, isChange: boolean): void {
  if (uses instanceof Set) for (const use of uses) touch(state, use, isChange);
  else if (uses !== null) touch(state, uses, isChange);
}

function touch(state: LiveState, use: AccountUse, isChange: boolean): void {
  switch (use.kind) {
    case "pool-need":
      touchPool(state, use, isChange);
      return;
    case "mint": {
      const { token, account } = use;
      token.mintFacts = decodeMint(account.content) ?? token.mintFacts;
      state.dirtyTokens.add(token);
      return;
    }
    case "hop-mint":
      use.group.version++;
      return;
    case "vacancy":
      fillVacancy(state, use);
      return;
  }
}

function touchPool(state: LiveState, need: PoolNeed, isChange: boolean): void {
  const { pool, account } = need;
  const { changedSlot: slot } = account;
  const { token } = pool.group;
  if (state.unconfirmed !== null && token !== null) keepSeries(state.unconfirmed, token, slot);
  if (isChange) need.hasChanged = true;
  if (pool.pendingSlot === null || slot < pool.pendingSlot) pool.pendingSlot = slot;
  if (slot > pool.changedSlot) {
    pool.changedSlot = slot;
    // A waiting pool receives the rest of a change that was counted already; from a whole stream, another one.
    const isNew = pool.waitsSinceMs === null;
    if (isNew) pool.changes++;
    pool.isCounted = isNew || state.stream?.isWhole !== true;
  }
  if (pool.isCounted || slot < pool.changedSlot) need.changes++;
  if (account.address === pool.open.ref.address) state.uncheckedPools.add(pool);
  state.dirtyPools.add(pool);
  if (pool.isLoaded) return;
  // Answers weigh it by what has arrived of it.
  pool.group.version++;
  if (token !== null) state.dirtyTokens.add(token);
}
