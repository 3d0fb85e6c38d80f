import { compareBigints, minBigint, mulDivFloor } from "#src/units/integer.ts";
import { multiplyRatios, type Ratio } from "#src/units/ratio.ts";
import type { QuotablePool } from "#src/venues/quotable-pool.ts";
import { CALIBRATION } from "../calibration.ts";
import { chainedPools } from "./chained-pools.ts";
import { curveOf, curvesInRow, type PriceCurve } from "./price-curve.ts";
import { nearDepthsOf, referenceBid, type SharedBid } from "./reference-bid.ts";
import { sharedHops } from "./shared-hops.ts";

/** A way from the token into SOL: a pool of the token, then the hops that sell what it pays. */
export type Route = {
  readonly pool: QuotablePool;
  /** From the pool's quote mint into SOL, in order; empty where the pool pays SOL itself. */
  readonly hops: readonly QuotablePool[];
  /** The same pools as one instruction sells through them (`chainedPools`); null where none does. */
  readonly chain: readonly QuotablePool[] | null;
  /** Lamports per base unit, before fees; null where nothing can be sold here now. */
  readonly spotPrice: Ratio | null;
  /** What a small sale loses to all fees of all pools of the route, as a share. */
  readonly feeShare: number;
  /** Lamports that selling can still reach in `pool`, other quotes at spot; 0 where it is not open. */
  readonly depthLamports: bigint;
  /**
   * Lamports that `pool` pays before its own price falls 10 %, others at spot: how much liquidity it
   * has at its own price, wherever the market is.
   */
  readonly ownNearDepthLamports: bigint;
  /** W: lamports that the route pays before its after-fee price falls below the band under the reference bid. */
  readonly nearDepthLamports: bigint;
};

const ALL = 10_000;
const PPM = 1_000_000;

/** A pool of the token and its hops, before it is weighed against the other routes. */
export type Way = { readonly pool: QuotablePool; readonly hops: readonly QuotablePool[] };

type SoldWay = Way & Pick<Route, "chain">;

/** Binds pools to their hops and weighs all of them together (method.md section 1). */
export function weighRoutes(ways: readonly Way[]): readonly Route[] {
  const routes = ways.map(routeOf);
  const open = routes.filter((route) => route.spotPrice !== null);
  // Alone, a route is the market: nothing is to be weighed against.
  if (open.length < 2) return routes.map(weighedAlone);
  const bidding = open.flatMap((route) => {
    const bid = bidCurve(route);
    return bid === null ? [] : [{ route, bid, ask: () => askCurve(route) }];
  });
  const shared = sharedBids(bidding.map(({ route }) => route));
  const reference = referenceBid(bidding, shared);
  if (reference === null) return routes;
  const bids = bidding.map(({ bid }) => bid);
  const depths = new Map<Route, number>();
  for (const [place, depth] of nearDepthsOf(bids, shared, reference).entries()) {
    const route = bidding[place]?.route;
    if (route !== undefined) depths.set(route, depth);
  }
  return routes.map((route) => {
    const depth = depths.get(route);
    return depth === undefined ? route : { ...route, nearDepthLamports: BigInt(Math.floor(depth)) };
  });
}

/** The hops that several routes lead through, as bids for what these routes pay into them. */
function sharedBids(routes: readonly Route[]): readonly SharedBid[] {
  return sharedHops(routes).flatMap(({ hops, places }) => {
    const limit = rowOfBids(hops);
    return limit === null ? [] : [{ limit, places }];
  });
}

function weighedAlone(route: Route): Route {
  return { ...route, nearDepthLamports: nearDepthAlone(route) };
}

/**
 * W of a route without others: the reference bid is then its own first bid, but for the little that is sold to
 * learn it.
 */
export function nearDepthAlone(route: Route): bigint {
  const { hops, feeShare, spotPrice, ownNearDepthLamports: own } = route;
  const isBehindHops = spotPrice !== null && hops.length > 0;
  return nearAfterFees(isBehindHops ? depthInRow(own, nearDepthOfHops(hops)) : own, feeShare);
}

