import type { Address } from "#src/units/address.ts";
import { isStable, WSOL } from "#src/units/known-addresses.ts";
import type { Ratio } from "#src/units/ratio.ts";
import type { QuotablePool } from "#src/venues/quotable-pool.ts";
import type { Family, PoolStatus } from "#src/venues/venue.ts";
import { type Market, neverMoves } from "./market.ts";
import {
  inLamportsThrough,
  middleRoute,
  type Route,
  spotOfHops,
  type Way,
  weighRoutes,
} from "./route.ts";
import { WaysToSol } from "./ways-to-sol.ts";

/** A market with each pool's way into SOL, the mid, and the family; what every question starts from. */
export type PricedMarket = {
  readonly market: Market;
  /** Every pool that leads into SOL, whatever its status. */
  readonly routes: readonly Route[];
  /** The routes that buy now. */
  readonly open: readonly Route[];
  /** Pools whose quote mint has no modelled way to SOL: known, and not priced. */
  readonly unrouted: readonly QuotablePool[];
  /** The open hops behind the quote mints among the routes, and behind unpriced stables. */
  readonly quoteHops: ReadonlyMap<Address, readonly QuotablePool[]>;
  /** The route whose spot is the mid; null where nothing can be sold. */
  readonly midRoute: Route | null;
  /** Lamports per base unit, before fees; null where nothing can be sold. */
  readonly midPrice: Ratio | null;
  readonly family: Family;
};

/** Finds the hops, the mid and the family (method.md section 1). */
export function priceMarket(market: Market): PricedMarket {
  const waysToSol = new WaysToSol(market.mint, movableHops(market));
  const ways: Way[] = [];
  const unrouted: QuotablePool[] = [];
  const quoteHops = new Map<Address, readonly QuotablePool[]>();
  for (const pool of market.pools) {
    const hops = waysToSol.after(pool);
    if (hops === null) {
      unrouted.push(pool);
      continue;
    }
    ways.push({ pool, hops });
    if (spotOfHops(hops) !== null) quoteHops.set(pool.quoteMint, hops);
  }
  // What no route pays has a worth only as a stable: of another mint, anyone may have made the price.
  for (const { quoteMint, family } of market.unpriced) {
    if (quoteMint === null || !isStable(quoteMint) || quoteHops.has(quoteMint)) continue;
    const hops = waysToSol.after({ quoteMint, family }) ?? [];
    if (spotOfHops(hops) !== null) quoteHops.set(quoteMint, hops);
  }
  const routes = weighRoutes(ways);
  const midRoute = middleRoute(routes);
  return {
    market,
    routes,
    open: routes.filter((route) => route.spotPrice !== null),
    unrouted,
    quoteHops,
    midRoute,
    midPrice: midRoute?.spotPrice ?? null,
    family: familyOf(market, routes),
  };
}

/** Nothing is sold through a token that can never be transferred. */
function movableHops({ hopPools, hopTokens }: Market): readonly QuotablePool[] {
  if (hopTokens === undefined) return hopPools;
  return hopPools.filter(({ baseMint }) => !neverMoves(hopTokens.get(baseMint) ?? null));
}

/** Whether this pool will never trade again, or not before its successor opens. */
export function isClosedForGood(status: PoolStatus): boolean {
  return status === "complete" || status === "migrated";
}

/**
 * An amount of SOL or of another quote in lamports, rounded down: never more than the hops behind it can pay, since
 * anyone can make a token and any amount of it. Null where nothing gives a price.
 */
export function inLamports(priced: PricedMarket, mint: Address, amount: bigint): bigint | null {
  if (mint === WSOL) return amount;
  const hops = priced.quoteHops.get(mint);
  return hops === undefined ? null : inLamportsThrough(hops, amount);
}

/** Lamports per base unit of a quote other than SOL; null where nothing gives a price. */
export function quoteSpot({ quoteHops }: PricedMarket, mint: Address): Ratio | null {
  return spotOfHops(quoteHops.get(mint) ?? []);
}

/**
 * The family with the most near depth. Where nothing can be sold: that of the pool that holds the
 * most, priced or not, open or not; and "other" where there is none at all.
 */
function familyOf(market: Market, routes: readonly Route[]): Family {
  const weights = new Map<Family, bigint>();
  const add = (family: Family, weight: bigint): void => {
    weights.set(family, (weights.get(family) ?? 0n) + weight);
  };
  if (routes.some((route) => route.nearDepthLamports > 0n)) {
    for (const route of routes) add(route.pool.family, route.nearDepthLamports);
  } else {
    const live = market.pools.filter((pool) => !isClosedForGood(pool.status));
    for (const pool of live.length > 0 ? live : market.pools) {
      add(pool.family, pool.status === "complete" ? pool.raised : pool.reachable(10_000));
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
