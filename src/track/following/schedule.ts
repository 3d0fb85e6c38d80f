import type { Address } from "#src/units/address.ts";
import { maxBigint } from "#src/units/integer.ts";
import { isStable } from "#src/units/known-addresses.ts";
import { forEachUse } from "./followed-accounts.ts";
import { accountsOf, groupsOf, hopsOf, planNextSearch, removeToken } from "./followed-tokens.ts";
import type {
  AccountUse,
  CompleteStream,
  FollowedAccount,
  FollowedToken,
  LiveState,
  PoolGroup,
  Vacancy,
} from "./live-state.ts";
import { isConfirmedAfterGap, isKeptByStream } from "./state-slot.ts";
import { forgetVersions } from "./unconfirmed.ts";

/** Addresses per read: the node's limit is 100, and the Clock sysvar is always included. */
export const READ_CHUNK = 99;
/** Subscribed accounts are read again this often (method.md section 4). */
export const REREAD_FOLLOWED_MS = 20_000;
/** Accounts are polled this often while no notifications arrive. */
const REREAD_POLLED_MS = 15_000;
/** Accounts that a whole stream keeps current need no reads: these only find an update that a server lost. */
export const REREAD_STREAMED_MS = 120_000;
/** Accounts confirmed within this time are left out of a reread; within up to a second less, as times are whole seconds. */
const RECENT_MS = 4_000;
/**
 * Tokens that are read again in one sweep, and the sweeps over which more are spread: watched tokens become
 * due together, and ten thousand at once block the event loop for more than a second, every 20 s.
 */
const LEAST_REREADS_AT_ONCE = 500;
const SWEEPS_OF_REREADS = 15;
/**
 * Whether a token that the stream keeps lacks an account is looked up once in so many sweeps, if more tokens than
 * `LEAST_REREADS_AT_ONCE` are in use: of 20,000 tokens the lookups took 45 ms each second.
 */
const SWEEPS_OF_KEPT = 5;
/** A token that was not requested in this time is dropped. */
const UNASKED_MS = 15 * 60_000;
/** The same of tokens that an earlier process followed, whose use is known to some minutes. */
export const STOPPED_USE_MS = UNASKED_MS + 60_000;
const MAX_SEARCHES_AT_ONCE = 2;
/** Accounts confirmed in one sweep: after a gap in the stream, answers must not wait for all of them. */
const MAX_CONFIRMATIONS_AT_ONCE = 2_000;
/** A token from the stream is dropped after a day without a change, or sooner if there are too many. */
const IDLE_SLOTS = 216_000n;
const CROWDED_IDLE_SLOTS = 4_500n;
const MAX_STREAM_TOKENS = 100_000;

/** Whether the token is watched or was requested lately. Active tokens are kept current by reads too, others by the stream only. */
export function isActive(token: FollowedToken, nowMs: number): boolean {
  return token.isWatched || nowMs - token.askedAtMs < UNASKED_MS;
}

/**
 * Visits the active tokens, of all that were used: of 100,000 followed tokens few are. No generator, which
 * allocates an object for each.
 */
function forEachActive(
  state: LiveState,
  nowMs: number,
  visit: (token: FollowedToken) => void,
): void {
  for (const token of state.usedTokens) {
    if (isActive(token, nowMs)) visit(token);
    else state.usedTokens.delete(token);
  }
}

type DueToken = { readonly token: FollowedToken; readonly dueMs: number };

/**
 * The accounts of tokens that are due to be read again; marks the tokens as done. The last call is filled
 * with the tokens that are due next, since a provider bills calls and not accounts: in time they share calls.
 */
export function dueRereads(state: LiveState, nowMs: number, isStreaming: boolean): Set<Address> {
  const everyMs = isStreaming ? REREAD_FOLLOWED_MS : REREAD_POLLED_MS;
  // Overdue by the difference: should the stream end, a token that it kept is due at once.
  const keptForMs = REREAD_STREAMED_MS - everyMs;
  const due: DueToken[] = [];
  const soonest: FollowedToken[] = [];
  const turns = state.usedTokens.size > LEAST_REREADS_AT_ONCE ? SWEEPS_OF_KEPT : 1;
  const turn = state.rereadSweeps++ % turns;
  let active = 0;
  forEachActive(state, nowMs, (token) => {
    const isTurn = active++ % turns === turn;
    const isKept = isStreaming && isKeptByStream(state, token);
    if (isKept && !isTurn) return;
    if (token.rereadDueMs <= nowMs) {
      const isCurrent = isKept && !lacksAccounts(state, token);
      const dueMs = token.rereadDueMs + (isCurrent ? keptForMs : 0);
      if (dueMs <= nowMs) due.push({ token, dueMs });
    } else if (!isKept && token.rereadDueMs <= nowMs + everyMs - RECENT_MS)
      keepFirst(soonest, token, { by: "rereadDueMs", most: READ_CHUNK });
  });
  const most = Math.max(LEAST_REREADS_AT_ONCE, Math.ceil(active / SWEEPS_OF_REREADS));
  const addresses = new Set<Address>();
  const add = (token: FollowedToken, accounts: readonly Address[]): void => {
    token.rereadDueMs = nowMs + everyMs;
    for (const address of accounts) addresses.add(address);
  };
  const byDue = due.toSorted((a, b) => a.dueMs - b.dueMs).map(({ token }) => token);
  for (const token of byDue.slice(0, most)) add(token, addressesToReread(state, token, nowMs));
  for (const token of [...byDue.slice(most), ...soonest]) {
    const used = addresses.size % READ_CHUNK;
    if (used === 0) break;
    const accounts = addressesToReread(state, token, nowMs).filter((it) => !addresses.has(it));
    if (used + accounts.length > READ_CHUNK) break;
    add(token, accounts);
  }
  return addresses;
}