/** Lamports of near depth that are paid after fees, rounded down. */
export function nearAfterFees(near: bigint, feeShare: number): bigint {
  if (feeShare >= 1) return 0n;
  return (near * BigInt(Math.floor((1 - feeShare) * PPM))) / BigInt(PPM);
}

/**
 * The route whose spot is the mid: the median of the spots, weighed by near depth; between two, the
 * higher. Null where no route has near depth.
 */
export function middleRoute(routes: readonly Route[]): Route | null {
  return routeAtShare(routes, { numerator: 1n, denominator: 2n });
}

/** The route with the lowest spot such that it and those below have more than this share of the near depth. */
export function routeAtShare(routes: readonly Route[], share: Ratio): Route | null {
  const weighed = routes.filter((route) => route.nearDepthLamports > 0n).toSorted(bySpot);
  const whole = weighed.reduce((sum, route) => sum + route.nearDepthLamports, 0n);
  let below = 0n;
  for (const route of weighed) {
    below += route.nearDepthLamports;
    if (share.denominator * below > share.numerator * whole) return route;
  }
  return null;
}

/** The route with the most near depth; null where none has any. */
export function deepestRoute(routes: readonly Route[]): Route | null {
  let deepest: Route | null = null;
  for (const route of routes) {
    if (route.nearDepthLamports > (deepest?.nearDepthLamports ?? 0n)) deepest = route;
  }
  return deepest;
}

/** Quote units in lamports at a spot, rounded down; as they are where the quote is SOL. */
export function atSpot(amount: bigint, spot: Ratio | null): bigint {
  return spot === null ? amount : mulDivFloor(amount, spot.numerator, spot.denominator);
}

/** Lamports per unit of the mint that these hops sell; null where there are none, or one is closed. */
export function spotOfHops(hops: readonly QuotablePool[]): Ratio | null {
  let spot: Ratio | null = null;
  for (const hop of hops) {
    const own = openSpot(hop);
    if (own === null) return null;
    spot = spot === null ? own : multiplyRatios(spot, own);
  }
  return spot;
}

/** Lamports that arrive, or null where one of the pools would refuse. */
export function quoteRoute(route: SoldWay, amountIn: bigint): bigint | null {
  return quoteRouteAscending(route, [amountIn])[0] ?? null;
}

/**
 * The same for ascending amounts; each pool is walked once where its venue can. Where one instruction
 * sells through the pools, an amount that it refuses is sold hop by hop.
 */
export function quoteRouteAscending(
  { pool, hops, chain }: SoldWay,
  amountsIn: readonly bigint[],
): readonly (bigint | null)[] {
  if (hops.length === 0) return pool.quoteAscending(amountsIn);
  if (chain === null) return quoteInRow([pool, ...hops], amountsIn);
  const paid = quoteInRow(chain, amountsIn);
  if (!paid.includes(null)) return paid;
  const byHop = quoteInRow([pool, ...hops], amountsIn);
  return paid.map((amount, index) => amount ?? byHop[index] ?? null);
}

function quoteInRow(
  pools: readonly QuotablePool[],
  amountsIn: readonly bigint[],
): readonly (bigint | null)[] {
  return pools.reduce<readonly (bigint | null)[]>((amounts, next) => {
    const quotes = next.quoteAscending(amounts.filter((amount) => amount !== null));
    let index = 0;
    return amounts.map((amount) => (amount === null ? null : (quotes[index++] ?? null)));
  }, amountsIn);
}

function routeOf({ pool, hops }: Way): Route {
  const chain = chainedPools([pool, ...hops]);
  const own = pool.status === "open" ? pool.spotPrice : null;
  const reachable = own === null ? 0n : pool.reachable(ALL);
  const hopSpot = hops.length === 0 ? null : spotOfHops(hops);
  if (own === null || reachable === 0n || (hops.length > 0 && hopSpot === null)) {
    return {
      pool,
      hops,
      chain,
      spotPrice: null,
      feeShare: 0,
      depthLamports: 0n,
      ownNearDepthLamports: 0n,
      nearDepthLamports: 0n,
    };
  }
  return {
    pool,
    hops,
    chain,
    spotPrice: hopSpot === null ? own : multiplyRatios(own, hopSpot),
    feeShare: feeShareOf(chain ?? [pool, ...hops]),
    depthLamports: inLamportsThrough(hops, reachable),
    ownNearDepthLamports: atSpot(pool.reachable(CALIBRATION.mid.ownNearFallBps), hopSpot),
    nearDepthLamports: 0n,
  };
}

