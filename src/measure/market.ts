import type { Address } from "#src/units/address.ts";
import type { QuotablePool } from "#src/venues/quotable-pool.ts";
import type { Family, UnusableReason, VenueId } from "#src/venues/venue.ts";

/** What a mint says about selling its token (method.md section 4). */
export type TokenFacts = {
  readonly decimals: number;
  /** Base units. */
  readonly supply: bigint;
  /** Who may make more of it; null: nobody. */
  readonly mintAuthority: Address | null;
  /** Who may freeze accounts and thaw them; null: nobody. */
  readonly freezeAuthority: Address | null;
  /** Null where transfers cost nothing, and never can. */
  readonly transferFee: TransferFeeFacts | null;
  /** The program that a transfer calls; null: none. */
  readonly transferHook: Address | null;
  /** Who may name such a program; null: nobody. */
  readonly transferHookAuthority: Address | null;
  /** Who may move anybody's tokens; null: nobody. */
  readonly permanentDelegate: Address | null;
  /** Null where transfers can't be paused. */
  readonly pausable: { readonly isPaused: boolean; readonly authority: Address | null } | null;
  readonly startsFrozen: boolean;
  readonly isNonTransferable: boolean;
};

export type TransferFeeFacts = TransferFeeRate & {
  /** Who may change it; null: nobody. */
  readonly authority: Address | null;
  /** Another fee that was announced, and the epoch from which it holds; null: none was. */
  readonly announced: (TransferFeeRate & { readonly epoch: bigint }) | null;
};

type TransferFeeRate = {
  readonly feeBps: number;
  /** Base units of one transfer at the most. */
  readonly maximum: bigint;
};

/** A pool that is known and can't be priced. */
export type UnpricedPool = {
  readonly venue: VenueId;
  readonly family: Family;
  readonly kind: "curve" | "amm";
  readonly address: Address;
  readonly reason: UnusableReason;
  readonly detail: string;
  /** What its quote vault holds, in units of `quoteMint`; null where that can't be read either. */
  readonly quoteHeld: bigint | null;
  readonly quoteMint: Address | null;
};

/** Everything one assessment is made of: bytes already decoded and bound to one clock. */
export type Market = {
  readonly mint: Address;
  /** Null where the mint account is absent or can't be read: then nothing of the token is known. */
  readonly token: TokenFacts | null;
  /** Pools that sell `mint` for SOL or a stable, whatever their status. */
  readonly pools: readonly QuotablePool[];
  /** SOL pools of the stables among `pools`' quotes, selling the stable: the second hop. */
  readonly stablePools: readonly QuotablePool[];
  readonly unpriced: readonly UnpricedPool[];
  /** Whether every query for pools was answered. */
  readonly isSearchComplete: boolean;
  /** The newest slot at which all of this is known to hold, and its block time. */
  readonly slot: bigint;
  readonly stateTimeMs: number;
  readonly nowMs: number;
  /** How long samples have been kept without a gap; null where no history is kept at all. */
  readonly historySeconds: number | null;
  /** Share of exactly replayed swaps in the last hour, percent, where any were seen. */
  readonly exactPctByVenue: ReadonlyMap<VenueId, number>;
};
