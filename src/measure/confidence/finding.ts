import type { Address } from "#src/units/address.ts";
import type { VenueId } from "#src/venues/venue.ts";
import type { ChainEnd } from "../market/chain-end.ts";

export type Confidence = "high" | "medium" | "low";

/** One reason why an assessment is less than certain (method.md section 4); the API has its sentence. */
export type Finding =
  | { readonly kind: "stale"; readonly ageSeconds: number }
  | { readonly kind: "family-other" }
  | { readonly kind: "family-other-close" }
  | {
      readonly kind: "unpriced-pools";
      readonly sharePct: number | null;
      readonly venues: readonly VenueId[];
      /** What they pay in, where that has no modelled way to SOL. */
      readonly quoteMints: readonly Address[];
    }
  /** Nothing can be sold now, because the way of the pool's quote ends at this coin. */
  | { readonly kind: "chain-end"; readonly reason: ChainEnd; readonly mint: Address }
  | { readonly kind: "search-incomplete" }
  /** `historySeconds` is null where no history is kept at all. */
  | { readonly kind: "short-history"; readonly historySeconds: number | null }
  /** Percent from the mid, beyond the difference of the fees. */
  | { readonly kind: "spot-disagreement"; readonly awayPct: number }
  /** Points of the score that rest on prices which little of the near depth states. */
  | { readonly kind: "price-doubt"; readonly scorePoints: number }
  /** What selling at the mid loses to fees. */
  | { readonly kind: "high-fees"; readonly feePct: number }
  | MintFinding
  | { readonly kind: "rewritable-reserves"; readonly venue: VenueId }
  | { readonly kind: "doubtful-orders"; readonly venue: VenueId }
  | { readonly kind: "partly-loaded"; readonly venue: VenueId }
  /** Its program was deployed just now, and has not executed enough sales as modelled yet. */
  | { readonly kind: "new-deployment"; readonly venue: VenueId }
  /** Its program does not pay what our model says: the sales of this answer were executed by it. */
  | { readonly kind: "executed"; readonly venue: VenueId }
  | { readonly kind: "live-check"; readonly venue: VenueId; readonly exactPct: number };

/** What a mint's authorities and extensions may do to a sale. */
export type MintFinding = (
  | { readonly kind: "freeze-authority" }
  | { readonly kind: "transfer-fee-authority" }
  | { readonly kind: "transfer-hook-authority" }
  | { readonly kind: "transfer-fee-change"; readonly epoch: bigint }
  | { readonly kind: "transfer-hook" }
  | { readonly kind: "permanent-delegate" }
  | { readonly kind: "pausable" }
  | { readonly kind: "starts-frozen" }
) & {
  /** Another token, which sales go through; absent: the token itself. */
  readonly through?: Address;
};
