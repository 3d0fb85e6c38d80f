import type { Address } from "#src/units/address.ts";
import type { Ratio } from "#src/units/ratio.ts";
import type { AccountSet } from "./account-set.ts";
import type { FastQuoter } from "./fast-quoter.ts";
import type { LiquidityShares, ShareOfPool } from "./liquidity-shares.ts";
import type { TakenPositions } from "./quotable-pool.ts";
import type { ChargedTransfers } from "./shared/token/transfer-fee.ts";

/** The name of the venue's folder, or of one deployment of its program; published in answers and stored in the accuracy record. */
export type VenueId = string;

/** The program's operator; a launchpad's curve belongs to its family (contract.md, field amm). */
export type Family = "pump" | "raydium" | "meteora" | "other";

/** The chain's own clock at the slot that a quote is for. */
export type Clock = {
  readonly slot: bigint;
  /** Seconds. */
  readonly unixTimestamp: bigint;
  readonly epoch: bigint;
};

/** An exact-in order: the trader pays `amountIn` base units of `inputMint`. */
export type ExactIn = {
  readonly inputMint: Address;
  readonly amountIn: bigint;
  readonly clock: Clock;
};

const UNUSABLE_REASONS = [
  /** An account that the pool needs does not exist or was not delivered. */
  "missing-account",
  /** Bytes that are not what the program writes: owner, discriminator, length, or a value out of range. */
  "undecodable",
  /** A version or kind of pool that we know to exist and do not model. */
  "unsupported",
] as const;
export type UnusableReason = (typeof UNUSABLE_REASONS)[number];

/** A pool's state, or why its bytes give none. `detail` is one clause for a log, never for a program. */
export type Decoded<State> =
  | { readonly kind: "pool"; readonly state: State }
  | { readonly kind: "unusable"; readonly reason: UnusableReason; readonly detail: string };

/** Whether the program lets anyone sell here now. */
export type PoolStatus =
  | "open"
  /** Switched off by its operator. */
  | "paused"
  /** Its opening time or slot lies ahead. */
  | "not-open-yet"
  /** A curve that is full: it sells no more, and its pool may not exist yet. */
  | "complete"
  /** A curve whose liquidity has moved to its pool: it will never trade again. */
  | "migrated";

const UNFILLABLE_REASONS = [
  "paused",
  "not-open-yet",
  "complete",
  "migrated",
  "amount-zero",
  /** Reserves, ticks or bins run out before the order is filled. */
  "insufficient-liquidity",
  /** The order is too small to pay anything, where the program refuses that. */
  "output-zero",
  /** An intermediate result leaves the program's integer widths. */
  "overflow",
  /** The state holds what the program itself would refuse for another reason. */
  "refused",
] as const;
export type UnfillableReason = (typeof UNFILLABLE_REASONS)[number];

/** `amountOut` reaches the trader after every fee, the output mint's transfer fee included. */
export type Quote<State> =
  | { readonly kind: "filled"; readonly amountOut: bigint; readonly after: State }
  | {
      readonly kind: "unfillable";
      readonly reason: UnfillableReason;
      /** What the program pays where, instead of refusing, it takes a part of the order. */
      readonly partlyPaid?: bigint;
    };

/** A reason why a decoded pool's quotes are less certain (method.md section 4). */
export type PoolCaution =
  /** An authority may rewrite the reserves at any time (pump "mayhem" mode). */
  | "rewritable-reserves"
  /** Order bytes that may be a leftover of an older program version. */
  | "doubtful-orders"
  /** Accounts that hold a part of its liquidity are missing: large sales are refused that it would fill. */
  | "partly-loaded"
  /** The pool's base mint has a transfer hook. */
  | "transfer-hook";

/** The pair and its vault balances; null where a vault could not be read. */
export type PoolOutline = {
  readonly mintA: Address;
  readonly mintB: Address;
  readonly heldA: bigint | null;
  readonly heldB: bigint | null;
  /** The accounts that hold them, where that follows from the pool's own account. */
  readonly vaultA?: Address;
  readonly vaultB?: Address;
};

export type ProgramFilter = {
  readonly programId: Address;
  readonly dataSize: number | null;
  /** Address bytes or raw bytes that must be at an offset; at most four. */
  readonly memcmp: readonly { readonly offset: number; readonly bytes: Address | Uint8Array }[];
};

/** Addresses to read and to watch while vacant, for a mint that has a curve. */
export type GraduationPlaces = {
  readonly addresses: () => readonly Address[];
  /** Only the launchpad can create a pool there. */
  readonly isReserved: boolean;
};

/** Where the pools of a mint can be: addresses to try, and getProgramAccounts queries to run. */
export type PoolSearch = {
  /**
   * The few addresses that the program derives for a mint's pool and that others cannot occupy: always
   * read and followed, and watched while vacant.
   */
  readonly derived: readonly Address[];
  /**
   * One address for each fee configuration and partner: dozens, and milliseconds to derive. Read only
   * where the node refuses the filters, which find the same pools.
   */
  readonly configured: () => readonly Address[];
  /** Where a launchpad of the same family puts a mint's pool when its curve is full; absent: nowhere here. */
  readonly graduated?: GraduationPlaces;
  readonly filters: readonly ProgramFilter[];
};

/** Where a hop is among those of one instruction that sells through several pools. */
export type ChainPlace = { readonly isFirst: boolean; readonly isLast: boolean };

