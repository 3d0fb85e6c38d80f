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

/** Makes every token due at once, as after a gap in the notifications. */
export function rereadEverything(state: LiveState, nowMs: number): void {
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

/** Lets go of tokens that nobody has asked for in a while; watched ones never. */
export function dropUnasked(state: LiveState, nowMs: number): readonly Address[] {
  const dropped: Address[] = [];
  for (const token of state.tokens.values()) {
    if (isLookedAt(token, nowMs)) continue;
    removeToken(state, token);
    dropped.push(token.mint);
  }
  return dropped;
}
