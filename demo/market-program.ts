import type { AccountChanges } from "#src/node/ledger.ts";
import type { Address } from "#src/units/address.ts";
import type { AccountSet } from "#src/venues/account-set.ts";
import type { Clock, VenueId } from "#src/venues/venue.ts";

export type Trade = {
  readonly pool: Address;
  readonly inputMint: Address;
  /** The other mint: a pump curve names neither. */
  readonly outputMint: Address;
  readonly amountIn: bigint;
  readonly user: Address;
  readonly clock: Clock;
};

/** What the true program would leave behind: accounts, the amount paid, and its own event bytes. */
export type TradeResult =
  | {
      readonly kind: "done";
      readonly changes: AccountChanges;
      readonly amountOut: bigint;
      /** Log lines as a node prints them, from "Program ... invoke [1]" to "... success". */
      readonly logs: readonly string[];
      /** The top-level instruction's accounts, in the program's order: some events name no pool. */
      readonly instructionAccounts: readonly Address[];
      /** The top-level instruction's data, and of each self-call beneath it that carries an event. */
      readonly instructionData: Uint8Array;
      readonly innerInstructionData: readonly Uint8Array[];
    }
  | { readonly kind: "refused"; readonly reason: string };

/** What an instruction other than a trade leaves behind. */
export type Performed = Omit<Extract<TradeResult, { readonly kind: "done" }>, "kind" | "amountOut">;

/** Who gets that part of a pool's liquidity shares. */
export type ShareTaker = { readonly owner: Address; readonly bps: number };

export type NewPool = {
  /** The token that gets a market; its mint account is made with it where it does not exist. */
  readonly baseMint: Address;
  readonly quoteMint: Address;
  /** Base units and quote units that go in; a curve starts from its launch parameters instead. */
  readonly baseAmount: bigint;
  readonly quoteAmount: bigint;
  readonly creator: Address;
  /** Who else gets shares of its liquidity, where these are tokens; the creator gets what is left. */
  readonly takers?: readonly ShareTaker[];
  readonly clock: Clock;
  /** Makes addresses that the true program would take from a fresh keypair. Deterministic. */
  readonly freshAddress: () => Address;
};

export type OpenedPool = { readonly pool: Address; readonly changes: AccountChanges };

/**
 * One program of the demo market: it writes the true account layouts, moves them with the
 * venue's own exact quotes, and emits the program's own events. It does not contain a second model of the maths.
 */
export interface MarketProgram {
  readonly venue: VenueId;
  /** Accounts that exist once: configurations, fee schedules. */
  setup(clock: Clock): AccountChanges;
  createPool(known: AccountSet, pool: NewPool): OpenedPool;
  swap(known: AccountSet, trade: Trade): TradeResult;
  /**
   * Takes out (`shareBps` below zero: puts in) that share of the pool's liquidity, both sides in
   * proportion; on concentrated pools, of every position. Where shares are tokens the creator burns or
   * is given them, as far as it holds any. Null where the program has no such thing.
   */
  changeLiquidity(
    known: AccountSet,
    pool: Address,
    shareBps: number,
    clock: Clock,
  ): AccountChanges | null;

  /**
   * Moves a complete curve's liquidity to its pool, as the launchpad's migration does. Null where the
   * curve is not complete. Only curves have it.
   */
  graduate?(known: AccountSet, curve: Address, migration: Migration): Graduation | null;

  /** Pays out the fees of one bucket that trades have left in the pool; null where there are none. */
  sweepFees?(known: AccountSet, pool: Address, sweep: FeeSweep): Performed | null;

  /** Sets what the pool takes from a swap, on the pool or on the configuration that it shares. */
  setFee?(known: AccountSet, pool: Address, feePpm: number, clock: Clock): AccountChanges | null;

  /** Switches the pool's trading off and on, as its operator may. */
  setPaused?(
    known: AccountSet,
    pool: Address,
    isPaused: boolean,
    clock: Clock,
  ): AccountChanges | null;
}

export type FeeSweep = Pick<Migration, "baseMint" | "clock"> & {
  readonly bucket: "creator" | "protocol";
};

export type Migration = {
  /** The coin that the curve sells: a pump curve's bytes do not name it. */
  readonly baseMint: Address;
  readonly clock: Clock;
  readonly freshAddress: () => Address;
  /** The program that opens the pool; null where the demo market does not play it. */
  readonly program: (venue: VenueId) => MarketProgram | null;
};

export type Graduation = OpenedPool & { readonly venue: VenueId };
