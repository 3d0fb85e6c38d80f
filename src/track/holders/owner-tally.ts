import type { ShareLock, ShareOwner } from "#src/measure/questions/share-holders.ts";
import type { Address } from "#src/units/address.ts";
import { compareBigints, mulDivFloor } from "#src/units/integer.ts";
import { shareOwnerKind } from "#src/venues/share-owner.ts";
import { divideLock, isForever, type LocksRead, lockOf, mergeLocks } from "./lock-claims.ts";

/** Shares of one owner, and the tokens that represent them. */
export type OwnedShares = {
  readonly owner: Address;
  readonly shares: bigint;
  /** Null: the pool's program names the owner itself. */
  readonly token: { readonly mint: Address; readonly amount: bigint } | null;
  /** A lock of the pool's own program, which keeps these shares from the token's owner. */
  readonly until?: Pick<ShareLock, "locker" | "terms">;
};

export type OwnerTally = {
  /** The owners who can withdraw their shares, the largest first. */
  readonly owners: readonly ShareOwner[];
  readonly burned: bigint;
  readonly locked: bigint;
  readonly locks: readonly ShareLock[];
  /** The sum of all shares, burned and locked ones included. */
  readonly whole: bigint;
};

/** Sums shares by owner. Burned and locked shares are summed separately. */
export function tallyOwners(parts: readonly OwnedShares[], read: LocksRead): OwnerTally {
  const owners = new Map<Address, ShareOwner>();
  const locks: ShareLock[] = [];
  let burned = 0n;
  let locked = 0n;
  let whole = 0n;
  const addLock = (lock: ShareLock): void => {
    if (isForever(lock.terms)) locked += lock.shares;
    else if (lock.shares > 0n) locks.push(lock);
  };
  const addOwner = (owner: Address, shares: bigint, until: OwnedShares["until"]): void => {
    if (shares === 0n) return;
    if (until !== undefined) addLock({ ...until, owner, shares });
    if (until?.terms.kind === "dated") return;
    const kind = shareOwnerKind(owner, read.known.get(owner));
    if (kind === "burned") burned += shares;
    else if (kind === "locked") locked += shares;
    else {
      const others = owners.get(owner)?.shares ?? 0n;
      owners.set(owner, { owner, standing: kind, shares: others + shares });
    }
  };
  for (const { owner, shares, token, until } of byOwner(parts)) {
    whole += shares;
    const kind = shareOwnerKind(owner, read.known.get(owner));
    const lock = token === null ? null : lockOf(owner, read);
    if (kind === "burned") burned += shares;
    else if (kind === "locked") locked += shares;
    else if (lock === null || token === null) addOwner(owner, shares, until);
    else {
      const { amount, mint } = token;
      const divided = divideLock(lock, { owner, mint, amount }, read.clock);
      const sharesOf = (part: bigint): bigint => mulDivFloor(shares, part, amount);
      for (const free of divided.free) addOwner(free.owner, sharesOf(free.amount), until);
      if (divided.locked === null) continue;
      // The pool's own program locks all of these shares until its date, whatever the other lock's terms are.
      if (divided.locked.terms.kind === "unknown" && until?.terms.kind === "dated") continue;
      const { amount: tokens, ...held } = divided.locked;
      addLock({ ...held, terms: later(held.terms, until?.terms), shares: sharesOf(tokens) });
    }
  }
  const largestFirst = [...owners.values()].toSorted((a, b) => compareBigints(b.shares, a.shares));
  return { owners: largestFirst, burned, locked, locks: mergeLocks(locks), whole };
}

/** Merges accounts of the same owner and token, since a lock's terms are about the sum of its accounts. */
function byOwner(parts: readonly OwnedShares[]): readonly OwnedShares[] {
  const merged = new Map<string, OwnedShares>();
  const apart: OwnedShares[] = [];
  for (const part of parts) {
    const { owner, shares, token, until } = part;
    if (shares === 0n) continue;
    // A position's token represents all of its shares, however they are divided into parts.
    if (token === null || until !== undefined || token.amount !== shares) {
      apart.push(part);
      continue;
    }
    const key = `${owner} ${token.mint}`;
    const sum = shares + (merged.get(key)?.shares ?? 0n);
    merged.set(key, { ...part, shares: sum, token: { mint: token.mint, amount: sum } });
  }
  return [...merged.values(), ...apart];
}

/** Shares in two locks open when both are open. */
function later(a: ShareLock["terms"], b: ShareLock["terms"] | undefined): ShareLock["terms"] {
  if (a.kind !== "dated" || b?.kind !== "dated") return a;
  return {
    kind: "dated",
    next: a.next.at > b.next.at ? a.next : b.next,
    last: a.last.at > b.last.at ? a.last : b.last,
  };
}
