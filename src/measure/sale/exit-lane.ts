import type { QuotablePool } from "#src/venues/quotable-pool.ts";
import { CALIBRATION } from "../calibration.ts";
import { chainedPools } from "../market/chained-pools.ts";
import { quoteRouteAscending, type Route } from "../market/route.ts";
import type { ExitRoute, RouteLeg } from "./exit-route.ts";
import {
  copyLane,
  type Effort,
  effortOf,
  type Lane,
  type SampledLane,
  sampleLane,
} from "./lane.ts";
import { bestSplit } from "./split.ts";
import { spotOf, steepestInRow, steepestOf } from "./steepest.ts";

/**
 * One lane of an exit: a route, or all routes that end in the same hop. Inside such a lane the
 * amount is split for the most of what the hop sells; the parts then pass the hop one after the other.
 */
export type ExitLane = {
  readonly lane: Lane;
  readonly routes: readonly Route[];
  /** The swaps behind what the lane pays for this amount, or null where it is refused. */
  readonly partsFor: (amountIn: bigint) => readonly ExitPart[] | null;
};

/** A part of an amount that goes one way. */
export type ExitPart = {
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly legs: readonly RouteLeg[];
};

/** A route with the pools that its lane still covers: the token's pool, and hops up to the shared one. */
type Stretch = { readonly route: Route; readonly pools: readonly QuotablePool[] };

type LegWay = Pick<RouteLeg, "isChained">;
const CHAINED: LegWay = { isChained: true };
const SINGLE: LegWay = { isChained: false };

/**
 * The lanes of the routes that are open.
 *
 * @param samples ascending amounts at which lanes are quoted before they are split
 */
export function exitLanes(open: readonly Route[], samples: readonly bigint[]): readonly ExitLane[] {
  return lanesOf(
    open.map((route) => ({ route, pools: [route.pool, ...route.hops] })),
    { samples, depth: 0 },
  );
}

/** The swaps of a single route, or null where a pool refuses. */
export function exitRoute(route: Route, amountIn: bigint): ExitRoute | null {
  const part = sellWay([route.pool, ...route.hops], route.chain, amountIn);
  return part === null ? null : asExitRoute(part);
}

export function asExitRoute({ amountIn, amountOut, legs }: ExitPart): ExitRoute {
  return { amountIn, paidLamports: amountOut, legs };
}

/** How lanes are opened: at what they are sampled, and how many searches are around the one that asks them. */
type LaneOpening = { readonly samples: readonly bigint[]; readonly depth: number };

function lanesOf(stretches: readonly Stretch[], opening: LaneOpening): readonly ExitLane[] {
  const direct: ExitLane[] = [];
  const byHop = new Map<QuotablePool, Stretch[]>();
  for (const stretch of stretches) {
    const hop = stretch.pools.length > 1 ? stretch.pools.at(-1) : undefined;
    if (hop === undefined) {
      direct.push(singleLane(stretch));
      continue;
    }
    const sharing = byHop.get(hop);
    if (sharing === undefined) byHop.set(hop, [stretch]);
    else sharing.push(stretch);
  }
  const isAlone = direct.length + byHop.size === 1;
  const inner = { ...opening, depth: isAlone ? opening.depth : opening.depth + 1 };
  const behindHops = [...byHop].map(([hop, sharing]) => {
    const [first] = sharing;
    return sharing.length === 1 && first !== undefined
      ? singleLane(first)
      : sharedLane(hop, sharing, inner);
  });
  return [...direct, ...behindHops];
}

function singleLane({ route, pools }: Stretch): ExitLane {
  const [pool, ...hops] = pools;
  const chain = chainedPools(pools);
  return {
    routes: [route],
    lane: {
      rounding: roundingOf(pools),
      inputFeePpm: route.pool.feePpm,
      steepest: steepestInRow(chain ?? pools),
      quoteAscending: (amountsIn) =>
        pool === undefined ? [] : quoteRouteAscending({ pool, hops, chain }, amountsIn),
    },
    partsFor: (amountIn) => {
      const only = sellWay(pools, chain, amountIn);
      return only === null ? null : [only];
    },
  };
}

