import type { Address } from "#src/units/address.ts";
import type { QuotablePool } from "#src/venues/quotable-pool.ts";
import type { Family, UnusableReason, VenueId } from "#src/venues/venue.ts";

/** What a mint says about selling its token (method.md section 4). */
export type TokenFacts = {
  readonly decimals: number;
  /** Base units. */
  readonly supply: bigint;
  /** Authority that may mint more; null: none. */
  readonly mintAuthority: Address | null;
  /** Authority that may freeze and thaw accounts; null: none. */
  readonly freezeAuthority: Address | null;
  /** Null where transfers cost nothing, and never can. */
  readonly transferFee: TransferFeeFacts | null;
  /** The program that a transfer calls; null: none. */
  readonly transferHook: Address | null;
  /** Authority that may set such a program; null: none. */
  readonly transferHookAuthority: Address | null;
  /** Authority that may move any holder's tokens; null: none. */
  readonly permanentDelegate: Address | null;
  /** Null where transfers can't be paused. */
  readonly pausable: { readonly isPaused: boolean; readonly authority: Address | null } | null;
  readonly startsFrozen: boolean;
  readonly isNonTransferable: boolean;
};

/** Whether the token can never be transferred. @param token null: not read */
export function neverMoves(token: TokenFacts | null): boolean {
  if (token === null) return false;
  return token.isNonTransferable || (token.startsFrozen && token.freezeAuthority === null);
}

export type TransferFeeFacts = TransferFeeRate & {
  /** Authority that may change it; null: none. */
  readonly authority: Address | null;
  /** Another fee that was announced, and the epoch from which it holds; null: none was. */
  readonly announced: (TransferFeeRate & { readonly epoch: bigint }) | null;
};

type TransferFeeRate = {
  readonly feeBps: number;
  /** Maximum for one transfer, in base units. */
  readonly maximum: bigint;
};

/** A pool that is known and can't be priced. */
export type UnpricedPool = {
  readonly venue: VenueId;
  readonly family: Family;
  readonly kind: "curve" | "amm";
  readonly address: Address;
  /** "unread": its accounts were not requested yet, or the node did not answer. */
  readonly reason: UnusableReason | "unread";
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
  /** Pools that sell `mint`, whatever they pay in and whatever their status. */
  readonly pools: readonly QuotablePool[];
  /** Pools that sell what `pools` pay, and what these pay in turn: the hops into SOL. */
  readonly hopPools: readonly QuotablePool[];
  /** The mints that hops sell, without SOL and the stables, as far as they were read; absent: none were. */
  readonly hopTokens?: ReadonlyMap<Address, TokenFacts>;
  readonly unpriced: readonly UnpricedPool[];
  /** Whether every query for pools was answered. */
  readonly isSearchComplete: boolean;
  /** Mints that hops sell whose pools are not all searched; absent: all are. */
  readonly unsearchedHops?: ReadonlySet<Address> | undefined;
  /**
   * A curve of the token completed after the last complete search began, and the pool it graduates to
   * is not known: so no search proves "no pool".
   */
  readonly awaitsGraduation: boolean;
  /** The newest slot at which all of this is known to hold, and its block time. */
  readonly slot: bigint;
  readonly stateTimeMs: number;
  readonly nowMs: number;
  /** How long samples have been kept without a gap; null where no history is kept at all. */
  readonly historySeconds: number | null;
  /** Share of exactly replayed swaps in the last hour, percent, where any were seen. */
  readonly exactPctByVenue: ReadonlyMap<VenueId, number>;
  /** Venues whose program was deployed just now and is not proved yet; absent: none is known. */
  readonly newDeployments?: ReadonlySet<VenueId>;
  /** Venues whose sales are executed by their programs instead of modelled; absent: none. */
  readonly executedVenues?: ReadonlySet<VenueId>;
};

/** Names a pool and what is sold into it: a pool of two tokens that sales go through is in a market twice. */
export function poolKeyOf({
  address,
  baseMint,
}: Pick<QuotablePool, "address" | "baseMint">): string {
  return `${address} ${baseMint}`;
}

/** The market with these pools, by `poolKeyOf`, in the place of their earlier states. */
export function withPools(market: Market, changed: ReadonlyMap<string, QuotablePool>): Market {
  const left = (pools: readonly QuotablePool[]) =>
    pools.map((pool) => changed.get(poolKeyOf(pool)) ?? pool);
  return { ...market, pools: left(market.pools), hopPools: left(market.hopPools) };
}
