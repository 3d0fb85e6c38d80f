import type { Address } from "#src/units/address.ts";
import type { Ratio } from "#src/units/ratio.ts";
import type { AccountSet } from "./account-set.ts";
import type { FastQuoter } from "./fast-quoter.ts";
import type { LiquidityShares, ShareOfPool } from "./liquidity-shares.ts";

export const VENUE_IDS = [
  "pump-curve",
  "pumpswap",
  "raydium-amm-v4",
  "raydium-cpmm",
  "raydium-clmm",
  "raydium-launchlab",
  "meteora-dlmm",
  "meteora-damm-v1",
  "meteora-damm-v2",
  "meteora-dbc",
  "orca-whirlpool",
] as const;
export type VenueId = (typeof VENUE_IDS)[number];

/** Who runs the program; a launchpad's curve belongs to its family (contract.md, field amm). */
export type Family = "pump" | "raydium" | "meteora" | "other";

/** The chain's own clock at the slot that a quote is for. */
export type Clock = {
  readonly slot: bigint;
  /** Seconds. */
  readonly unixTimestamp: bigint;
  readonly epoch: bigint;
};

/** An exact-in order: `amountIn` base units of `inputMint` leave the trader's hands. */
export type ExactIn = {
  readonly inputMint: Address;
  readonly amountIn: bigint;
  readonly clock: Clock;
};

export const UNUSABLE_REASONS = [
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

export const UNFILLABLE_REASONS = [
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

/** Something that makes a decoded pool's quotes less certain (method.md section 4). */
export type PoolCaution =
  /** Someone may rewrite the reserves at will (pump "mayhem" mode). */
  | "rewritable-reserves"
  /** Order bytes that may be a leftover of an older program version. */
  | "doubtful-orders"
  /** Accounts that hold a part of its liquidity are missing: large sales are refused that it would fill. */
  | "partly-loaded"
  /** A transfer hook stands on the pool's base mint. */
  | "transfer-hook";

/** The pair, and what the two vaults hold; null where a vault could not be read. */
export type PoolOutline = {
  readonly mintA: Address;
  readonly mintB: Address;
  readonly heldA: bigint | null;
  readonly heldB: bigint | null;
};

export type ProgramFilter = {
  readonly programId: Address;
  readonly dataSize: number | null;
  /** Address bytes or raw bytes that must stand at an offset; at most four. */
  readonly memcmp: readonly { readonly offset: number; readonly bytes: Address | Uint8Array }[];
};

/** Where the pools of a mint can be: addresses to try, and getProgramAccounts queries to run. */
export type PoolSearch = {
  /** The few places where the program puts a mint's pool: read always, and watched while vacant. */
  readonly derived: readonly Address[];
  /**
   * One place for each fee configuration and partner: dozens, and milliseconds to derive. Read where
   * the filters, which find the same pools, are refused.
   */
  readonly configured: () => readonly Address[];
  readonly filters: readonly ProgramFilter[];
};

/**
 * One on-chain program: from account bytes to exact quotes. Pure: reads no clock, fetches nothing.
 *
 * Method syntax on purpose: it lets `Venue<CpmmState>` stand in a list of `Venue<unknown>`, whose
 * users only ever pass a venue the states that it decoded itself.
 */
export interface Venue<State> {
  readonly id: VenueId;
  readonly family: Family;
  readonly kind: "curve" | "amm";
  readonly programId: Address;

  /**
   * Where pools of `mint` can be found, on both sides of the pair. `pairedWith` narrows the search
   * to pools against that mint.
   */
  search(mint: Address, pairedWith: Address | null): PoolSearch;

  /**
   * All addresses a quote of this pool needs that follow from what is loaded, loaded ones included:
   * call again with more until it names nothing new. Enough for sales of up to 1000 SOL, as far as
   * one swap of the program reaches. Never more than a few dozen.
   *
   * @param mint the token whose search led here, where one did: the pump curve's bytes do not name
   *   its coin; every other program's do
   */
  accountsNeeded(pool: Address, known: AccountSet, mint?: Address): readonly Address[];

  /** The pair and its vaults' balances from whatever is loaded, or null where even that is unreadable. */
  outline(pool: Address, known: AccountSet, mint?: Address): PoolOutline | null;

  /** How the pool's liquidity is divided; null where the pool's own account can't be read. Never throws. */
  shares(pool: Address, known: AccountSet): LiquidityShares | null;

  /** Never throws: any bytes give a state or a reason. `mint` as in `accountsNeeded`. */
  decode(pool: Address, known: AccountSet, mint?: Address): Decoded<State>;

  status(state: State, clock: Clock): PoolStatus;

  cautions(state: State): readonly PoolCaution[];

  /** What the program pays at this state and clock, to the base unit. Never throws, never changes `state`. */
  quoteExactIn(state: State, order: ExactIn): Quote<State>;

  /**
   * What ascending amounts pay, each from the same state, as `quoteExactIn` has it; null where it is
   * unfillable. Only venues have it that share one traversal between them.
   */
  quoteAscending?(
    state: State,
    orders: Omit<ExactIn, "amountIn"> & { readonly amountsIn: readonly bigint[] },
  ): readonly (bigint | null)[];

  /**
   * Output base units per input base unit, before every fee, at which the first unit would really
   * sell (empty bins and ticks are skipped); null where the pool can pay nothing for it.
   */
  spotPrice(state: State, inputMint: Address): Ratio | null;

  /**
   * Output base units that selling `inputMint` takes out of the pool, before fees, until the pool's
   * own price has fallen by `fallBps` from its spot; 10,000 means all that can be reached.
   */
  reachable(state: State, inputMint: Address, fallBps: number): bigint;

  /** All fees that a first unit pays here, in parts per million, rounded up: for display only. */
  feePpm(state: State, inputMint: Address, clock: Clock): number;

  /**
   * The pool after the holder of a part of its fungible shares took out all that these are worth:
   * the pool as it is where that is nothing; null where it is not known what the program would leave,
   * or it could not pay. Whether
   * withdrawals are switched off at present is not asked: who switched them off can switch them on.
   * Never throws.
   */
  withdraw?(state: State, part: ShareOfPool, clock: Clock): State | null;

  /**
   * A certified quoter in doubles for one direction, or null where this pool's numbers are out of
   * its range. The reference (`quoteExactIn`) stays the authority.
   */
  openFast?(pool: Address, known: AccountSet, inputMint: Address): FastQuoter | null;
}
