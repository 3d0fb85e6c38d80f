import type { Address } from "#src/units/address.ts";
import type { PositionTotals, RangedPosition } from "#src/venues/quotable-pool.ts";

/** Whether a share's owner can burn it for what it is worth. */
export type OwnerStanding =
  /** An ordinary address: its signer can. */
  | "wallet"
  /** An address for which a program signs, such as a farm or an unknown locker. It counts as able to burn the share. */
  | "program";

export type ShareOwner = {
  readonly owner: Address;
  readonly standing: OwnerStanding;
  readonly shares: bigint;
};

/** When a lock opens, by the chain's clock. */
export type Opening = {
  /** Unix seconds; an estimate where the program counts slots. */
  readonly at: bigint;
  /** The slot, if the program counts slots; otherwise null. */
  readonly slot: bigint | null;
};

/** Why the dates of a lock are unknown or not binding. Its shares then count as withdrawable. */
export type LockUnknownReason =
  /** Its program lets one side end it, or change its terms, before its time. */
  | "revocable"
  /** Its account does not have the format that its program writes, or contradicts the amount in the lock. */
  | "undecodable"
  /** Its account was not found, or the node refused to look for it. */
  | "not-read";

/** Shares that a locker keeps from their owner. */
export type ShareLock = {
  /** The program's name. */
  readonly locker: string;
  /** Who can withdraw them when it opens. */
  readonly owner: Address;
  readonly shares: bigint;
  readonly terms:
    | {
        readonly kind: "dated";
        /** When a part of them opens. */
        readonly next: Opening;
        /** When all of them are open. */
        readonly last: Opening;
      }
    | { readonly kind: "unknown"; readonly reason: LockUnknownReason };
};

/** Why it is not known who can take liquidity out of a pool. */
export type HoldersUnknownReason =
  /** Its liquidity lies in accounts of positions, which are not read. */
  | "positions-not-read"
  /** The node refused to list the holders of its shares, or could not be reached. */
  | "holders-not-read"
  /** The pool's count, the mint's supply and what the holders have contradict each other. */
  | "shares-do-not-add-up"
  /** The token has more pools than are asked about; this one is not among the deepest. */
  | "not-among-the-deepest"
  /** What the program would pay, and leave, is not known. */
  | "withdrawal-not-modelled"
  /** The pool itself can't be priced. */
  | "not-priced";

/** Positions with ranges of their own: what their owners take out is not a part of the whole. */
export type RangedHoldings = {
  readonly byOwner: ReadonlyMap<Address, readonly RangedPosition[]>;
  readonly totals: PositionTotals;
};

/** Who holds the shares of a pool's liquidity. The parts add up to `issued`. */
export type KnownHolders = {
  readonly kind: "known";
  /**
   * What the pool divides its reserves by. Where positions have ranges of their own, a share is a base
   * unit of the quote that a position holds now.
   */
  readonly issued: bigint;
  /** By owner, the largest first. */
  readonly owners: readonly ShareOwner[];
  /** Gone for good: burned, never minted, or held by an address without a signer. */
  readonly burned: bigint;
  /** Held by a locker that never gives them back. */
  readonly locked: bigint;
  /**
   * Merged by program, owner and opening. Shares with dates count for no owner until they open; shares without dates
   * also count for their owner.
   */
  readonly locks: readonly ShareLock[];
  /** Held in accounts that the node did not list: each smaller than any of the listed ones. */
  readonly unlisted: bigint;
  /** Only where positions have ranges of their own. */
  readonly ranged?: RangedHoldings;
  readonly slot: bigint;
};

export type PoolHolders =
  | KnownHolders
  /** It has no shares: a launchpad's curve. */
  | { readonly kind: "nobody" }
  | { readonly kind: "unknown"; readonly reason: HoldersUnknownReason };
