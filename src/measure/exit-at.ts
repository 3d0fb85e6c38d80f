import type { Address } from "#src/units/address.ts";
import type { Ratio } from "#src/units/ratio.ts";
import type { VenueId } from "#src/venues/venue.ts";
import type { Profile } from "./assessment.ts";
import type { Market } from "./market.ts";

/** One swap of an exit: base units of `inputMint` in, base units of `outputMint` out. */
export type RouteLeg = {
  readonly pool: Address;
  readonly venue: VenueId;
  readonly inputMint: Address;
  readonly outputMint: Address;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
};

/** A part of the position that goes one way: a pool, and for a stable-quoted pool the hop into SOL. */
export type ExitRoute = {
  /** Base units of the token. */
  readonly amountIn: bigint;
  readonly paidLamports: bigint;
  readonly legs: readonly RouteLeg[];
};

/** Why a position can't be sold whole. */
export type UnsellableReason =
  /** The market could not be reconstructed: nothing is known, which is not a null slippage. */
  | "blocked"
  /** No pool would buy a first unit. */
  | "no-market"
  | "exceeds-supply"
  /** The size rule of the family "other". */
  | "size-not-allowed"
  /** Worth less than one base unit. */
  | "below-one-unit"
  | "insufficient-liquidity";

export type ExitAt =
  | {
      readonly kind: "sold";
      /** What the position is worth at the mid, rounded down. */
      readonly sizeLamports: bigint;
      readonly baseUnitsSold: bigint;
      /** What arrives, after pool fees and the token's transfer fee, before network fees. */
      readonly paidLamports: bigint;
      /** Percent, rounded up to 4 decimals. */
      readonly slippagePct: number;
      /** The part of the slippage that is not the pools' own fees: percent, 4 decimals; for display. */
      readonly priceImpactPct: number;
      /** Lamports per base unit, fees included. */
      readonly averagePrice: Ratio;
      readonly routes: readonly ExitRoute[];
    }
  | { readonly kind: "unsellable"; readonly reason: UnsellableReason };

/** Sells the position worth `sizeLamports` at the mid: `floor(size / mid)` base units. */
export type ExitAtSize = (market: Market, sizeLamports: bigint, profile: Profile) => ExitAt;
