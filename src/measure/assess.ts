import { LAMPORTS_PER_SOL } from "#src/units/amounts.ts";
import { compareBigints } from "#src/units/integer.ts";
import { toNumber } from "#src/units/to-number.ts";
import {
  type Assessment,
  type Measurement,
  type Phase,
  type PoolShare,
  type PricedPart,
  STANDARD_LAMPORTS,
} from "./assessment.ts";
import { CALIBRATION } from "./calibration.ts";
import { capacityOf, type PaidSize } from "./capacity.ts";
import { findingsOf } from "./confidence/findings.ts";
import { blockReasonOf, coverageOf, isHalted, isUnseen, liveRoutes } from "./confidence/quality.ts";
import { laddersOf } from "./ladder.ts";
import { type Market, neverMoves, type TokenFacts } from "./market/market.ts";
import { phaseOf } from "./market/phase.ts";
import { type PricedMarket, priceMarket } from "./market/priced-market.ts";
import { depthTogether, nearDepthOfHops, type Route, spotOfHops } from "./market/route.ts";
import { type Exits, openExits, paidForPositions, proPricer } from "./sale/exits.ts";
import { standardPositions } from "./slippage.ts";

/**
 * Measures a market (method.md sections 1 to 4). Pure: the same market gives the same assessment.
 *
 * Where the market can't be reconstructed, `measurement` is null and `blocked` says why; an empty
 * market that was searched completely is measured, and its depth, score and capacity are zero.
 */
export function assess(market: Market): Assessment {
  const priced = priceMarket(market);
  const coverage = coverageOf(priced);
  const phase = phaseOf(priced);
  const blocked = blockReasonOf(priced, coverage, phase);
  const { token } = market;
  const measurement = blocked === null && token !== null ? measure(priced, token) : null;
  return {
    mint: market.mint,
    decimals: market.token?.decimals ?? null,
    token: market.token,
    phase,
    family: priced.family,
    measurement,
    blocked,
    pricedWhileBlocked: blocked === null || token === null ? null : pricedPartOf(priced, phase),
    findings: findingsOf(priced, { coverage, measurement }),
    slot: market.slot,
    stateTimeMs: market.stateTimeMs,
  };
}

/**
 * Exit capacity of the pools that can be priced, also where they hold too little of the quote, or are
 * too old, for an answer. Known to be paused is 0; null where no pool's state says anything.
 */
function pricedPartOf(priced: PricedMarket, phase: Phase): PricedPart | null {
  const { token } = priced.market;
  if (token === null || neverMoves(token) || phase === "migrating") return null;
  if (liveRoutes(priced).length === 0) return null;
  const pools = sharesOf(priced);
  if (isHalted(priced)) return { c10Sol: 0, pools };
  if (priced.midPrice === null) return pools.length === 0 ? null : { c10Sol: 0, pools };
  const exits = openExits(priced, { midPrice: priced.midPrice, supply: token.supply });
  const proPaid = paidForPositions(exits, standardPositions(exits.midPrice), "pro");
  return { c10Sol: capacitySol(priced, exits, proPaid), pools };
}

function measure(priced: PricedMarket, { supply }: TokenFacts): Measurement {
  const { midPrice, family } = priced;
  const depthLamports = depthTogether(priced.routes);
  const pools = sharesOf(priced);
  if (midPrice === null) {
    const ladders = laddersOf({ retail: [], pro: [] }, family);
    return { depthLamports, midPrice, ...ladders, c10Sol: 0, pools };
  }
  const positions = standardPositions(midPrice);
  const exits = openExits(priced, { midPrice, supply });
  const retailPaid = paidForPositions(exits, positions, "retail");
  const proPaid = exits.only === null ? paidForPositions(exits, positions, "pro") : retailPaid;
  const { retail, pro } = laddersOf({ retail: retailPaid, pro: proPaid }, family);
  return {
    depthLamports,
    midPrice,
    retail,
    pro,
    c10Sol: capacitySol(priced, exits, proPaid),
    pools,
  };
}

function capacitySol(
  { open }: PricedMarket,
  exits: Exits,
  proPaid: readonly (bigint | null)[],
): number {
  const paidFor = proPricer(exits);
  const standard = STANDARD_LAMPORTS.map(
    (sizeLamports, index): PaidSize => ({ sizeLamports, paidLamports: proPaid[index] ?? null }),
  );
  const { cappedFeeSizes } = CALIBRATION.capacity;
  const others = (open.some(hasCappedFee) ? cappedFeeSizes : []).map(
    (sizeLamports): PaidSize => ({ sizeLamports, paidLamports: paidFor(sizeLamports) }),
  );
  const known = [...standard, ...others].toSorted((a, b) =>
    compareBigints(a.sizeLamports, b.sizeLamports),
  );
  const capacity = capacityOf(known, paidFor);
  return toNumber(capacity) / toNumber(LAMPORTS_PER_SOL);
}

/** Whether a transfer fee on the way has a maximum: a larger sale may then lose less. */
function hasCappedFee({ pool, hops }: Route): boolean {
  return [pool, ...hops].some(({ cappedFee }) => cappedFee != null);
}

/** A pool of which nothing is known that pays is left out, as one that can't be read: it may hold as much as ever. */
function sharesOf({ routes }: PricedMarket): readonly PoolShare[] {
  // Pools of one quote mint have the same hops.
  const hopsFields = new Map<Route["hops"], Pick<PoolShare, "hops">>();
  return routes
    .filter((route) => !isUnseen(route))
    .map((route) => {
      const { hops } = route;
      const hopsField = hopsFields.get(hops) ?? hopsFieldOf(hops);
      hopsFields.set(hops, hopsField);
      return { ...shareOf(route), ...(route.spotPrice === null ? {} : hopsField) };
    });
}

function shareOf(route: Route): PoolShare {
  const { pool, hops } = route;
  const closed = hops.find(({ status }) => status !== "open");
  return {
    venue: pool.venue,
    family: pool.family,
    address: pool.address,
    quoteMint: pool.quoteMint,
    status: pool.status,
    ...(closed === undefined ? {} : { hopStatus: closed.status }),
    depthLamports: route.depthLamports,
    nearDepthLamports: route.nearDepthLamports,
    ownNearDepthLamports: route.ownNearDepthLamports,
    spotPrice: route.spotPrice,
    feePpm: pool.feePpm,
    ...cappedFeeField(pool),
  };
}

function cappedFeeField({ cappedFee }: Route["pool"]): Pick<PoolShare, "cappedFee"> {
  return cappedFee === undefined || cappedFee === null ? {} : { cappedFee };
}

function hopsFieldOf(hops: Route["hops"]): Pick<PoolShare, "hops"> {
  const spotPrice = hops.length === 0 ? null : spotOfHops(hops);
  if (spotPrice === null) return {};
  const pools = hops.map(({ address }) => address);
  const hasCurve = hops.some(({ kind }) => kind === "curve");
  return { hops: { spotPrice, nearDepthLamports: nearDepthOfHops(hops), pools, hasCurve } };
}
