import type { PoolHolders } from "#src/measure/questions/share-holders.ts";
import type { Address } from "#src/units/address.ts";
import { compareBigints } from "#src/units/integer.ts";
import type { PositionTotals, RangedPosition } from "#src/venues/quotable-pool.ts";
import {
  decodeTokenAccount,
  isFrozenAccount,
  tokenAccountOwner,
} from "#src/venues/shared/token/token-account.ts";
import { type LocksRead, lockUntil } from "./lock-claims.ts";
import { type OwnedShares, tallyOwners } from "./owner-tally.ts";

/**
 * Positions of one pool whose owners are read: those that hold most of what sellers take out. A position's
 * token costs a call to find who holds it.
 */
const MAX_OWNERS_READ = 8;

/** The positions whose owners are read, largest first. */
export function largestRanged(
  positions: readonly RangedPosition[],
  quoteMint: Address,
): readonly RangedPosition[] {
  return positions
    .filter((position) => quoteOf(position, quoteMint) > 0n)
    .toSorted((a, b) => compareBigints(quoteOf(b, quoteMint), quoteOf(a, quoteMint)))
    .slice(0, MAX_OWNERS_READ);
}

export type FoundRanged = {
  readonly quoteMint: Address;
  readonly all: readonly RangedPosition[];
  readonly totals: PositionTotals;
  readonly largest: readonly RangedPosition[];
  /** By token of a position: the account that holds it. */
  readonly holderOf: ReadonlyMap<Address, Address>;
  /** Those accounts, and their owners. */
  readonly read: LocksRead;
  readonly slot: bigint;
};

/** Who owns a pool's positions, in base units of the quote that they hold now. Pure. */
export function sumRanged(found: FoundRanged): PoolHolders {
  const { quoteMint, all, largest, read, slot } = found;
  const issued = all.reduce((sum, position) => sum + quoteOf(position, quoteMint), 0n);
  const parts: OwnedShares[] = [];
  const byOwner = new Map<Address, RangedPosition[]>();
  let lockedByProgram = 0n;
  for (const position of largest) {
    const owner = ownerOf(position, found);
    if (owner === null) return { kind: "unknown", reason: "holders-not-read" };
    const shares = quoteOf(position, quoteMint);
    // The program freezes the token of a position that is locked for good.
    if (owner === "locked") lockedByProgram += shares;
    else {
      const part = { owner, shares, token: tokenOf(position), ...lockUntil(position.lock, read) };
      parts.push(part);
      const [taker] = tallyOwners([part], read).owners;
      if (taker !== undefined)
        byOwner.set(taker.owner, [...(byOwner.get(taker.owner) ?? []), position]);
    }
  }
  const { owners, burned, locked, locks, whole: owned } = tallyOwners(parts, read);
  return {
    kind: "known",
    issued,
    owners,
    burned,
    locked: locked + lockedByProgram,
    locks,
    unlisted: issued - owned - lockedByProgram,
    ranged: { byOwner, totals: found.totals },
    slot,
  };
}

function tokenOf({ owner }: RangedPosition): OwnedShares["token"] {
  return owner.kind === "token" ? { mint: owner.address, amount: 1n } : null;
}

/** Null where the token has left the account that was listed as its holder. */
function ownerOf(
  { owner }: RangedPosition,
  { holderOf, read: { known } }: Pick<FoundRanged, "holderOf" | "read">,
): Address | "locked" | null {
  if (owner.kind === "address") return owner.address;
  const holder = holderOf.get(owner.address);
  const account = holder === undefined ? null : known.get(holder);
  const held = decodeTokenAccount(account);
  if (held?.mint !== owner.address || held.amount !== 1n) return null;
  return isFrozenAccount(account) ? "locked" : tokenAccountOwner(account);
}

function quoteOf({ held }: RangedPosition, quoteMint: Address): bigint {
  return held.get(quoteMint) ?? 0n;
}