function sharedLane(
  hop: QuotablePool,
  sharing: readonly Stretch[],
  { samples, depth }: LaneOpening,
): ExitLane {
  const inner = lanesOf(
    sharing.map(({ route, pools }) => ({ route, pools: pools.slice(0, -1) })),
    { samples, depth },
  );
  const terms = { gap: CALIBRATION.split.gap, mostEffort: effortOfPart(sharing, depth) };
  const chains = sharing.flatMap(({ pools }) => {
    const chain = chainedPools(pools);
    return chain === null ? [] : [chain];
  });
  let sampled: readonly SampledLane[] | null = null;
  const splitFor = (amountIn: bigint, effort: Effort): readonly ExitPart[] | null => {
    sampled ??= inner.map(({ lane }) => sampleLane(lane, samples));
    const lanes = sampled.map(copyLane);
    const split = bestSplit(lanes, amountIn, terms);
    effort.spent += effortOf(lanes) - effortOf(sampled) + chains.flat().length;
    if (split === null) return null;
    const parts: ExitPart[] = [];
    for (const [index, lane] of inner.entries()) {
      const own = split.amountsIn[index] ?? 0n;
      const ownParts = own === 0n ? [] : lane.partsFor(own);
      if (ownParts === null) return null;
      parts.push(...ownParts);
    }
    return sellInTurn(hop, parts);
  };
  // Parts that meet in the hop are sold hop by hop; one chain alone can pay more.
  const bestPartsFor = (amountIn: bigint, effort: Effort): readonly ExitPart[] | null => {
    const candidates = [
      splitFor(amountIn, effort),
      ...chains.map((chain) => {
        const part = sellThrough(chain, amountIn, CHAINED);
        return part === null ? null : [part];
      }),
    ];
    return candidates.reduce((best, parts) => (paidBy(parts) > paidBy(best) ? parts : best), null);
  };
  const paidFor = (amountIn: bigint, effort: Effort): bigint | null =>
    bestPartsFor(amountIn, effort)?.reduce((sum, part) => sum + part.amountOut, 0n) ?? null;
  const steepest = Math.max(
    Math.max(...inner.map(({ lane }) => lane.steepest)) * steepestOf(hop),
    ...chains.map(steepestInRow),
  );
  const rounding = sharing.reduce((sum, { pools }) => sum + roundingOf(pools), 0);
  return {
    routes: sharing.map(({ route }) => route),
    lane: {
      steepest,
      rounding,
      isSearched: true,
      quoteAscending: (amountsIn, effort) => amountsIn.map((amountIn) => paidFor(amountIn, effort)),
    },
    partsFor: (amountIn) => bestPartsFor(amountIn, { spent: 0 }),
  };
}

/**
 * What one split inside a lane may cost. Less at each depth: every search asks its lanes many times, so
 * that the effort of the whole is a product over the depths.
 */
function effortOfPart(sharing: readonly Stretch[], depth: number): number {
  const { mostEffort, effortOfParts } = CALIBRATION.split;
  if (depth === 0) return mostEffort;
  const part = effortOfParts[depth - 1];
  return part === undefined ? 0 : part.least + part.perRoute * sharing.length;
}

/** What parts pay together; below every payment where there are none. */
function paidBy(parts: readonly ExitPart[] | null): bigint {
  return parts === null ? -1n : parts.reduce((sum, { amountOut }) => sum + amountOut, 0n);
}

/** By one instruction where that sells the amount, else hop by hop. */
function sellWay(
  pools: readonly QuotablePool[],
  chain: readonly QuotablePool[] | null,
  amountIn: bigint,
): ExitPart | null {
  const chained = chain === null ? null : sellThrough(chain, amountIn, CHAINED);
  return chained ?? sellThrough(pools, amountIn, SINGLE);
}

/** Sells an amount through pools in a row; null where one of them refuses. */
function sellThrough(
  pools: readonly QuotablePool[],
  amountIn: bigint,
  way: LegWay,
): ExitPart | null {
  const legs: RouteLeg[] = [];
  let amount = amountIn;
  for (const pool of pools) {
    const amountOut = pool.quote(amount);
    if (amountOut === null) return null;
    legs.push({ ...legOf(pool, amount, amountOut), ...way });
    amount = amountOut;
  }
  return { amountIn, amountOut: amount, legs };
}

/** Sells what each part paid through the hop, each on the state that the one before left. */
function sellInTurn(hop: QuotablePool, parts: readonly ExitPart[]): readonly ExitPart[] | null {
  const sold: ExitPart[] = [];
  let hopState = hop;
  for (const part of parts) {
    const sale = hopState.sell(part.amountOut);
    if (sale.kind === "unfillable") return null;
    const leg = { ...legOf(hop, part.amountOut, sale.amountOut), ...SINGLE };
    sold.push({ ...part, amountOut: sale.amountOut, legs: [...part.legs, leg] });
    hopState = sale.after;
  }
  return sold;
}

function legOf(
  pool: QuotablePool,
  amountIn: bigint,
  amountOut: bigint,
): Omit<RouteLeg, "isChained"> {
  return {
    pool: pool.address,
    venue: pool.venue,
    inputMint: pool.baseMint,
    outputMint: pool.quoteMint,
    amountIn,
    amountOut,
    feePpm: pool.feePpm,
    instruction: pool.hopOf ?? null,
  };
}

/**
 * By how many lamports the roundings of consecutive pools can lower their payment: the token's base units at
 * the first pool and units of the quote mint at each hop, at their highest worth in lamports. For a pool
 * that rounds at every price step this is an estimate and not a limit (`inputRoundings`).
 */
function roundingOf(pools: readonly QuotablePool[]): number {
  const { roundingLamports, roundingUnits } = CALIBRATION.bound;
  let worth = 1;
  let lamports = 0;
  for (const each of pools.toReversed()) {
    lamports += roundingLamports * worth;
    // A unit that a fee was rounded up by has paid its fee already.
    lamports += (each.inputRoundings ?? roundingUnits) * worth * spotOf(each);
    worth *= steepestOf(each);
  }
  return lamports;
}
