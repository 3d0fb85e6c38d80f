import type { Address } from "#src/units/address.ts";
import type { LoadedAccounts } from "../pools/gather-accounts.ts";
import { applyAccount, type HeldAccount, NEVER_DELIVERED, withData } from "./held-account.ts";
import type { AccountUse, FollowedAccount, LiveState } from "./live-state.ts";

/** Follows the account from now on; an account that a load already returned is its first state. */
export function followAccount(
  state: LiveState,
  address: Address,
  loaded?: LoadedAccounts,
): FollowedAccount {
  const existing = state.accounts.get(address);
  if (existing !== undefined) return existing;
  const found = loaded?.get(address);
  const account = found === undefined ? undefined : withData(found);
  const slot = account?.slot ?? 0n;
  const held =
    account === undefined ? NEVER_DELIVERED : applyAccount(NEVER_DELIVERED, { account, slot });
  // Field by field: V8 keeps the fields of a spread in an object of their own.
  const followed: FollowedAccount = {
    address,
    content: held.content,
    changedSlot: held.changedSlot,
    heldSlot: held.heldSlot,
    doubtSlot: held.doubtSlot,
    confirmedAtSeconds: 0,
    lostUntilSlot: 0n,
    wasAsked: false,
    uses: null,
  };
  state.accounts.set(address, followed);
  state.unwanted.delete(address);
  state.wanted.add(address);
  return followed;
}

/** Replaces what is held of the account. Copies the fields: kept versions stay as they are. */
export function hold(
  followed: FollowedAccount,
  { content, changedSlot, heldSlot, doubtSlot }: HeldAccount,
): void {
  followed.content = content;
  followed.changedSlot = changedSlot;
  followed.heldSlot = heldSlot;
  followed.doubtSlot = doubtSlot;
}

export function addUse(account: FollowedAccount, use: AccountUse): void {
  if (account.uses === null) account.uses = use;
  else if (account.uses instanceof Set) account.uses.add(use);
  else if (account.uses !== use) account.uses = new Set([account.uses, use]);
}

/** Removes a use. Removing the last one stops following the account. */
export function removeUse(state: LiveState, use: AccountUse): void {
  const { account } = use;
  if (account.uses instanceof Set) account.uses.delete(use);
  else if (account.uses === use) account.uses = null;
  const isUnused =
    account.uses === null || (account.uses instanceof Set && account.uses.size === 0);
  if (!isUnused) return;
  state.accounts.delete(account.address);
  state.wanted.delete(account.address);
  state.rereadSoon.delete(account.address);
  state.doubted.delete(account);
  state.unwanted.add(account.address);
}

export function forEachUse(account: FollowedAccount, visit: (use: AccountUse) => void): void {
  if (account.uses === null) return;
  if (account.uses instanceof Set) for (const use of account.uses) visit(use);
  else visit(account.uses);
}
