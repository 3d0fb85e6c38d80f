import type { Account } from "#src/venues/account-set.ts";

/** What is held of one account. */
export type HeldAccount = {
  /** Undefined: never delivered. Null: known not to exist. */
  readonly content: Account | null | undefined;
  /** The first slot at which these bytes were seen. */
  readonly changedSlot: bigint;
  /** The newest slot at which these bytes are known to hold. */
  readonly heldSlot: bigint;
  /** The slot at which the account was first reported as gone, until that is confirmed. */
  readonly doubtSlot: bigint | null;
};

/** The content of a notification or a read. */
export type AccountEvent = { readonly account: Account | null; readonly slot: bigint };

export const NEVER_DELIVERED: HeldAccount = {
  content: undefined,
  changedSlot: -1n,
  heldSlot: -1n,
  doubtSlot: null,
};

/**
 * The account after one event: `held` itself, which is never modified, or a new object. The newest slot wins, in any
 * order of arrival; an older event changes nothing; the same bytes at a newer slot confirm it. An account that is
 * suddenly absent or all zeros is accepted only after a second, newer event that confirms it: nodes
 * that lost their state answer like that, programs almost never do.
 */
export function applyAccount(held: HeldAccount, event: AccountEvent): HeldAccount {
  if (event.slot < held.heldSlot) return held;
  // One that was never delivered is doubted where an earlier process had it.
  const isDoubtable = held.content === undefined ? held.doubtSlot !== null : !isGone(held.content);
  if (isGone(event.account) && isDoubtable) {
    const isConfirmed = held.doubtSlot !== null && event.slot > held.doubtSlot;
    if (!isConfirmed) return held.doubtSlot === null ? withDoubt(held, event.slot) : held;
  }
  // What was read of an earlier slot does not show whether the account exists since.
  if (held.doubtSlot !== null && event.slot < held.doubtSlot)
    return withDoubt(applyAccount(withDoubt(held, null), event), held.doubtSlot);
  if (held.content !== undefined && isSame(held.content, event.account)) {
    if (event.slot === held.heldSlot && held.doubtSlot === null) return held;
    return {
      content: held.content,
      changedSlot: held.changedSlot,
      heldSlot: event.slot,
      doubtSlot: null,
    };
  }
  return {
    content: event.account && withOwnBytes(event.account),
    changedSlot: event.slot,
    heldSlot: event.slot,
    doubtSlot: null,
  };
}

/** Without a spread: `held` may be a followed account, whose other fields must not be copied. */
function withDoubt(
  { content, changedSlot, heldSlot }: HeldAccount,
  doubtSlot: bigint | null,
): HeldAccount {
  return { content, changedSlot, heldSlot, doubtSlot };
}

/**
 * The account with a copy of its bytes where they are a part of something larger, such as a message or Node's
 * pool of small buffers, which they would keep in memory.
 */
function withOwnBytes(account: Account): Account {
  const { data } = account;
  if (data.byteLength === data.buffer.byteLength) return account;
  return { ...account, data: new Uint8Array(data) };
}

/**
 * The account; null if it has no data. Anyone can send lamports to the address of a closed account: to its program it
 * does not exist.
 */
export function withData(account: Account | null): Account | null {
  return account === null || account.data.length === 0 ? null : account;
}

/** Absent, or all zeros: one answer of a node does not prove that. */
export function isGone(account: Account | null): boolean {
  if (account === null) return true;
  const { data } = account;
  for (let index = 0; index < data.length; index++) if (data[index] !== 0) return false;
  return true;
}

/** Whether programs read the same of both: owner and bytes. */
export function isSame(a: Account | null, b: Account | null): boolean {
  if (a === null || b === null || a === b) return a === b;
  if (a.owner !== b.owner || a.data.length !== b.data.length) return false;
  return a.data === b.data || Buffer.compare(a.data, b.data) === 0;
}
