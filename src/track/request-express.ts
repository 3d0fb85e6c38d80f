import type { Address } from "#src/units/address.ts";
import { isEveryUse, isOnlyOf, tokenOf } from "./account-uses.ts";
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
/** From this many on only those of watched tokens are added. */
const MOST_ACCOUNTS_ASKED = 40_000;
/** Each call visits this share of the tokens and accounts, since all of them take a tenth of a second. */
const CALLS_PER_ROUND = 10;

/**
 * Chooses the accounts that come by express: those of tokens that are in use now, watched ones first. To be called
 * once a second; the express is asked once in a round of ten calls.
 */
export function requestExpress(state: LiveState, nowMs: number): void {
  const { express, usedTokens } = state;
  if (express === null) return;
  const { calls } = express;
  express.calls++;
  const isDue = (place: number): boolean => place % CALLS_PER_ROUND === calls % CALLS_PER_ROUND;
  for (const token of express.tokens) if (!isActive(token, nowMs)) leaveExpress(state, token);
  removeUnwanted(state, express, { isDue, nowMs });
  let place = 0;
  for (const token of usedTokens) if (isDue(place++) && token.isWatched) choose(state, token);
  place = 0;
  for (const token of usedTokens)
    if (isDue(place++) && !token.isWatched && isActive(token, nowMs)) choose(state, token);
  if (isDue(0)) send(express);
}

function send({ express, wanted, changed }: ExpressState): void {
  if (changed.size === 0) return;
  const added: Address[] = [];
  const removed: Address[] = [];
  for (const address of changed) (wanted.has(address) ? added : removed).push(address);
  changed.clear();
  express.change(
    added.filter((address) => !express.delivered.has(address)),
    removed,
  );
}

function removeUnwanted(
  state: LiveState,
  { wanted, changed }: ExpressState,
  { isDue, nowMs }: { readonly isDue: (place: number) => boolean; readonly nowMs: number },
): void {
  const isWantedUse = (use: AccountUse): boolean => {
    const token = tokenOf(use);
    return token !== null && isActive(token, nowMs) && !leadsThroughHops(token);
  };
  let place = 0;
  for (const address of wanted) {
    if (!isDue(place++)) continue;
    const account = state.accounts.get(address);
    if (account !== undefined && isEveryUse(account, isWantedUse)) continue;
    wanted.delete(address);
    changed.add(address);
  }
}

/** Makes the token a candidate, and its accounts wanted, if there is room for all of them. */
function choose(state: LiveState, token: FollowedToken): void {
  const { express } = state;
  if (express === null) return;
  if (isExpress(token)) {
    if (canBeExpress(state, token)) return;
    leaveExpress(state, token);
  }
  express.candidates.delete(token);
  if (leadsThroughHops(token)) return;
  const accounts = ownAccounts(state, token).filter(({ address }) => !express.wanted.has(address));
  const most = token.isWatched ? MOST_ACCOUNTS : MOST_ACCOUNTS_ASKED;
  if (accounts.length > 0 && express.wanted.size + accounts.length > most) return;
  express.candidates.add(token);
  for (const { address } of accounts) {
    express.wanted.add(address);
    express.changed.add(address);
  }
}

function ownAccounts(state: LiveState, token: FollowedToken): FollowedAccount[] {
  const own: FollowedAccount[] = [];
  const mint = state.accounts.get(token.mint);
  if (mint !== undefined && isOnlyOf(mint, token)) own.push(mint);
  for (const { needs } of token.group.pools.values())
    for (const { account } of needs.values()) if (isOnlyOf(account, token)) own.push(account);
  return own;
}