/** Keeps the tokens that are due first, in that order: one pass costs less than sorting all tokens. */
function keepFirst(
  kept: FollowedToken[],
  token: FollowedToken,
  { by, most }: { readonly by: "rereadDueMs" | "searchDueMs"; readonly most: number },
): void {
  const last = kept[most - 1];
  if (last !== undefined && last[by] <= token[by]) return;
  kept.splice(kept.findLastIndex((other) => other[by] <= token[by]) + 1, 0, token);
  if (kept.length > most) kept.pop();
}

/** Whether an account never arrived: the stream has it only once it changes. */
function lacksAccounts(state: LiveState, token: FollowedToken): boolean {
  const mint = state.accounts.get(token.mint);
  if (mint !== undefined && mint.content === undefined) return true;
  // Loops that allocate nothing, and no set of the accounts: this is asked of every token in use, each second.
  if (lacksNeeds(token.group)) return true;
  for (const hop of hopsOf(state, token)) if (lacksNeeds(hop)) return true;
  return false;
}

function lacksNeeds({ pools }: PoolGroup): boolean {
  for (const { needs } of pools.values())
    for (const { account } of needs.values()) if (account.content === undefined) return true;
  return false;
}

function addressesToReread(state: LiveState, token: FollowedToken, nowMs: number): Address[] {
  const old = [...accountsOf(state, token)].filter(
    ({ confirmedAtSeconds }) => nowMs - 1_000 * confirmedAtSeconds >= RECENT_MS,
  );
  return [...old, ...vacanciesOf(state, token)].map(({ address }) => address);
}

/**
 * Where pools of the token, and of the coins that its pools lead through, can appear: a launchpad's pool opens while
 * the curve that it replaces closes. Pools of stables are not created by launchpads.
 */
function vacanciesOf(state: LiveState, token: FollowedToken): readonly Vacancy[] {
  const groups = groupsOf(state, token).filter(
    ({ mint }) => mint === token.mint || !isStable(mint),
  );
  return groups.flatMap(({ vacancies }) => [...vacancies.values()]);
}

/**
 * The accounts that have to be confirmed before the stream alone keeps a token current: those of new
 * tokens, and of all tokens after a gap. After a gap, the addresses at which their pools can appear are
 * among them. Marks the tokens whose accounts are all confirmed. Tokens in use are visited first.
 */
export function dueConfirmations(state: LiveState, nowMs: number): Set<Address> {
  const due = new Set<Address>();
  const { stream } = state;
  if (stream?.isWhole !== true) return due;
  for (const tokens of [state.usedTokens, state.tokens.values()]) {
    for (const token of tokens) {
      if (token.confirmedAfterGap === stream.gaps) continue;
      const unconfirmed = unconfirmedOf(accountsOf(state, token), stream);
      if (unconfirmed.length === 0) {
        // Pools may have appeared in the gap.
        if (token.confirmedAfterGap !== null)
          for (const { account } of vacanciesOf(state, token))
            if (!isConfirmedAfterGap(stream, account)) due.add(account.address);
        token.confirmedAfterGap = stream.gaps;
      } else if (nowMs >= token.rereadDueMs) {
        for (const address of unconfirmed) due.add(address);
        token.rereadDueMs = nowMs + REREAD_POLLED_MS;
      }
      if (due.size >= MAX_CONFIRMATIONS_AT_ONCE) return due;
    }
  }
  return due;
}

/** Accounts that never arrived do not count: the stream has them once they change. */
function unconfirmedOf(
  accounts: Iterable<FollowedAccount>,
  stream: CompleteStream,
): readonly Address[] {
  const unconfirmed: Address[] = [];
  for (const account of accounts)
    if (account.content !== undefined && !isConfirmedAfterGap(stream, account))
      unconfirmed.push(account.address);
  return unconfirmed;
}