/** How a program sells in one of its pools as a part of an instruction over several pools. */
export interface ChainSales<State> {
  /** Pools whose venues name the same instruction can follow each other in it. */
  readonly instruction: string;
  /**
   * The fees of a hop depend on its place. Null where the instruction never sells in this pool at this
   * place; unfillable where it would fail for this amount.
   */
  quoteHop(state: State, order: ExactIn, place: ChainPlace): Quote<State> | null;
  /** As `feePpm`, for a hop at this place. */
  feePpm(state: State, inputMint: Address, clock: Clock, place: ChainPlace): number;
  /**
   * Every account behind the launchpad's own pools of the coin that can be derived, whether it exists or
   * not: of its pools that pay in SOL or a stable, or of those that pay in `quoteMint`.
   */
  derivedAccounts(mint: Address, quoteMint: Address | null): readonly Address[];
}

/** All fees of the sale that lowers the price by so much, in parts per million, rounded up; at 0, of a first unit. */
export type GrowingFee = (fallBps: number) => number;

/**
 * One on-chain program: from account bytes to exact quotes. Pure: reads no clock, fetches nothing.
 *
 * Method syntax on purpose: it makes `Venue<CpmmState>` assignable to `Venue<unknown>` in a list, whose
 * users pass a venue only states that it decoded itself.
 */
export interface Venue<State> {
  readonly id: VenueId;
  readonly family: Family;
  readonly kind: "curve" | "amm";
  readonly programId: Address;
  /** The address that owns the vaults of all its pools; absent: each pool owns its own. */
  readonly vaultAuthority?: Address;

  /**
   * Where pools of `mint` can be found, on both sides of the pair. `pairedWith` narrows the search
   * to pools against that mint.
   */
  search(mint: Address, pairedWith: Address | null): PoolSearch;

  /**
   * All addresses that a quote needs and that follow from the loaded accounts, loaded ones included:
   * call again with more accounts until it returns nothing new. Enough for sales of up to 1000 SOL, as
   * far as one swap of the program reaches. At most a few dozen.
   *
   * @param mint the token whose search found the pool: a pump curve's bytes do not name its coin,
   *   those of every other program do
   */
  accountsNeeded(pool: Address, known: AccountSet, mint?: Address): readonly Address[];

  /** The pair and its vaults' balances from the loaded accounts, or null where the pair is unreadable. */
  outline(pool: Address, known: AccountSet, mint?: Address): PoolOutline | null;

  /** How the pool's liquidity is divided; null where the pool's own account can't be read. Never throws. */
  shares(pool: Address, known: AccountSet): LiquidityShares | null;

  /** Never throws: any bytes give a state or a reason. `mint` as in `accountsNeeded`. */
  decode(pool: Address, known: AccountSet, mint?: Address): Decoded<State>;

  /**
   * The latest time of the chain in its accounts, in seconds: the program refuses a clock before it. Absent: the
   * program refuses no clock.
   */
  writtenAt?(state: State): bigint;

  status(state: State, clock: Clock): PoolStatus;

  cautions(state: State): readonly PoolCaution[];

  /** What the program pays at this state and clock, to the base unit. Never throws, never changes `state`. */
  quoteExactIn(state: State, order: ExactIn): Quote<State>;

  /**
   * Quotes ascending amounts, each from the same state, as `quoteExactIn` does; null where unfillable.
   * Only for venues that share one traversal between the amounts.
   */
  quoteAscending?(
    state: State,
    orders: Omit<ExactIn, "amountIn"> & { readonly amountsIn: readonly bigint[] },
  ): readonly (bigint | null)[];

  /**
   * Output base units per input base unit, before every fee, at which the first unit
   * sells (empty bins and ticks are skipped); null where the pool can pay nothing for it.
   */
  spotPrice(state: State, inputMint: Address): Ratio | null;

  /**
   * Output base units that selling `inputMint` takes out of the pool, before fees, until the pool's
   * own price has fallen by `fallBps` from its spot; 10,000 means all that can be reached.
   */
  reachable(state: State, inputMint: Address, fallBps: number): bigint;

  /**
   * Every curve has it, and no other venue. Quote units that the curve of this mint holds, also while it is full and
   * sells nothing. Null where the curve pays in that mint: it launches another one.
   */
  raised?(state: State, mint: Address): bigint | null;

  /** Only venues have it whose program sells through several pools in one instruction. */
  readonly chainSales?: ChainSales<State>;

  /** The transfer fees that a sale pays; absent: none. */
  transfers?(state: State, inputMint: Address): ChargedTransfers;

  /**
   * All fees of a small sale here, in parts per million, rounded up. Weighs routes and is displayed; quotes have
   * fees of their own.
   */
  feePpm(state: State, inputMint: Address, clock: Clock): number;
  /** Where a program charges larger amounts a higher rate; null or absent: every sale pays `feePpm`. */
  growingFee?(state: State, inputMint: Address, clock: Clock): GrowingFee | null;
  /**
   * 1: the program's rounding costs a sale at most one unit of the input, for any amount, apart from the
   * mint's own transfer fee. Absent: no limit is promised, and two units are counted. A program that rounds
   * at each price step does not declare it: at every step that a sale crosses it can lose up to two units,
   * one for the input and one for the fee.
   */
  readonly inputRoundings?: 1;

  /**
   * The pool after the holder of a part of its fungible shares redeemed them; unchanged where they are
   * worth nothing; null where the result is unknown or the pool could not pay. Ignores whether
   * withdrawals are switched off: the operator can switch them on again. Never throws.
   */
  withdraw?(state: State, part: ShareOfPool, clock: Clock): State | null;

  /**
   * The pool after an owner took out these of its positions, each with a range of its own; null where
   * the pool does not have that liquidity, so that they are of another moment. Never throws.
   */
  withdrawPositions?(state: State, taken: TakenPositions): State | null;

  /**
   * A certified quoter in doubles for one direction, or null where this pool's numbers are out of
   * its range. The reference (`quoteExactIn`) stays the authority.
   */
  openFast?(pool: Address, known: AccountSet, inputMint: Address): FastQuoter | null;
}
