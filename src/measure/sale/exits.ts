import type { Ratio } from "#src/units/ratio.ts";
import type { Profile } from "../assessment.ts";
import { CALIBRATION } from "../calibration.ts";
import type { PricedMarket } from "../market/priced-market.ts";
import { quoteRoute, quoteRouteAscending, type Route } from "../market/route.ts";
import { positionOf, standardPositions } from "../slippage.ts";
import { asExitRoute, type ExitLane, exitLanes, exitRoute } from "./exit-lane.ts";
import type { ExitRoute } from "./exit-route.ts";
import { copyLane, effortOf, type SampledLane, sampleLane } from "./lane.ts";
import { bestSplit, type Split } from "./split.ts";

/** A market opened for selling: its lanes, with what has been quoted on them so far. */
export type Exits = {
  readonly midPrice: Ratio;
  /** Base units that exist. */
  readonly supply: bigint;
  /** What the search for the split of one position may take. */
  readonly mostEffort: number;
  /** Where there is only one way out, there is nothing to search. */
  readonly only: Route | null;
  readonly lanes: readonly ExitLane[];
  readonly sampled: readonly SampledLane[];
};

/**
 * Opens the lanes with quotes of the standard sizes' positions, whatever is asked later: so the same
 * market pays the same for the same position at every endpoint.
 */
export function openExits(
  priced: PricedMarket,
  options: {
    readonly midPrice: Ratio;
    readonly supply: bigint;
    /** Absent: as for a position that an answer prices. */
    readonly mostEffort?: number;
  },
): Exits {
  const { midPrice, supply, mostEffort = CALIBRATION.split.mostEffort } = options;
  const opened = { midPrice, supply, mostEffort };
  const [only] = priced.open;
  if (only !== undefined && priced.open.length === 1) {
    return { ...opened, only, lanes: [], sampled: [] };
  }
  const samples = standardPositions(midPrice).filter(
    (position) => position > 0n && position <= supply,
  );
  const lanes = exitLanes(priced.open, samples);
  const sampled = lanes.map(({ lane }) => sampleLane(lane, samples));
  return { ...opened, only: null, lanes, sampled };
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

/**
 * Prices many sizes by the `pro` route in one search, each of which learns from the ones before:
 * for exit capacity, which asks for a dozen sizes that no caller sees.
 */
export function proPricer(exits: Exits): (sizeLamports: bigint) => bigint | null {
  const lanes = exits.sampled.map(copyLane);
  const {
    gap,
    mostEffort: mostOfSize,
    leastEffortOfSize,
    mostEffortOfCapacity,
  } = CALIBRATION.split;
  const end = effortOf(lanes) + mostEffortOfCapacity;
  return (sizeLamports) => {
    const position = positionOf(sizeLamports, exits.midPrice);
    if (position === 0n || position > exits.supply) return null;
    if (exits.only !== null) return quoteRoute(exits.only, position);
    const left = Math.max(leastEffortOfSize, end - effortOf(lanes));
    const mostEffort = Math.min(mostOfSize, left);
    return bestSplit(lanes, position, { gap, mostEffort })?.paid ?? null;
  };
}

/** Lamports that base units of the token pay, or null where they can't be sold whole. */
export function paidForPosition(exits: Exits, position: bigint, profile: Profile): bigint | null {
  if (position === 0n || position > exits.supply) return null;
  if (exits.only !== null) return quoteRoute(exits.only, position);
  if (profile === "retail") return paidByOne(exits, exits.lanes, position);
  const split = splitOf(exits, position)?.paid ?? null;
  const single = paidByOne(exits, sharedLanes(exits), position);
  return split === null || (single !== null && single > split) ? single : split;
}

/** What the best single route of these lanes pays. */
function paidByOne(exits: Exits, lanes: readonly ExitLane[], position: bigint): bigint | null {
  let best: bigint | null = null;
  for (const lane of lanes) {
    const { routes } = lane;
    const sampled = routes.length === 1 ? exits.sampled[exits.lanes.indexOf(lane)] : undefined;
    const known = sampled?.quotes.get(position);
    for (const route of routes) {
      const paid = known === undefined ? quoteRoute(route, position) : known;
      if (paid !== null && (best === null || paid > best)) best = paid;
    }
  }
  return best;
}

/**
 * The lanes whose routes meet in a hop. Their parts pass it one by one, and each is rounded: where splitting gains
 * less than that, one of the routes alone pays more.
 */
function sharedLanes({ lanes }: Exits): readonly ExitLane[] {
  return lanes.filter(({ routes }) => routes.length > 1);
}

/** The split of one position, searched from the opening samples alone. */
function splitOf(exits: Exits, position: bigint): Split | null {
  const { sampled, mostEffort } = exits;
  const { gapOfAnswers: gap } = CALIBRATION.split;
  return bestSplit(sampled.map(copyLane), position, { gap, mostEffort });
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
  if (profile === "retail") return oneRoute(exits.lanes, position);
  const split = splitRoutes(exits, position);
  const single = oneRoute(sharedLanes(exits), position);
  return split === null || (single !== null && paidBy(single) > paidBy(split)) ? single : split;
}

/** The best single route of these lanes. */
function oneRoute(lanes: readonly ExitLane[], position: bigint): readonly ExitRoute[] | null {
  let best: ExitRoute | null = null;
  for (const { routes } of lanes) {
    for (const route of routes) {
      const found = exitRoute(route, position);
      if (found !== null && (best === null || found.paidLamports > best.paidLamports)) best = found;
    }
  }
  return best === null ? null : [best];
}

function paidBy(routes: readonly ExitRoute[]): bigint {
  return routes.reduce((sum, { paidLamports }) => sum + paidLamports, 0n);
}

function splitRoutes(exits: Exits, position: bigint): readonly ExitRoute[] | null {
  const split = splitOf(exits, position);
  if (split === null) return null;
  const found: ExitRoute[] = [];
  for (const [index, lane] of exits.lanes.entries()) {
    const amountIn = split.amountsIn[index] ?? 0n;
    if (amountIn === 0n) continue;
    const parts = lane.partsFor(amountIn);
    if (parts === null) return null;
    found.push(...parts.map(asExitRoute));
  }
  return found;
}
