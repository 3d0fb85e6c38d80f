import type { Ratio } from "#src/units/ratio.ts";
import type { Profile } from "./assessment.ts";
import { type ExitLane, exitLanes, exitRoute } from "./exit-lane.ts";
import type { ExitRoute } from "./exit-route.ts";
import { quoteLane, type SampledLane, sampleLane } from "./lane.ts";
import type { PricedMarket } from "./priced-market.ts";
import { quoteRoute, quoteRouteAscending, type Route } from "./route.ts";
import { positionOf } from "./slippage.ts";
import { bestSplit } from "./split.ts";

/** A market opened for selling: its lanes, with what has been quoted on them so far. */
export type Exits = {
  readonly midPrice: Ratio;
  /** Base units that exist. */
  readonly supply: bigint;
  /** Where there is only one way out, there is nothing to search. */
  readonly only: Route | null;
  readonly lanes: readonly ExitLane[];
  readonly sampled: readonly SampledLane[];
};

/**
 * Opens the lanes with quotes of these ascending positions, which should span what is asked later.
 * Positions that can't exist are left out.
 */
export function openExits(
  priced: PricedMarket,
  { midPrice, supply }: { readonly midPrice: Ratio; readonly supply: bigint },
  positions: readonly bigint[],
): Exits {
  const [only] = priced.open;
  if (only !== undefined && priced.open.length === 1) {
    return { midPrice, supply, only, lanes: [], sampled: [] };
  }
  const lanes = exitLanes(priced.open);
  const existing = positions.filter((position) => position > 0n && position <= supply);
  const sampled = lanes.map(({ lane }) => sampleLane(lane, existing));
  return { midPrice, supply, only: null, lanes, sampled };
}

/** What each of these ascending positions pays, in lamports, or null where it can't be sold whole. */
export function paidForPositions(
  exits: Exits,
  positions: readonly bigint[],
  profile: Profile,
): readonly (bigint | null)[] {
  const { only, supply } = exits;
  if (only === null) {
    return positions.map((position) => paidForPosition(exits, position, profile));
  }
  const quotes = quoteRouteAscending(
    only,
    positions.filter((position) => position > 0n && position <= supply),
  );
  let next = 0;
  return positions.map((position) =>
    position > 0n && position <= supply ? (quotes[next++] ?? null) : null,
  );
}

/** Lamports that the position worth `sizeLamports` at the mid pays, or null where it can't be sold whole. */
export function paidForSize(exits: Exits, sizeLamports: bigint, profile: Profile): bigint | null {
  const position = positionOf(sizeLamports, exits.midPrice);
  return paidForPosition(exits, position, profile);
}

/** Lamports that base units of the token pay, or null where they can't be sold whole. */
export function paidForPosition(exits: Exits, position: bigint, profile: Profile): bigint | null {
  if (position === 0n || position > exits.supply) return null;
  if (exits.only !== null) return quoteRoute(exits.only, position);
  if (profile === "pro") return bestSplit(exits.sampled, position)?.paid ?? null;
  let best: bigint | null = null;
  exits.lanes.forEach(({ routes }, index) => {
    const sampled = exits.sampled[index];
    for (const route of routes) {
      const paid =
        routes.length === 1 && sampled !== undefined
          ? quoteLane(sampled, position)
          : quoteRoute(route, position);
      if (paid !== null && (best === null || paid > best)) best = paid;
    }
  });
  return best;
}

/** The swaps behind what `paidForPosition` says; null where the position can't be sold whole. */
export function routesForPosition(
  exits: Exits,
  position: bigint,
  profile: Profile,
): readonly ExitRoute[] | null {
  if (position === 0n || position > exits.supply) return null;
  if (exits.only !== null) {
    const route = exitRoute(exits.only, position);
    return route === null ? null : [route];
  }
  if (profile === "pro") return splitRoutes(exits, position);
  let best: ExitRoute | null = null;
  for (const { routes } of exits.lanes) {
    for (const route of routes) {
      const found = exitRoute(route, position);
      if (found !== null && (best === null || found.paidLamports > best.paidLamports)) best = found;
    }
  }
  return best === null ? null : [best];
}

function splitRoutes(exits: Exits, position: bigint): readonly ExitRoute[] | null {
  const split = bestSplit(exits.sampled, position);
  if (split === null) return null;
  const found: ExitRoute[] = [];
  for (const [index, lane] of exits.lanes.entries()) {
    const amountIn = split.amountsIn[index] ?? 0n;
    if (amountIn === 0n) continue;
    const routes = lane.routesFor(amountIn);
    if (routes === null) return null;
    found.push(...routes);
  }
  return found;
}
