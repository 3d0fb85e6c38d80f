import type { Address } from "#src/units/address.ts";
import { accountsOf, removeToken, SEARCH_EVERY_MS } from "./followed-tokens.ts";
import type { FollowedToken, LiveState } from "./live-state.ts";

/** Subscribed accounts are read again this often (method.md section 4). */
const REREAD_FOLLOWED_MS = 20_000;
/** Accounts are polled this often while notifications don't come. */
const REREAD_POLLED_MS = 15_000;
/** Accounts that spoke within this time are left out of a reread: they are confirmed. */
const RECENT_MS = 4_000;
/** A token that nobody has asked for in this time is let go. */
const UNASKED_MS = 15 * 60_000;
const MAX_SEARCHES_AT_ONCE = 2;
/** Accounts read again in one go for the stream's sake: a gap must not keep answers waiting. */
const MAX_CONFIRMATIONS_AT_ONCE = 2_000;
/** A token met in the stream is let go after a day without a change, or sooner for want of room. */
const IDLE_SLOTS = 216_000n;
const CROWDED_IDLE_SLOTS = 4_500n;
const MAX_STREAM_TOKENS = 100_000;

/** Whether somebody looks at the token: these are kept fresh by reads, the others by the stream alone. */
export function isLookedAt(token: FollowedToken, nowMs: number): boolean {
  return token.isWatched || nowMs - token.askedAtMs < UNASKED_MS;
}

/** The accounts whose tokens are due to be read again; marks them done. */
export function dueRereads(state: LiveState, nowMs: number, isStreaming: boolean): Set<Address> {
  const due = new Set<Address>();
  const everyMs = isStreaming ? REREAD_FOLLOWED_MS : REREAD_POLLED_MS;
  for (const token of state.tokens.values()) {
    if (nowMs < token.rereadDueMs || !isLookedAt(token, nowMs)) continue;
    token.rereadDueMs = nowMs + everyMs;
    for (const account of accountsOf(state, token)) {
      if (nowMs - account.confirmedAtMs >= RECENT_MS) due.add(account.address);
    }
    for (const address of token.group.vacancies.keys()) due.add(address);
  }
  return due;
}

/**
 * The accounts of tokens that the stream can't vouch for yet, new ones and all of them after a gap;
 * and marks as vouched for those whose accounts have all been confirmed since.
 */
export function dueConfirmations(state: LiveState, nowMs: number): Set<Address> {
  const due = new Set<Address>();
  const { stream } = state;
  if (stream === null) return due;
  for (const token of state.tokens.values()) {
    if (token.confirmedAfterGap === stream.gaps) continue;
    let isConfirmed = true;
    for (const account of accountsOf(state, token)) {
      if (account.confirmedAtMs > stream.gapAtMs || account.held.account === undefined) continue;
      isConfirmed = false;
      if (nowMs >= token.rereadDueMs) due.add(account.address);
    }
    if (isConfirmed) token.confirmedAfterGap = stream.gaps;
    else if (nowMs >= token.rereadDueMs) token.rereadDueMs = nowMs + REREAD_POLLED_MS;
    if (due.size >= MAX_CONFIRMATIONS_AT_ONCE) return due;
  }
  return due;
}

/** Makes every token due at once, as after a gap in the notifications. */
export function rereadEverything(state: LiveState, nowMs: number): void {
  if (state.stream !== null) {
    state.stream.gaps++;
    state.stream.gapAtMs = nowMs;
  }
  for (const token of state.tokens.values()) token.rereadDueMs = nowMs;
  for (const account of state.accounts.values()) account.confirmedAtMs = 0;
}

/** The tokens whose pools are to be searched again, the longest due first; marks them done. */
export function dueSearches(state: LiveState, nowMs: number): readonly FollowedToken[] {
  const due = [...state.tokens.values()]
    .filter((token) => nowMs >= token.searchDueMs && isLookedAt(token, nowMs))
    .toSorted((a, b) => a.searchDueMs - b.searchDueMs)
    .slice(0, MAX_SEARCHES_AT_ONCE);
  for (const token of due) token.searchDueMs = nowMs + SEARCH_EVERY_MS;
  return due;
}

/**
 * Lets go of tokens that nobody has asked for in a while; watched ones never, and those that a
 * complete stream brings only when nothing has happened to them for long.
 */
export function dropUnasked(state: LiveState, nowMs: number): readonly Address[] {
  const dropped: Address[] = [];
  const idleSlots = state.tokens.size > MAX_STREAM_TOKENS ? CROWDED_IDLE_SLOTS : IDLE_SLOTS;
  for (const token of state.tokens.values()) {
    if (isLookedAt(token, nowMs)) continue;
    if (state.stream !== null && !isIdle(state, token, idleSlots)) continue;
    removeToken(state, token);
    dropped.push(token.mint);
  }
  return dropped;
}

function isIdle(state: LiveState, token: FollowedToken, idleSlots: bigint): boolean {
  const { newest } = state.times;
  if (newest === null) return false;
  for (const { changedSlot, open } of token.group.pools.values()) {
    const seenSlot = changedSlot > 0n ? changedSlot : heldSlotOf(state, open.ref.address);
    if (newest.slot - seenSlot < idleSlots) return false;
  }
  return true;
}

function heldSlotOf(state: LiveState, pool: Address): bigint {
  return state.accounts.get(pool)?.held.changedSlot ?? 0n;
}
