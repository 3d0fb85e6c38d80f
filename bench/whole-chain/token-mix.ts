import type { VenueId } from "#src/venues/venue.ts";

/** A venue's part of the live tokens and of the swaps. */
export type VenueShare = {
  readonly venue: VenueId;
  /** Of the tokens that are alive. */
  readonly tokenShare: number;
  /** Of all swaps. */
  readonly swapShare: number;
};

/**
 * Swaps by venue are the mixed stream of the performance study (45 % PumpSwap, 20 % pump curves, 10 %
 * CPMM, DLMM and DAMM v2, 5 % CLMM), of which 7 % are given to the venues that it leaves out. No count of
 * live tokens by venue is published: the shares follow from launches (20,000 to 30,000 a day, most of them
 * pump curves, one in a hundred graduates, 4.5 % alive after three months) and are an inference.
 */
export const TOKEN_MIX: readonly VenueShare[] = [
  { venue: "pump-curve", tokenShare: 0.74, swapShare: 0.2 },
  { venue: "pumpswap", tokenShare: 0.1, swapShare: 0.42 },
  { venue: "raydium-launchlab", tokenShare: 0.04, swapShare: 0.01 },
  { venue: "meteora-dbc", tokenShare: 0.04, swapShare: 0.02 },
  { venue: "raydium-cpmm", tokenShare: 0.025, swapShare: 0.09 },
  { venue: "meteora-damm-v2", tokenShare: 0.025, swapShare: 0.09 },
  { venue: "meteora-dlmm", tokenShare: 0.01, swapShare: 0.09 },
  { venue: "raydium-amm-v4", tokenShare: 0.008, swapShare: 0.01 },
  { venue: "raydium-clmm", tokenShare: 0.005, swapShare: 0.05 },
  { venue: "orca-whirlpool", tokenShare: 0.004, swapShare: 0.008 },
  { venue: "orca-whirlpool-immutable", tokenShare: 0.001, swapShare: 0.002 },
  { venue: "meteora-damm-v1", tokenShare: 0.002, swapShare: 0.01 },
];

/** How many tokens each venue has, of so many in all: the first venue gets what rounding leaves. */
export function tokensByVenue(tokens: number): ReadonlyMap<VenueId, number> {
  const counts = new Map(
    TOKEN_MIX.map(({ venue, tokenShare }) => [venue, Math.max(1, Math.round(tokens * tokenShare))]),
  );
  const [first] = TOKEN_MIX;
  if (first !== undefined) {
    const others = [...counts].reduce(
      (sum, [venue, n]) => (venue === first.venue ? sum : sum + n),
      0,
    );
    counts.set(first.venue, Math.max(1, tokens - others));
  }
  return counts;
}

/** The venue of the swap at that place in [0, 1) of all swaps. */
export function tradedVenueAt(place: number): VenueId {
  let left = place;
  for (const { venue, swapShare } of TOKEN_MIX) {
    left -= swapShare;
    if (left < 0) return venue;
  }
  return "pumpswap";
}

/** Where new tokens are launched. */
const LAUNCHPADS: readonly (readonly [VenueId, number])[] = [
  ["pump-curve", 0.9],
  ["raydium-launchlab", 0.95],
  ["meteora-dbc", 1],
];

/** The launchpad of the launch at that place in [0, 1) of all launches. */
export function launchpadAt(place: number): VenueId {
  const [venue = "pump-curve"] = LAUNCHPADS.find(([, upTo]) => place < upTo) ?? [];
  return venue;
}
