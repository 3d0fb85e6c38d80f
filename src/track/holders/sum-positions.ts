import { LARGEST_LISTED } from "#src/chain/chain-source.ts";
import type {
  HoldersUnknownReason,
  LockUnknownReason,
  PoolHolders,
  ShareLock,
} from "#src/measure/questions/share-holders.ts";
import type { Address } from "#src/units/address.ts";
import { compareBigints } from "#src/units/integer.ts";
import type { Account } from "#src/venues/account-set.ts";
import type {
  PositionAccounts,
  PositionShare,
  PositionShares,
} from "#src/venues/liquidity-shares.ts";
import { decodeTokenAccount, tokenAccountOwner } from "#src/venues/shared/token/token-account.ts";
import { isConsistent, openedBy, stillLocked, type Vesting } from "#src/venues/shared/vesting.ts";
import { isForever, type LocksRead, opening } from "./lock-claims.ts";
import { type OwnedShares, tallyOwners } from "./owner-tally.ts";

/** Maximum liquidity without a position, percent of all: programs keep back a minimal amount. */
const MAX_UNLISTED_PCT = 1n;

/** A position whose owner is read. */
export type LargePosition = PositionShare & PositionAccounts;

/**
 * The positions whose owners are read: those with the most liquidity that is not locked for good. Null if
 * an account is not a position.
 */
export function largestPositions(
  { decode, accountsOf }: PositionShares,
  accounts: ReadonlyMap<Address, Account>,
): {
  readonly all: readonly PositionShare[];
  readonly largest: readonly LargePosition[];
} | null {
  const all: PositionShare[] = [];
  for (const account of accounts.values()) {
    const position = decode(account);
    if (position === null) return null;
    all.push(position);
  }
  const largest = all
    .filter((position) => ownedIn(position) > 0n)
    .toSorted((a, b) => compareBigints(ownedIn(b), ownedIn(a)))
    .slice(0, LARGEST_LISTED)
    .map((position) => ({ ...position, ...accountsOf(position) }));
  return { all, largest };
}

/** The liquidity that the owner can withdraw now or later. */
function ownedIn({ unlocked, vesting }: PositionShare): bigint {
  return unlocked + vesting;
}

export type FoundPositions = {
  readonly issued: bigint;
  readonly all: readonly PositionShare[];
  readonly largest: readonly LargePosition[];
  /** By position: its vestings in separate accounts, if these were searched for. */
  readonly vestings: ReadonlyMap<LargePosition, readonly Vesting[]>;
  /** Accounts of the largest positions' tokens, and their owners. */
  readonly read: LocksRead;
  readonly slot: bigint;
};

/** Who owns a pool's positions. Unknown if the pool counts positions that are not listed. Pure. */
export function sumPositions(found: FoundPositions): PoolHolders {
  const { issued, all, largest, read, slot } = found;
  const lockedForGood = all.reduce((sum, position) => sum + position.locked, 0n);
  const whole = all.reduce((sum, position) => sum + ownedIn(position), lockedForGood);
  if (whole > issued || (issued - whole) * 100n > issued * MAX_UNLISTED_PCT) {
    return unknown("shares-do-not-add-up");
  }
  const parts: OwnedShares[] = [];
  for (const position of largest) {
    const { holder, token: mint } = position;
    const account = read.known.get(holder);
    const held = decodeTokenAccount(account);
    const owner = tokenAccountOwner(account);
    // The position token was moved to another account, so its owner is unknown.
    if (held?.mint !== mint || held.amount !== 1n || owner === null) {
      return unknown("holders-not-read");
    }
    const token = { mint, amount: 1n };
    for (const part of partsOf(position, found)) parts.push({ owner, token, ...part });
  }
  const { owners, burned, locked, locks, whole: owned } = tallyOwners(parts, read);
  return {
    kind: "known",
    issued,
    owners,
    burned,
    locked: locked + lockedForGood,
    locks,
    unlisted: issued - lockedForGood - owned,
    slot,
  };
}

/**
 * Divides a position into the part that is open and parts that open later. Anyone may refresh a position's
 * vesting, so liquidity that is due counts as open. If the vestings do not add up to the position's vesting
 * liquidity, some are missing: then all of it counts as open, with the reason.
 */
function partsOf(
  position: LargePosition,
  { vestings, read: { clock } }: FoundPositions,
): readonly Pick<OwnedShares, "shares" | "until">[] {
  const { unlocked, vesting, ownVesting, vestingAccounts } = position;
  if (vesting === 0n) return [{ shares: unlocked }];
  const elsewhere = vestings.get(position) ?? [];
  const all = [...(ownVesting === null ? [] : [ownVesting]), ...elsewhere];
  const { locker } = vestingAccounts;
  const unknownTerms = (reason: LockUnknownReason): ReturnType<typeof partsOf> => [
    { shares: unlocked },
    { shares: vesting, until: { locker, terms: { kind: "unknown", reason } } },
  ];
  const isMissing = elsewhere.length === 0 && vestsElsewhere(position) > 0n;
  if (clock === null || isMissing) return unknownTerms("not-read");
  const isWhole =
    all.reduce((rest, { total, released }) => rest - total + released, vesting) === 0n;
  if (!isWhole || !all.every((each) => isConsistent(each, clock))) {
    return unknownTerms("undecodable");
  }
  const due = all.reduce((sum, each) => sum + openedBy(each, clock) - each.released, 0n);
  const rest = all.flatMap((each): readonly DatedPart[] => {
    const locked = stillLocked(each, clock);
    if (locked === null) return [];
    const [next, last] = [opening(locked.next, clock), opening(locked.last, clock)];
    return [{ shares: locked.amount, terms: { kind: "dated", next, last } }];
  });
  const forGood = rest.filter(({ terms }) => isForever(terms));
  const dated = rest.filter(({ terms }) => !isForever(terms));
  return [
    { shares: unlocked + due },
    ...[forGood, dated]
      .flatMap(asOne)
      .map(({ shares, terms }) => ({ shares, until: { locker, terms } })),
  ];
}

type DatedPart = {
  readonly shares: bigint;
  readonly terms: Extract<ShareLock["terms"], { readonly kind: "dated" }>;
};

/** Merges parts into one, from the first opening to the last. */
function asOne(parts: readonly DatedPart[]): readonly DatedPart[] {
  const [first, ...others] = parts;
  if (first === undefined) return [];
  return [
    others.reduce(
      (sum, { shares, terms: { next, last } }) => ({
        shares: sum.shares + shares,
        terms: {
          kind: "dated",
          next: next.at < sum.terms.next.at ? next : sum.terms.next,
          last: last.at > sum.terms.last.at ? last : sum.terms.last,
        },
      }),
      first,
    ),
  ];
}

/** The part of a position's vesting liquidity that is described in separate accounts. */
export function vestsElsewhere({ vesting, ownVesting }: PositionShare): bigint {
  return vesting - (ownVesting === null ? 0n : ownVesting.total - ownVesting.released);
}

function unknown(reason: HoldersUnknownReason): PoolHolders {
  return { kind: "unknown", reason };
}
