import type { Ratio } from "#src/units/ratio.ts";
import { ratioToNumber } from "#src/units/to-number.ts";
import type { QuotablePool } from "#src/venues/quotable-pool.ts";
import type { ExitRoute, RouteLeg } from "./exit-route.ts";
import { type Lane, type SampledLane, sampleLane } from "./lane.ts";
import { quoteRouteAscending, type Route } from "./route.ts";
import { bestSplit } from "./split.ts";

/**
 * One lane of an exit: a route, or all pools of one stable, which share the hop. Inside, the stable
 * is split for the most of it; then the pools' proceeds are sold through the hop one after the other.
 */
export type ExitLane = {
  readonly lane: Lane;
  readonly routes: readonly Route[];
  /** The swaps behind what the lane pays for this amount, or null where it is refused. */
  readonly routesFor: (amountIn: bigint) => readonly ExitRoute[] | null;
};

/** The lanes of the routes that are open; pools that share a hop are one lane, largest pool first. */
export function exitLanes(open: readonly Route[]): readonly ExitLane[] {
  const direct = open.filter((route) => route.hop === null).map(singleLane);
  const byHop = new Map<QuotablePool, Route[]>();
  for (const route of open) {
    if (route.hop === null) continue;
    const sharing = byHop.get(route.hop);
    if (sharing === undefined) byHop.set(route.hop, [route]);
    else sharing.push(route);
  }
  const shared = [...byHop].map(([hop, routes]) => {
    const [first] = routes;
    return routes.length === 1 && first !== undefined ? singleLane(first) : sharedLane(hop, routes);
  });
  return [...direct, ...shared];
}

/** The swaps of a single route, or null where a pool refuses. */
export function exitRoute(route: Route, amountIn: bigint): ExitRoute | null {
  const own = route.pool.quote(amountIn);
  if (own === null) return null;
  const first = legOf(route.pool, amountIn, own);
  if (route.hop === null) return { amountIn, paidLamports: own, legs: [first] };
  const paid = route.hop.quote(own);
  if (paid === null) return null;
  return { amountIn, paidLamports: paid, legs: [first, legOf(route.hop, own, paid)] };
}

function singleLane(route: Route): ExitLane {
  return {
    routes: [route],
    lane: {
      steepest: steepestOf(route.spotPrice),
      quoteAscending: (amountsIn) => quoteRouteAscending(route, amountsIn),
    },
    routesFor: (amountIn) => {
      const only = exitRoute(route, amountIn);
      return only === null ? null : [only];
    },
  };
}

function sharedLane(hop: QuotablePool, routes: readonly Route[]): ExitLane {
  let sampled: readonly SampledLane[] | null = null;
  const splitOf = (amountIn: bigint, first: readonly bigint[]): readonly ExitRoute[] | null => {
    sampled ??= routes.map(({ pool }) => sampleLane(poolLane(pool), first));
    const split = bestSplit(sampled, amountIn);
    return split === null ? null : sellThroughHop(hop, routes, split.amountsIn);
  };
  const quoteAscending = (amountsIn: readonly bigint[]): readonly (bigint | null)[] =>
    amountsIn.map((amountIn) => {
      const parts = splitOf(amountIn, amountsIn);
      return parts === null ? null : parts.reduce((sum, part) => sum + part.paidLamports, 0n);
    });
  const steepest = Math.max(...routes.map((route) => steepestOf(route.spotPrice)));
  return {
    routes,
    lane: { steepest, quoteAscending },
    routesFor: (amountIn) => splitOf(amountIn, [amountIn]),
  };
}

function poolLane(pool: QuotablePool): Lane {
  return { steepest: steepestOf(pool.spotPrice), quoteAscending: pool.quoteAscending };
}

function sellThroughHop(
  hop: QuotablePool,
  routes: readonly Route[],
  amountsIn: readonly bigint[],
): readonly ExitRoute[] | null {
  const parts: ExitRoute[] = [];
  let asItStands = hop;
  for (const [index, { pool }] of routes.entries()) {
    const amountIn = amountsIn[index] ?? 0n;
    if (amountIn === 0n) continue;
    const own = pool.quote(amountIn);
    if (own === null) return null;
    const sale = asItStands.sell(own);
    if (sale.kind === "unfillable") return null;
    const legs = [legOf(pool, amountIn, own), legOf(hop, own, sale.amountOut)];
    parts.push({ amountIn, paidLamports: sale.amountOut, legs });
    asItStands = sale.after;
  }
  return parts;
}

function legOf(pool: QuotablePool, amountIn: bigint, amountOut: bigint): RouteLeg {
  return {
    pool: pool.address,
    venue: pool.venue,
    inputMint: pool.baseMint,
    outputMint: pool.quoteMint,
    amountIn,
    amountOut,
    feePpm: pool.feePpm,
  };
}

function steepestOf(spot: Ratio | null): number {
  return spot === null ? 0 : ratioToNumber(spot.numerator, spot.denominator);
}