/** Lamports that selling can still reach through all of these routes: hops that they share pay once. */
export function depthTogether(routes: readonly Pick<Route, "hops" | "depthLamports">[]): bigint {
  const depths = routes.map(({ depthLamports }) => depthLamports);
  for (const { hops, places } of sharedHops(routes)) {
    const [first = 0] = places;
    const [hop, ...behind] = hops;
    const sum = places.reduce((total, place) => total + (depths[place] ?? 0n), 0n);
    for (const place of places) depths[place] = 0n;
    depths[first] =
      hop === undefined ? sum : minBigint(sum, inLamportsThrough(behind, hop.reachable(ALL)));
  }
  return depths.reduce((sum, depth) => sum + depth, 0n);
}

/** An amount in lamports at the hops' spots: never more than each hop can pay. */
export function inLamportsThrough(hops: readonly QuotablePool[], amount: bigint): bigint {
  return hops.reduce(
    (left, hop) => minBigint(atSpot(left, hop.spotPrice), hop.reachable(ALL)),
    amount,
  );
}

/** Lamports that hops pay before their price falls 10 %. */
export function nearDepthOfHops(hops: readonly QuotablePool[]): bigint {
  const depths = hops.map((hop, index) =>
    atSpot(hop.reachable(CALIBRATION.mid.ownNearFallBps), spotOfHops(hops.slice(index + 1))),
  );
  return depths.reduce(depthInRow);
}

/** The near depth of two pools in a row, from their own: a sale lowers the price in both. */
export function depthInRow(first: bigint, second: bigint): bigint {
  const sum = first + second;
  return sum === 0n ? 0n : (first * second) / sum;
}

/** A pool's spot while it is open and holds something to pay with. */
export function openSpot(pool: QuotablePool): Ratio | null {
  if (pool.status !== "open") return null;
  return pool.reachable(ALL) === 0n ? null : pool.spotPrice;
}

/** Whether the pool does not trade now, and may later. */
export function isPaused({ status }: Pick<QuotablePool, "status">): boolean {
  return status === "paused" || status === "not-open-yet";
}

/** What a first unit keeps of its worth after all fees of one pool, as a share. */
export function keptOfFirstUnit({
  feePpm,
  growingFee,
}: Pick<QuotablePool, "feePpm" | "growingFee">): number {
  return Math.max(0, 1 - (growingFee?.(0) ?? feePpm) / PPM);
}

/** What a small sale loses to the fees of pools in a row, as a share. */
function feeShareOf(pools: readonly QuotablePool[]): number {
  return 1 - pools.reduce((kept, { feePpm }) => kept * Math.max(0, 1 - feePpm / PPM), 1);
}

function bidCurve({ pool, hops, chain }: SoldWay): PriceCurve | null {
  return rowOfBids(chain ?? [pool, ...hops]);
}

function rowOfBids(pools: readonly QuotablePool[]): PriceCurve | null {
  const curves: PriceCurve[] = [];
  for (const one of pools) {
    const curve = one.status === "open" ? curveOf(one) : null;
    if (curve === null) return null;
    curves.push(curve);
  }
  return curvesInRow(curves);
}

/** Buying the token goes the other way round: SOL into the last hop first. */
function askCurve({ pool, hops }: Way): PriceCurve | null {
  const curves: PriceCurve[] = [];
  for (const one of [...hops.toReversed(), pool]) {
    const curve = one.status === "open" ? curveOf(one.purchases) : null;
    if (curve === null) return null;
    curves.push(curve);
  }
  return curvesInRow(curves);
}

function bySpot(a: Route, b: Route): number {
  if (a.spotPrice === null || b.spotPrice === null) return 0;
  const left = a.spotPrice.numerator * b.spotPrice.denominator;
  const right = b.spotPrice.numerator * a.spotPrice.denominator;
  return compareBigints(left, right);
}
