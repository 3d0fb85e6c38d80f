import type { Address } from "#src/units/address.ts";
import { STABLE_MINTS, WSOL } from "#src/units/known-addresses.ts";
import type { Ratio } from "#src/units/ratio.ts";
import type { QuotablePool } from "#src/venues/quotable-pool.ts";
import type { Family, PoolStatus } from "#src/venues/venue.ts";
import type { Market } from "./market.ts";
import { atSpot, deepestHop, isNear, leadingRoute, type Route, routeThrough } from "./route.ts";

/** A market with each pool's way into SOL, the mid, and the family; what every question starts from. */
export type PricedMarket = {
  readonly market: Market;
  /** Every pool that leads into SOL, whatever its status. */
  readonly routes: readonly Route[];
  /** The routes that buy now. */
  readonly open: readonly Route[];
  /** Pools in a stable for which no SOL pool is known: priced, but not in SOL. */
  readonly withoutHop: readonly QuotablePool[];
  /** Spots of the hops by stable: lamports per base unit of the stable. */
  readonly stableSpots: ReadonlyMap<Address, Ratio>;
  /** Lamports per base unit; null where nothing can be sold. */
  readonly midPrice: Ratio | null;
  readonly family: Family;
};

/** Finds the second hops, the mid and the family (method.md section 1). */
export function priceMarket(market: Market): PricedMarket {
  const isStable = STABLE_MINTS.some((stable) => stable === market.mint);
  const hops = isStable ? new Map<Address, QuotablePool>() : findHops(market);
  const routes: Route[] = [];
  const withoutHop: QuotablePool[] = [];
  for (const pool of market.pools) {
    if (pool.quoteMint === WSOL) {
      routes.push(routeThrough(pool, null));
    } else if (!isStable) {
      const hop = hops.get(pool.quoteMint);
      if (hop === undefined) withoutHop.push(pool);
      else routes.push(routeThrough(pool, hop));
    }
  }
  const stableSpots = new Map<Address, Ratio>();
  for (const [stable, hop] of hops) {
    if (hop.spotPrice !== null) stableSpots.set(stable, hop.spotPrice);
  }
  const midPrice = leadingRoute(routes)?.spotPrice ?? null;
  return {
    market,
    routes,
    open: routes.filter((route) => route.spotPrice !== null),
    withoutHop,
    stableSpots,
    midPrice,
    family: familyOf(market, routes, midPrice),
  };
}

/** Whether this pool will never trade again, or not before its successor opens. */
export function isClosedForGood(status: PoolStatus): boolean {
  return status === "complete" || status === "migrated";
}

/** An amount of SOL or of a stable in lamports, rounded down; null where no hop gives a price. */
export function inLamports(priced: PricedMarket, mint: Address, amount: bigint): bigint | null {
  if (mint === WSOL) return amount;
  const spot = priced.stableSpots.get(mint);
  return spot === undefined ? null : atSpot(amount, spot);
}

function findHops(market: Market): Map<Address, QuotablePool> {
  const hops = new Map<Address, QuotablePool>();
  for (const stable of STABLE_MINTS) {
    const pools = market.stablePools.filter(
      (pool) => pool.baseMint === stable && pool.quoteMint === WSOL,
    );
    const hop = deepestHop(pools);
    if (hop !== null) hops.set(stable, hop);
  }
  return hops;
}

/**
 * The family with the most D10 near the mid. Where nothing can be sold: that of the pool that holds
 * the most, priced or not, open or not; and "other" where there is none at all.
 */
function familyOf(market: Market, routes: readonly Route[], mid: Ratio | null): Family {
  const weights = new Map<Family, bigint>();
  const add = (family: Family, weight: bigint): void => {
    weights.set(family, (weights.get(family) ?? 0n) + weight);
  };
  if (mid !== null) {
    for (const route of routes) {
      if (isNear(route.spotPrice, mid)) add(route.pool.family, route.nearDepthLamports);
    }
  } else {
    const standing = market.pools.filter((pool) => !isClosedForGood(pool.status));
    for (const pool of standing.length > 0 ? standing : market.pools) {
      add(pool.family, pool.reachable(10_000));
    }
    for (const pool of market.unpriced) add(pool.family, pool.quoteHeld ?? 0n);
  }
  let heaviest: Family = "other";
  let most = -1n;
  for (const [family, weight] of weights) {
    if (weight > most) {
      heaviest = family;
      most = weight;
    }
  }
  return heaviest;
}
