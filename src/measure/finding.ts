import type { VenueId } from "#src/venues/venue.ts";

export type Confidence = "high" | "medium" | "low";

/** One reason why an assessment is less than certain (method.md section 4); wire/ has its sentence. */
export type Finding =
  | { readonly kind: "stale"; readonly ageSeconds: number }
  | { readonly kind: "family-other" }
  | {
      readonly kind: "unpriced-pools";
      readonly sharePct: number | null;
      readonly venues: readonly VenueId[];
    }
  | { readonly kind: "search-incomplete" }
  | { readonly kind: "short-history"; readonly historySeconds: number }
  | { readonly kind: "spot-disagreement"; readonly spreadPct: number }
  | { readonly kind: "freeze-authority" }
  | { readonly kind: "transfer-fee-change"; readonly epoch: bigint }
  | { readonly kind: "transfer-hook" }
  | { readonly kind: "permanent-delegate" }
  | { readonly kind: "pausable" }
  | { readonly kind: "starts-frozen" }
  | { readonly kind: "rewritable-reserves"; readonly venue: VenueId }
  | { readonly kind: "doubtful-orders"; readonly venue: VenueId }
  | { readonly kind: "partly-loaded"; readonly venue: VenueId }
  | { readonly kind: "live-check"; readonly venue: VenueId; readonly exactPct: number };
