import type { Address } from "#src/units/address.ts";
import type { VenueId } from "#src/venues/venue.ts";

/** One swap of an exit: base units of `inputMint` in, base units of `outputMint` out. */
export type RouteLeg = {
  readonly pool: Address;
  readonly venue: VenueId;
  readonly inputMint: Address;
  readonly outputMint: Address;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  /** All fees of a small sale in this pool, parts per million, for display. */
  readonly feePpm: number;
  /** Sold as a part of one instruction over all legs of its route. */
  readonly isChained: boolean;
  /** The one instruction that makes this swap together with its neighbours; null: a swap of its own. */
  readonly instruction: string | null;
};

/** A part of the position that goes one way: a pool, and for a stable-quoted pool the hop into SOL. */
export type ExitRoute = {
  /** Base units of the token. */
  readonly amountIn: bigint;
  readonly paidLamports: bigint;
  readonly legs: readonly RouteLeg[];
};
