import type { Account } from "#src/venues/account-set.ts";

/** One account as we hold it. Plain data, advanced by `applyAccount` alone. */
export type HeldAccount = {
  /** Undefined: never delivered. Null: known not to exist. */
  readonly account: Account | null | undefined;
  /** The slot of these bytes, as far as we have seen. */
  readonly changedSlot: bigint;
  /** The newest slot at which they are known to hold. */
  readonly heldSlot: bigint;
  /** The slot at which it was first said to be gone, while nobody has confirmed that. */
  readonly doubtSlot: bigint | null;
};

/** What a notification or a read says of an account. */
export type AccountEvent = { readonly account: Account | null; readonly slot: bigint };

export const NEVER_DELIVERED: HeldAccount = {
  account: undefined,
  changedSlot: -1n,
  heldSlot: -1n,
  doubtSlot: null,
};

/**
 * The account after one event. The newest slot wins, in whatever order events come; an older one is
 * a no-op and gives back `held` itself; the same bytes at a newer slot confirm. An account that is
 * suddenly gone or all zeros is believed only when a second, newer event says so too: nodes that
 * lose their state answer like that, programs hardly ever do.
 */
export function applyAccount(held: HeldAccount, event: AccountEvent): HeldAccount {
  if (event.slot < held.heldSlot) return held;
  if (isGone(event.account) && held.account !== undefined && !isGone(held.account)) {
    const isConfirmed = held.doubtSlot !== null && event.slot > held.doubtSlot;
    if (!isConfirmed) return held.doubtSlot === null ? { ...held, doubtSlot: event.slot } : held;
  }
  if (held.account !== undefined && isSame(held.account, event.account)) {
    if (event.slot === held.heldSlot && held.doubtSlot === null) return held;
    return {
      account: held.account,
      changedSlot: held.changedSlot,
      heldSlot: event.slot,
      doubtSlot: null,
    };
  }
  return {
    account: event.account,
    changedSlot: event.slot,
    heldSlot: event.slot,
    doubtSlot: null,
  };
}

function isGone(account: Account | null): boolean {
  if (account === null) return true;
  const { data } = account;
  for (let index = 0; index < data.length; index++) if (data[index] !== 0) return false;
  return true;
}

function isSame(a: Account | null, b: Account | null): boolean {
  if (a === null || b === null) return a === b;
  if (a === b) return true;
  return a.owner === b.owner && areEqual(a.data, b.data);
}

function areEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && Buffer.compare(a, b) === 0;
}
