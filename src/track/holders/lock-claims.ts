import type {
  LockUnknownReason,
  Opening,
  ShareLock,
} from "#src/measure/questions/share-holders.ts";
import { type Address, compareAddressBytes } from "#src/units/address.ts";
import type { Account, AccountSet } from "#src/venues/account-set.ts";
import * as jupiterLock from "#src/venues/lockers/jupiter-lock.ts";
import type { LockAccount, LockerId } from "#src/venues/lockers/lock-terms.ts";
import {
  type ChainMoment,
  isConsistent,
  momentNow,
  openedBy,
  stillLocked,
} from "#src/venues/shared/vesting.ts";
import type { Clock } from "#src/venues/venue.ts";

/** A lock that opens at or after this time counts as never opening: dates in JSON end with the year 9999. */
const NEVER_FROM = 253_402_300_800n;
const MS_PER_SLOT = 400n;

/** The accounts that were read about the locks of a pool's shares. */
export type LocksRead = {
  /** The owners' own accounts. */
  readonly known: AccountSet;
  /** The chain's clock when they were read; null: not read. */
  readonly clock: Clock | null;
  /** Locks that were searched for, by the owner of the tokens. */
  readonly found: ReadonlyMap<Address, LockAccount>;
};

/** Tokens in a lock. */
export type LockedTokens = {
  readonly owner: Address;
  readonly mint: Address;
  readonly amount: bigint;
};

/** How a lock divides the tokens in it. The parts add up to the amount. */
export type LockDivision = {
  /** The owners that can take out tokens now, with their amounts. */
  readonly free: readonly { readonly owner: Address; readonly amount: bigint }[];
  /** Null: no token is locked. */
  readonly locked: (Omit<ShareLock, "shares"> & { readonly amount: bigint }) | null;
};

/** The lock that owns the tokens; null: the owner is not a known locker. */
export function lockOf(owner: Address, { known, found }: LocksRead): LockAccount | null {
  const searched = found.get(owner);
  if (searched !== undefined) return searched;
  const account: Account | null | undefined = known.get(owner);
  if (account?.owner !== jupiterLock.PROGRAM_ID) return null;
  return { locker: "jupiter-lock", terms: jupiterLock.decodeEscrow(account) ?? "undecodable" };
}

/** Divides the tokens in a lock at the chain's clock. Tokens that contradict the terms count for the lock's address. */
export function divideLock(
  { locker, terms }: LockAccount,
  { owner, mint, amount }: LockedTokens,
  clock: Clock | null,
): LockDivision {
  if (clock === null) return unknownLock(locker, { owner, amount }, "not-read");
  if (typeof terms === "string") return unknownLock(locker, { owner, amount }, terms);
  if (terms.mint !== mint || !isConsistent(terms.vesting, clock)) {
    return unknownLock(locker, { owner, amount }, "undecodable");
  }
  const { recipient, vesting, revocableTo } = terms;
  const surplus = amount - (vesting.total - vesting.released);
  if (surplus < 0n) return unknownLock(locker, { owner, amount }, "undecodable");
  const free = [
    { owner: recipient, amount: openedBy(vesting, clock) - vesting.released },
    { owner, amount: surplus },
  ];
  const rest = stillLocked(vesting, clock);
  if (rest === null) return { free, locked: null };
  if (revocableTo !== null) {
    const back = { owner: revocableTo, amount: rest.amount };
    const reason = { kind: "unknown", reason: "revocable" } as const;
    return { free: [...free, back], locked: { locker, ...back, terms: reason } };
  }
  return { free, locked: { locker, owner: recipient, ...datedPart(rest, clock) } };
}

function datedPart(
  { amount, next, last }: NonNullable<ReturnType<typeof stillLocked>>,
  clock: Clock,
): Pick<NonNullable<LockDivision["locked"]>, "amount" | "terms"> {
  return {
    amount,
    terms: { kind: "dated", next: opening(next, clock), last: opening(last, clock) },
  };
}

function unknownLock(
  locker: LockerId,
  { owner, amount }: Pick<LockedTokens, "owner" | "amount">,
  reason: LockUnknownReason,
): LockDivision {
  const terms = { kind: "unknown", reason } as const;
  return { free: [{ owner, amount }], locked: { locker, owner, amount, terms } };
}

/** A moment in Unix seconds; a slot is converted at 400 ms a slot. */
export function opening({ counts, at }: ChainMoment, { slot, unixTimestamp }: Clock): Opening {
  if (counts === "seconds") return { at, slot: null };
  return { at: unixTimestamp + ((at - slot) * MS_PER_SLOT) / 1_000n, slot: at };
}

/** The lock of a pool's own program as a field; empty once its moment has passed. */
export function lockUntil(
  lock: { readonly locker: LockerId; readonly until: ChainMoment } | undefined,
  { clock }: LocksRead,
): { readonly until?: Pick<ShareLock, "locker" | "terms"> } {
  if (lock === undefined) return {};
  const { locker, until } = lock;
  if (clock === null) {
    return { until: { locker, terms: { kind: "unknown", reason: "not-read" } } };
  }
  if (momentNow(until, clock) >= until.at) return {};
  const at = opening(until, clock);
  return { until: { locker, terms: { kind: "dated", next: at, last: at } } };
}

/** Whether shares open so late that they are locked for good. */
export function isForever(terms: ShareLock["terms"]): boolean {
  return terms.kind === "dated" && terms.next.at >= NEVER_FROM;
}

/** Merges locks of the same program, owner and dates; sorted by opening, those without dates last. */
export function mergeLocks(locks: readonly ShareLock[]): readonly ShareLock[] {
  const merged = new Map<string, ShareLock>();
  for (const lock of locks) {
    const { locker, owner, terms } = lock;
    const when = terms.kind === "dated" ? `${terms.next.at} ${terms.last.at}` : terms.reason;
    const key = `${locker} ${owner} ${when}`;
    merged.set(key, { ...lock, shares: lock.shares + (merged.get(key)?.shares ?? 0n) });
  }
  return [...merged.values()].toSorted(firstToOpen);
}

function firstToOpen(a: ShareLock, b: ShareLock): number {
  const [atA, atB] = [a, b].map(({ terms }) => (terms.kind === "dated" ? terms.last.at : null));
  if (atA === atB) return compareAddressBytes(a.owner, b.owner);
  if (atA === null || atA === undefined) return 1;
  if (atB === null || atB === undefined) return -1;
  return atA < atB ? -1 : 1;
}
