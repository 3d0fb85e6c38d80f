import type { Express } from "#src/chain/chain-source.ts";
import type { Address } from "#src/units/address.ts";
import { maxBigint, minBigint, U64_MAX } from "#src/units/integer.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { tokenBalance } from "#src/venues/shared/token/token-account.ts";
import type { Clock } from "#src/venues/venue.ts";
import { forEachUse, isEveryUse, isOnlyOf, isShared, tokenOf } from "./account-uses.ts";
import type { AccountUse, FollowedAccount, FollowedToken, LiveState } from "./live-state.ts";

/** `expressUntilSlot` of a token that comes by express now, and of one that never did. */
const STILL_EXPRESS = U64_MAX;
export const NEVER_EXPRESS = 0n;

/**
 * The express, and the tokens that come by it. Their state is newer than that of other tokens, so that no account is
 * of tokens of both kinds, except those of many pools, such as configurations, which do not come by express.
 */
export type ExpressState = {
  readonly express: Express;
  /** The newest slot of which every change has come by express; null: none was reported. */
  reachedSlot: bigint | null;
  /** The newest clock that came by express. */
  clock: Clock | null;
  /** The accounts that it was asked for. */
  readonly wanted: Set<Address>;
  /** Those that were added to `wanted` or removed since it was asked. */
  readonly changed: Set<Address>;
  /** Calls of `requestExpress` so far. */
  calls: number;
  /** Tokens that will come by express once all their accounts do. */
  readonly candidates: Set<FollowedToken>;
  readonly tokens: Set<FollowedToken>;
};

export function createExpressState(express: Express): ExpressState {
  return {
    ...{ express, reachedSlot: null, clock: null },
    ...{
      wanted: new Set(),
      changed: new Set(),
      calls: 0,
      candidates: new Set(),
      tokens: new Set(),
    },
  };
}

/** The newest slot of which every change of the token has come by express; 0: none has. */
export function expressSlot({ express }: LiveState, { expressUntilSlot }: FollowedToken): bigint {
  if (expressUntilSlot === NEVER_EXPRESS || express === null) return 0n;
  return minBigint(newestSlot(express), expressUntilSlot);
}

function newestSlot({ reachedSlot, clock }: ExpressState): bigint {
  return reachedSlot === null || clock === null ? 0n : minBigint(reachedSlot, clock.slot);
}

export function isExpress({ expressUntilSlot }: FollowedToken): boolean {
  return expressUntilSlot === STILL_EXPRESS;
}

/** Whether the account is of tokens alone that come by express: only then its updates by express are applied. */
export function isExpressAccount(account: FollowedAccount): boolean {
  return isEveryUse(account, isExpressUse);
}

function isExpressUse(use: AccountUse): boolean {
  const token = tokenOf(use);
  return token !== null && isExpress(token);
}

/** Every change up to this slot has come by express, and none of a later one. */
export function noteReached({ express }: LiveState, slot: bigint): void {
  if (express !== null) express.reachedSlot = maxBigint(slot, express.reachedSlot ?? 0n);
}

/**
 * Lets candidates come by express from its next slot on, if the other streams have delivered all slots before that.
 *
 * @param deliveredSlot by the other streams
 */
export function admitCandidates(state: LiveState, deliveredSlot: bigint | null): void {
  const { express } = state;
  if (express === null || express.reachedSlot === null || express.candidates.size === 0) return;
  if (deliveredSlot === null || deliveredSlot < express.reachedSlot) return;
  for (const token of express.candidates) {
    if (!canBeExpress(state, token)) continue;
    express.candidates.delete(token);
    express.tokens.add(token);
    token.expressUntilSlot = STILL_EXPRESS;
  }
}

/** The token comes with all others from now on. What has come of it is of the newest slot of the express. */
export function leaveExpress({ express }: LiveState, token: FollowedToken): void {
  if (express === null || !isExpress(token)) return;
  token.expressUntilSlot = newestSlot(express);
  express.tokens.delete(token);
}

/** Changes were lost: all tokens leave the express. Candidates may come by it from the next slot on. */
export function leaveInGap(state: LiveState): void {
  const { express } = state;
  if (express === null) return;
  for (const token of express.tokens) {
    leaveExpress(state, token);
    express.candidates.add(token);
  }
}

/**
 * The account has got another use: tokens of the express leave it unless this account, too, comes so, and for them
 * alone. Of an account that is followed from now on, earlier changes were not applied.
 */
export function noteUse(state: LiveState, account: FollowedAccount, isFirst: boolean): void {
  if (state.express === null || state.express.tokens.size === 0 || isShared(account)) return;
  forEachUse(account, (use) => {
    const token = tokenOf(use);
    // No answer depends on an address at which a pool can appear.
    if (use.kind === "vacancy" || token === null || !isExpress(token)) return;
    if (isFirst || !isDelivered(state, account, token)) leaveExpress(state, token);
  });
}

/**
 * Whether all accounts of the token come by express, and are of no other token. A token that leads through hops
 * shares these with others.
 */
export function canBeExpress(state: LiveState, token: FollowedToken): boolean {
  if (leadsThroughHops(token)) return false;
  const mint = state.accounts.get(token.mint);
  if (mint === undefined || !isDelivered(state, mint, token)) return false;
  for (const { needs } of token.group.pools.values())
    for (const { account } of needs.values()) if (!isDelivered(state, account, token)) return false;
  return true;
}

export function leadsThroughHops({ mint, group }: FollowedToken): boolean {
  for (const { open } of group.pools.values()) {
    const { quoteMint } = open;
    if (quoteMint !== null && quoteMint !== WSOL && quoteMint !== mint) return true;
  }
  return false;
}

/** Of accounts that others use too, configurations rarely change; vaults that many pools share change with each trade. */
function isDelivered(
  { express }: LiveState,
  account: FollowedAccount,
  token: FollowedToken,
): boolean {
  if (isOnlyOf(account, token)) return express?.express.delivered.has(account.address) === true;
  return isShared(account) && tokenBalance(account.held.account) === null;
}
