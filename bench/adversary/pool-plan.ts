import type { Address } from "#src/units/address.ts";
import type { VenueId } from "#src/venues/venue.ts";

/** Venues whose pools are written with any price, fee and range. */
export const PLANNED_VENUES = [
  "raydium-amm-v4",
  "raydium-cpmm",
  "meteora-damm-v2",
  "meteora-dlmm",
  "orca-whirlpool",
] as const satisfies readonly VenueId[];
export type PlannedVenue = (typeof PLANNED_VENUES)[number];

/** How a pool pays: SOL, USDC through an honest deep pool, or a token of the attacker's own. */
export type PlannedQuote = "sol" | "usdc" | "own-token";

/** One pool of a market: what it holds and what it charges. */
export type PoolPlan = {
  readonly venue: PlannedVenue;
  /** What it can pay out in all, in SOL. */
  readonly sol: number;
  /** Spot before fees, in lamports per base unit. */
  readonly price: number;
  readonly feePct: number;
  /** The bids lie between the spot and the spot less this share; 1: down to nothing. Venues without ranges ignore it. */
  readonly range: number;
  /** Whether it also sells the token above its spot, over the same range. */
  readonly sells: boolean;
  readonly quote: PlannedQuote;
  /** Opens only after the clock of the market. DAMM v2 alone. */
  readonly opensLater: boolean;
};

/** A token and its pools, the honest ones and the attacker's. */
export type MarketPlan = {
  /** Seeds every address. */
  readonly seed: number;
  /** Lamports that one base unit is worth. */
  readonly unitLamports: number;
  /** What the whole supply is worth, in SOL. */
  readonly supplySol: number;
  readonly pools: readonly PoolPlan[];
};

export type PlannedPool = {
  readonly venue: VenueId;
  readonly address: Address;
  readonly baseMint: Address;
  readonly quoteMint: Address;
};

/** Liquidity in units of the square root of the price: what `sol` comes to over the range of the bids. */
function liquidityOf({ sol, price, range }: PoolPlan): number {
  return (sol * 1e9) / (Math.sqrt(price) * (1 - Math.sqrt(1 - range)));
}

/**
 * SOL that the pool loses to those who buy below the market, where it sells the token too cheap. What
 * it pays above the market is counted already: all its SOL is.
 */
export function saleLossSol(plan: PoolPlan, marketPrice: number): number {
  const bought = plan.price / (1 - plan.feePct / 100);
  if (!plan.sells || bought >= marketPrice) return 0;
  const bottom = Math.sqrt(plan.price);
  const highest = hasRange(plan)
    ? Math.min(marketPrice, plan.price / (1 - plan.range))
    : marketPrice;
  const top = Math.sqrt(highest);
  const full = hasRange(plan) ? plan : { ...plan, range: 1 };
  const units = liquidityOf(full) * (1 / bottom - 1 / top);
  const paid = (liquidityOf(full) * (top - bottom)) / (1 - plan.feePct / 100);
  return Math.max(0, (units * marketPrice - paid) / 1e9);
}

export function hasRange({ venue }: Pick<PoolPlan, "venue">): boolean {
  return venue === "meteora-damm-v2" || venue === "meteora-dlmm";
}
