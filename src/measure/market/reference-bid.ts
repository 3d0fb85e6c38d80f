import { toNumber } from "#src/units/to-number.ts";
import { CALIBRATION } from "../calibration.ts";
import type { PriceCurve } from "./price-curve.ts";

/** A route's two sides: what it pays for the token, and for how much it sells it. */
export type RouteCurves = {
  /** Selling the token: lamports. */
  readonly bid: PriceCurve;
  /** Buying the token: base units; null where nothing is for sale. Asked for only if bids cross asks. */
  readonly ask: () => PriceCurve | null;
};

/** Hops that several routes lead through, as one bid, and the places of these routes. */
export type SharedBid = { readonly limit: PriceCurve; readonly places: readonly number[] };

/** All bids for the token. */
type Bids = {
  readonly curves: readonly PriceCurve[];
  /** Those farther from SOL first. */
  readonly shared: readonly SharedBid[];
};

const BISECTIONS = 40;
/** A price is searched to this share of itself. */
const PRECISION = 1e-7;

/**
 * The price that the market really bids (method.md section 1), in lamports per base unit after fees.
 *
 * Bids above asks are matched first, as an arbitrage would; then `q` lamports are sold into what
 * remains. So a bid above the market moves the result only by buying out the asks below it.
 * Null where there are no bids.
 */
export function referenceBid(
  routes: readonly RouteCurves[],
  shared: readonly SharedBid[],
): number | null {
  const bids: Bids = { curves: routes.map(({ bid }) => bid), shared };
  const best = bids.curves.reduce((top, bid) => Math.max(top, bid.topPrice), 0);
  if (best === 0) return null;
  const start = crossingPrice(routes, bids, best);
  const matched = paidDownTo(bids, start);
  const remaining = paidDownTo(bids, 0) - matched;
  const wanted = matched + Math.min(referenceLamports(bids), remaining / 2);
  return priceWherePaid(bids, start, wanted);
}

/** Lamports that each route pays before its price after fees falls below the band under the reference bid. */
export function nearDepthsOf(
  curves: readonly PriceCurve[],
  shared: readonly SharedBid[],
  reference: number,
): readonly number[] {
  const floor = reference * (1 - CALIBRATION.mid.bandBps / 10_000);
  return paidByEach({ curves, shared }, floor, (curve, fall) => curve.paidAtFall(fall));
}

/** `q`: what is sold to learn the price; less where even the deepest route holds little. */
function referenceLamports({ curves }: Bids): number {
  const { referenceLamports, deepestShare, deepestFall } = CALIBRATION.mid;
  const deepest = curves.reduce((most, bid) => Math.max(most, bid.estimateAtFall(deepestFall)), 0);
  return Math.min(toNumber(referenceLamports), deepest / deepestShare);
}

/** All bids at or above a price, in lamports paid. */
function paidDownTo(bids: Bids, price: number): number {
  return paidByEach(bids, price, estimated).reduce((sum, paid) => sum + paid, 0);
}

function estimated(curve: PriceCurve, fall: number): number {
  return curve.estimateAtFall(fall);
}

/**
 * What each bid pays at or above a price, in lamports. Bids that lead through the same hops are paid by them once:
 * together no more than the hops pay. So no route counts for more because there are others like it.
 */
function paidByEach(
  { curves, shared }: Bids,
  price: number,
  paidBy: (curve: PriceCurve, fall: number) => number,
): readonly number[] {
  const paid = curves.map((bid) =>
    bid.topPrice <= price ? 0 : paidBy(bid, 1 - price / bid.topPrice),
  );
  for (const { limit, places } of shared) {
    let [sum, top] = [0, 0];
    for (const place of places) {
      sum += paid[place] ?? 0;
      top = Math.max(top, curves[place]?.topPrice ?? 0);
    }
    const most = top <= price ? 0 : paidBy(limit, 1 - price / top);
    if (sum <= most) continue;
    for (const place of places) paid[place] = ((paid[place] ?? 0) * most) / sum;
  }
  return paid;
}

/** Where bids and asks meet after all crossing ones were matched; the best bid where none cross. */
function crossingPrice(routes: readonly RouteCurves[], bids: Bids, best: number): number {
  if (routes.length < 2) return best;
  const asks = routes.flatMap(({ ask }) => ask() ?? []);
  const cheapest = asks.reduce((low, ask) => Math.min(low, 1 / ask.topPrice), Infinity);
  if (cheapest >= best) return best;
  const excess = (price: number): number => unitsBid(bids, price) - unitsAsked(asks, price);
  return bisect(cheapest, best, (price) => excess(price) > 0);
}

/** Base units that all bids at or above a price take: within one range, at the geometric mean price. */
function unitsBid(bids: Bids, price: number): number {
  return paidByEach(bids, price, estimated).reduce((sum, paid, place) => {
    const top = bids.curves[place]?.topPrice ?? 0;
    return paid === 0 ? sum : sum + paid / Math.sqrt(top * price);
  }, 0);
}

/** Base units for sale at or below a price. An ask curve's own price is base units per lamport. */
function unitsAsked(asks: readonly PriceCurve[], price: number): number {
  return asks.reduce((sum, ask) => {
    const fall = 1 - 1 / (price * ask.topPrice);
    return fall <= 0 ? sum : sum + ask.estimateAtFall(fall);
  }, 0);
}

/** The price from `start` downwards at which the bids have paid `wanted`. */
function priceWherePaid(bids: Bids, start: number, wanted: number): number {
  const isPaid = (price: number): boolean => paidDownTo(bids, price) >= wanted;
  let fall = 1e-4;
  while (fall < 1 && !isPaid(start * (1 - fall))) fall *= 4;
  return bisect(start * Math.max(0, 1 - fall), start, isPaid);
}

/** The highest price at which `holds`, which holds at `low` and below its answer. */
function bisect(low: number, high: number, holds: (price: number) => boolean): number {
  let below = low;
  let above = high;
  for (let round = 0; round < BISECTIONS && above - below > PRECISION * above; round++) {
    const middle = (below + above) / 2;
    if (holds(middle)) below = middle;
    else above = middle;
  }
  return below;
}
