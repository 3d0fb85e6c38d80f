import type { Address } from "#src/units/address.ts";
import { isEveryUse, isOnlyOf, isShared, tokenOf } from "./account-uses.ts";
import {
  canBeExpress,
  type ExpressState,
  isExpress,
  leadsThroughHops,
  leaveExpress,
} from "./express.ts";
import type { AccountUse, FollowedAccount, FollowedToken, LiveState } from "./live-state.ts";
import { isActive } from "./schedule.ts";

/** The accounts that come by express at most: each change of them repeats the whole request. */
const MOST_ACCOUNTS = 60_000;
/** From this many on only those of watched tokens are added: alerts go before answers. */
const MOST_ACCOUNTS_ASKED = 40_000;

/** Asks the express for the accounts of tokens that are in use now, watched ones first, and no longer for others. */
export function requestExpress(state: LiveState, nowMs: number): void {
  const { express, usedTokens } = state;
  if (express === null) return;
  for (const token of express.tokens)
    if (!isActive(token, nowMs) || !canBeExpress(state, token)) leaveExpress(state, token);
  const removed = removeUnwanted(state, express, nowMs);
  const added: Address[] = [];
  express.candidates.clear();
  for (const token of usedTokens) if (token.isWatched) choose(state, token, added);
  for (const token of usedTokens)
    if (!token.isWatched && isActive(token, nowMs)) choose(state, token, added);
  if (added.length + removed.length > 0) express.express.change(added, removed);
}

function removeUnwanted(state: LiveState, { wanted }: ExpressState, nowMs: number): Address[] {
  const removed: Address[] = [];
  const isWantedUse = (use: AccountUse): boolean => {
    const token = tokenOf(use);
    return token !== null && isActive(token, nowMs) && !leadsThroughHops(token);
  };
  for (const address of wanted) {
    const account = state.accounts.get(address);
    if (account !== undefined && !isShared(account) && isEveryUse(account, isWantedUse)) continue;
    wanted.delete(address);
    removed.push(address);
  }
  return removed;
}

/** Makes the token a candidate, and adds its accounts to those that are wanted, as long as there is room. */
function choose(state: LiveState, token: FollowedToken, added: Address[]): void {
  const { express } = state;
  if (express === null || isExpress(token) || leadsThroughHops(token)) return;
  express.candidates.add(token);
  const mint = state.accounts.get(token.mint);
  const most = token.isWatched ? MOST_ACCOUNTS : MOST_ACCOUNTS_ASKED;
  if (mint !== undefined && isOnlyOf(mint, token)) want(express, mint, most, added);
  for (const { needs } of token.group.pools.values()) {
    for (const { account } of needs.values())
      if (isOnlyOf(account, token)) want(express, account, most, added);
  }
}

function want(
  { wanted }: ExpressState,
  account: FollowedAccount,
  most: number,
  added: Address[],
): void {
  const { address } = account;
  if (wanted.size >= most || wanted.has(address) || isShared(account)) return;
  wanted.add(address);
  added.push(address);
}
