import { LARGEST_LISTED } from "#src/chain/chain-source.ts";
import type { HoldersUnknownReason, PoolHolders } from "#src/measure/share-holders.ts";
import type { Address } from "#src/units/address.ts";
import type { Account, AccountSet } from "#src/venues/account-set.ts";
import type { PositionShare, PositionShares } from "#src/venues/liquidity-shares.ts";
import { decodeTokenAccount, tokenAccountOwner } from "#src/venues/shared/token/token-account.ts";
import { type OwnedShares, tallyOwners } from "./owner-tally.ts";

/** Maximum liquidity without a position, percent of all: programs keep back a minimal amount. */
const MAX_UNLISTED_PCT = 1n;

/**
 * The positions whose owners are read: the largest that can be withdrawn. Null if an account is not a
 * position.
 */
export function largestPositions(
  { decode }: PositionShares,
  accounts: ReadonlyMap<Address, Account>,
): {
  readonly all: readonly PositionShare[];
  readonly largest: readonly PositionShare[];
} | null {
  const all: PositionShare[] = [];
  for (const account of accounts.values()) {
    const position = decode(account);
    if (position === null) return null;
    all.push(position);
  }
  const largest = all
    .filter(({ withdrawable }) => withdrawable > 0n)
    .toSorted((a, b) =>
      a.withdrawable === b.withdrawable ? 0 : a.withdrawable < b.withdrawable ? 1 : -1,
    )
    .slice(0, LARGEST_LISTED);
  return { all, largest };
}

export type FoundPositions = {
  readonly issued: bigint;
  readonly all: readonly PositionShare[];
  readonly largest: readonly PositionShare[];
  /** Accounts of the largest positions' tokens, and their owners. */
  readonly known: AccountSet;
  readonly slot: bigint;
};

/** Who owns a pool's positions. Unknown if the pool counts positions that are not listed. Pure. */
export function sumPositions({ issued, all, largest, known, slot }: FoundPositions): PoolHolders {
  const lockedForGood = all.reduce((sum, position) => sum + position.locked, 0n);
  const whole = all.reduce((sum, position) => sum + position.withdrawable, lockedForGood);
  if (whole > issued || (issued - whole) * 100n > issued * MAX_UNLISTED_PCT) {
    return unknown("shares-do-not-add-up");
  }
  const parts: OwnedShares[] = [];
  for (const { holder, token, withdrawable } of largest) {
    const account = known.get(holder);
    const held = decodeTokenAccount(account);
    const owner = tokenAccountOwner(account);
    // The position token was moved to another account, so its owner is unknown.
    if (held?.mint !== token || held.amount !== 1n || owner === null) {
      return unknown("holders-not-read");
    }
    parts.push({ owner, shares: withdrawable });
  }
  const { owners, burned, locked } = tallyOwners(parts, known);
  const owned = parts.reduce((sum, { shares }) => sum + shares, 0n);
  return {
    kind: "known",
    issued,
    owners,
    burned,
    locked: locked + lockedForGood,
    unlisted: issued - lockedForGood - owned,
    slot,
  };
}

function unknown(reason: HoldersUnknownReason): PoolHolders {
  return { kind: "unknown", reason };
}
