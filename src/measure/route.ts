import { mulDivFloor } from "#src/units/integer.ts";
import { compareRatios, multiplyRatios, type Ratio } from "#src/units/ratio.ts";
import type { QuotablePool } from "#src/venues/quotable-pool.ts";
import { CALIBRATION } from "./calibration.ts";

/** A way from the token into SOL: a pool, and for a stable-quoted pool a SOL pool of that stable. */
export type Route = {
  readonly pool: QuotablePool;
  /** Null where the pool pays SOL itself. */
  readonly hop: QuotablePool | null;
  /** Lamports per base unit, before fees; null where nothing can be sold here now. */
  readonly spotPrice: Ratio | null;
  /** Lamports that selling can still reach in `pool`, stables at spot; 0 where it is not open. */
  readonly depthLamports: bigint;
  /** D10: lamports that `pool` would pay before its own price falls 10 %. */
  readonly nearDepthLamports: bigint;
};

const ALL = 10_000;

/** Binds a pool to its hop, and weighs it. @param hop must be given where the pool's quote is not SOL */
export function routeThrough(pool: QuotablePool, hop: QuotablePool | null): Route {
  const own = pool.status === "open" ? pool.spotPrice : null;
  const hopSpot = hop?.spotPrice ?? null;
  if (own === null || (hop !== null && hopSpot === null)) {
    return { pool, hop, spotPrice: null, depthLamports: 0n, nearDepthLamports: 0n };
  }
  return {
    pool,
    hop,
    spotPrice: hopSpot === null ? own : multiplyRatios(own, hopSpot),
    depthLamports: atSpot(pool.reachable(ALL), hopSpot),
    nearDepthLamports: atSpot(pool.reachable(CALIBRATION.mid.nearFallBps), hopSpot),
  };
}

/** Quote units in lamports at the hop's spot, rounded down; as they are where there is no hop. */
export function atSpot(amount: bigint, hopSpot: Ratio | null): bigint {
  return hopSpot === null ? amount : mulDivFloor(amount, hopSpot.numerator, hopSpot.denominator);
}

/** Lamports that arrive, or null where either pool would refuse. */
export function quoteRoute(route: Route, amountIn: bigint): bigint | null {
  const own = route.pool.quote(amountIn);
  return own === null || route.hop === null ? own : route.hop.quote(own);
}

/** The same for ascending amounts; each pool is walked once where its venue has a fast path. */
export function quoteRouteAscending(
  route: Route,
  amountsIn: readonly bigint[],
): readonly (bigint | null)[] {
  const own = route.pool.quoteAscending(amountsIn);
  if (route.hop === null) return own;
  const { hop } = route;
  const paid = own.filter((amount) => amount !== null);
  const quotes = hop.quoteAscending(paid);
  let next = 0;
  return own.map((amount) => (amount === null ? null : (quotes[next++] ?? null)));
}

/**
 * The route whose first small unit pays the most after its own fees, among those with enough D10
 * (method.md section 1): its spot is the mid. So neither large bids far below the market, nor a
 * sliver of a pool, nor one with a huge fee can move it. Null where none can sell anything.
 */
export function leadingRoute(routes: readonly Route[]): Route | null {
  const selling = routes.filter((route) => route.spotPrice !== null);
  const deep = selling.filter(
    (route) => route.nearDepthLamports >= CALIBRATION.mid.leastNearDepthLamports,
  );
  const candidates = deep.length > 0 ? deep : selling;
  if (candidates.length === 1) return candidates[0] ?? null;
  let leading: { readonly route: Route; readonly rate: Ratio } | null = null;
  for (const route of candidates) {
    const rate = firstUnitRate(route);
    if (rate === null) continue;
    const order = leading === null ? 1 : compareRatios(rate, leading.rate);
    const isDeeper = leading !== null && route.nearDepthLamports > leading.route.nearDepthLamports;
    if (order > 0 || (order === 0 && isDeeper)) leading = { route, rate };
  }
  return leading?.route ?? null;
}

/** What a first small unit really pays, in lamports per base unit; null where it is refused. */
function firstUnitRate(route: Route): Ratio | null {
  if (route.spotPrice === null) return null;
  const { probeLamports, probeShareOfNearDepth } = CALIBRATION.mid;
  const share = route.nearDepthLamports / probeShareOfNearDepth;
  const worth = share < probeLamports ? share : probeLamports;
  const units = mulDivFloor(worth, route.spotPrice.denominator, route.spotPrice.numerator);
  const amountIn = units > 0n ? units : 1n;
  const paid = quoteRoute(route, amountIn);
  return paid === null || paid === 0n ? null : { numerator: paid, denominator: amountIn };
}

/**
 * The second hop of a stable: its deepest SOL pool, among those whose spot is near the stable's own
 * mid, so that a deep pool which buys the stable far below the market is no way out.
 *
 * @param pools SOL pools that sell the stable
 */
export function deepestHop(pools: readonly QuotablePool[]): QuotablePool | null {
  if (pools.length === 0) return null;
  const routes = pools.map((pool) => routeThrough(pool, null));
  const mid = leadingRoute(routes)?.spotPrice ?? null;
  if (mid === null) return null;
  let deepest: Route | null = null;
  for (const route of routes) {
    if (!isNear(route.spotPrice, mid)) continue;
    if (deepest === null || route.nearDepthLamports > deepest.nearDepthLamports) deepest = route;
  }
  return deepest?.pool ?? null;
}

/** Whether a spot is within 10 % of the mid, decided in integers. */
export function isNear(spot: Ratio | null, mid: Ratio): boolean {
  if (spot === null) return false;
  const band = CALIBRATION.mid.familyBandBps;
  const scaled = spot.numerator * mid.denominator * 10_000n;
  const unit = mid.numerator * spot.denominator;
  return scaled >= unit * (10_000n - band) && scaled <= unit * (10_000n + band);
}