/** Makes every token due now, and every account unconfirmed, as after a gap in the notifications. */
export function rereadEverything(
  state: LiveState,
  nowMs: number,
  { untilSlot }: { readonly untilSlot: bigint | null },
): void {
  if (state.stream !== null) {
    state.stream.gaps++;
    if (untilSlot !== null)
      state.stream.gapUntilSlot = maxBigint(state.stream.gapUntilSlot, untilSlot);
  }
  if (state.unconfirmed !== null) forgetVersions(state.unconfirmed);
  for (const token of state.tokens.values()) token.rereadDueMs = nowMs;
  for (const account of state.accounts.values()) account.confirmedAtSeconds = 0;
}

/**
 * Makes the tokens of these accounts due now, after a gap in the one stream that had them. Only these accounts
 * have to be confirmed again; a lost account of a hop makes every token due.
 */
export function rereadLost(
  state: LiveState,
  nowMs: number,
  { lost, untilSlot }: { readonly lost: ReadonlySet<Address>; readonly untilSlot: bigint | null },
): void {
  const tokens = new Set<FollowedToken>();
  let isForAll = false;
  for (const address of lost) {
    const account = state.accounts.get(address);
    if (account === undefined) continue;
    account.confirmedAtSeconds = 0;
    account.lostUntilSlot = maxBigint(account.lostUntilSlot, untilSlot ?? 0n);
    forEachUse(account, (use) => {
      const token = tokenOf(state, use);
      if (token === null) isForAll = true;
      else tokens.add(token);
    });
  }
  const { stream } = state;
  for (const token of isForAll ? state.tokens.values() : tokens) {
    token.rereadDueMs = nowMs;
    if (stream !== null && token.confirmedAfterGap !== null)
      token.confirmedAfterGap = stream.gaps - 1;
  }
}

/** The token that the use is for; null: a hop of any token. */
function tokenOf(state: LiveState, use: AccountUse): FollowedToken | null {
  if (use.kind === "mint") return use.token;
  const { group } = use.kind === "pool-need" ? use.pool : use;
  return state.hops.get(group.mint) === group ? null : group.token;
}

type DueSearch = {
  readonly token: FollowedToken;
  /** There was evidence of a pool that is not known. */
  readonly wasUrgent: boolean;
};

/**
 * The tokens whose pools are due to be searched again: one with evidence of a new pool and the longest due
 * one, if there are both; marks them as done. Tokens that were never searched have searches of their own.
 */
export function dueSearches(state: LiveState, nowMs: number): readonly DueSearch[] {
  const urgent: FollowedToken[] = [];
  const due: FollowedToken[] = [];
  forEachActive(state, nowMs, (token) => {
    if (nowMs < token.searchDueMs || !token.isSearched) return;
    const kept = token.isSearchUrgent ? urgent : due;
    keepFirst(kept, token, { by: "searchDueMs", most: MAX_SEARCHES_AT_ONCE });
  });
  const chosen = [...urgent.slice(0, due.length === 0 ? MAX_SEARCHES_AT_ONCE : 1), ...due];
  return chosen.slice(0, MAX_SEARCHES_AT_ONCE).map((token) => {
    const wasUrgent = token.isSearchUrgent;
    planNextSearch(token, nowMs);
    return { token, wasUrgent };
  });
}

/**
 * Drops those of the tokens that were not requested lately. Never drops watched tokens; with a complete
 * stream, drops only tokens without changes for long.
 */
export function dropUnasked(
  state: LiveState,
  tokens: Iterable<FollowedToken>,
  nowMs: number,
): readonly Address[] {
  const dropped: Address[] = [];
  const newestSlot = state.times.newest?.slot ?? 0n;
  const idleSinceSlot = newestSlot - IDLE_SLOTS;
  const crowdedIdleSinceSlot = newestSlot - CROWDED_IDLE_SLOTS;
  for (const token of tokens) {
    if (isActive(token, nowMs)) continue;
    // Only as many as there are too many: a quiet token is dropped for a new one, not all of them at once.
    const sinceSlot = state.tokens.size > MAX_STREAM_TOKENS ? crowdedIdleSinceSlot : idleSinceSlot;
    if (state.stream !== null && !isIdle(state, token, sinceSlot)) continue;
    removeToken(state, token);
    dropped.push(token.mint);
  }
  return dropped;
}

function isIdle(state: LiveState, token: FollowedToken, sinceSlot: bigint): boolean {
  if (state.times.newest === null) return false;
  for (const { changedSlot, open } of token.group.pools.values()) {
    const heldSlot = state.accounts.get(open.ref.address)?.changedSlot ?? 0n;
    const seenSlot = changedSlot > 0n ? changedSlot : heldSlot;
    if (seenSlot > sinceSlot) return false;
  }
  return true;
}
