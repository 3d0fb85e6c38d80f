import { compareBigints } from "#src/units/integer.ts";
import { toNumber } from "#src/units/to-number.ts";
import { CALIBRATION } from "../calibration.ts";
import type { TokenFacts } from "../market/market.ts";
import { keptOfFirstUnit, type Route } from "../market/route.ts";
import { exitLanes } from "./exit-lane.ts";
import type { ExitRoute } from "./exit-route.ts";
import { endOfFeeStep } from "./fee-steps.ts";
import { countQuotes, quoteCorners, quoteLane, type SampledLane, sampleLane } from "./lane.ts";
import { withLowestCeilings } from "./lowest-ceilings.ts";
import { outerBound } from "./outer-bound.ts";

const BPS = 10_000n;
/** Sums of doubles are off by less. */
const FLOAT_SLACK = 1e-12;
/** The same for extended chords of few units. */
const EXTENSION_SLACK = 1e-9;

export type BoundInput = {
  /** The routes that buy now. */
  readonly open: readonly Route[];
  readonly token: TokenFacts;
  /** The split that was found. */
  readonly routes: readonly ExitRoute[];
  /** Further positions at which every route is quoted, ascending. */
  readonly samples: readonly bigint[];
};

/**
 * Lamports that no split of the position over these routes can exceed, or null where that is not
 * proved: a route that sells through several pools in one instruction, a transfer fee that reaches its
 * maximum, quotes that do not fall with the amount, or a bound below what the split pays.
 *
 * Each route is a lane of its own, which sells as if its hops had seen no other part: routes that share
 * a hop together pay less. Where every lane pays ever less for one unit more, the quotes around the
 * split's own amounts bound every lane from above (`outerBound`).
 */
export function bestPossibleLamports(input: BoundInput): bigint | null {
  const { open, token, routes } = input;
  const paid = routes.reduce((sum, route) => sum + route.paidLamports, 0n);
  const whole = routes.reduce((sum, route) => sum + route.amountIn, 0n);
  if (open.length === 1) return paid;
  if (open.some(({ chain }) => chain !== null) || reachesFeeMaximum(token, whole)) return null;
  const lanes = open.map((route) => laneAround(route, input, whole));
  if (!lanes.every(isSampled)) return null;
  const wholeAsDouble = toNumber(whole);
  const enough = toNumber(paid) * (1 + CALIBRATION.bound.gap);
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < CALIBRATION.bound.rounds; round++) {
    const known = countQuotes(lanes);
    const bound = outerBound(lanes, wholeAsDouble);
    if (bound === null) return null;
    least = Math.min(least, bound.paid);
    if (least <= enough) break;
    for (const [index, lane] of lanes.entries()) sharpen(lane, bound.amounts[index] ?? 0);
    if (countQuotes(lanes) > known) continue;
    for (const [index, lane] of lanes.entries()) {
      quoteCorners(lane, bound.amounts[index] ?? 0, wholeAsDouble);
    }
    if (countQuotes(lanes) === known) break;
  }
  if (least > enough && whole <= CALIBRATION.split.coarseUnits) {
    least = Math.min(least, boundOfFewUnits(lanes, wholeAsDouble, enough));
  }
  if (!lanes.every(isConcave)) return null;
  const proved = BigInt(Math.ceil(least * (1 + FLOAT_SLACK)));
  // If the split pays more than the bound, rounding was larger than counted, and nothing is proved.
  return proved < paid ? null : proved;
}

/**
 * The bound of a position of few units: one unit is worth more than the allowed gap, so that the bound has
 * to know how much rounding took from each payment. The lanes are quoted where a step of their fee ends,
 * because rounding takes the least there, and one unit further, where it takes the most.
 */
function boundOfFewUnits(lanes: readonly SampledLane[], whole: number, enough: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < CALIBRATION.bound.roundsOfFewUnits; round++) {
    const known = countQuotes(lanes);
    const bound = outerBound(lanes.map(withLowestCeilings), whole);
    if (bound === null) break;
    least = Math.min(least, bound.paid * (1 + EXTENSION_SLACK));
    if (least <= enough) break;
    for (const [index, lane] of lanes.entries()) {
      quoteFeeSteps(lane, bound.amounts[index] ?? 0, whole);
    }
    if (countQuotes(lanes) === known) break;
  }
  return least;
}

/** Quotes a lane where a step of its fee ends and where the next one begins, near the amount and farther off. */
function quoteFeeSteps(lane: SampledLane, amount: number, whole: number): void {
  const { inputFeePpm } = lane;
  if (inputFeePpm === 0) return;
  const near = 1_000_000 / inputFeePpm;
  const distances = [0, near, ...CALIBRATION.bound.nearby.map((part) => whole / Number(part))];
  for (const distance of distances) {
    for (const anchor of [amount - distance, amount + distance]) {
      const end = endOfFeeStep(Math.floor(Math.min(anchor, whole)), inputFeePpm);
      for (const at of [end, end + 1]) if (at > 0 && at <= whole) quoteLane(lane, BigInt(at));
    }
  }
}

function isSampled(lane: SampledLane | null): lane is SampledLane {
  return lane !== null;
}

function laneAround(
  route: Route,
  { token, routes, samples }: BoundInput,
  whole: bigint,
): SampledLane | null {
  const [own] = exitLanes([route], []);
  if (own === undefined) return null;
  const { address } = route.pool;
  const used = routes
    .filter(({ legs }) => legs[0]?.pool === address)
    .reduce((sum, { amountIn }) => sum + amountIn, 0n);
  const close = CALIBRATION.bound.nearby.flatMap((part) => [
    used - used / part,
    used + used / part + 1n,
  ]);
  const around = used === 0n ? [] : [...close, used];
  const amounts = [...new Set([...samples, ...around, whole])]
    .filter((amount) => amount > 0n && amount <= whole)
    .toSorted(compareBigints);
  // A transfer fee adds one rounding, in units of the token that have paid the first pool's fee already.
  const { steepest, rounding = 0 } = own.lane;
  const kept = keptOfFirstUnit(route.pool);
  const unit = kept > 0 ? steepest / kept : 0;
  const rounded = token.transferFee === null ? rounding : rounding + unit;
  return sampleLane({ ...own.lane, rounding: rounded }, amounts);
}

/**
 * Quotes the lane at the amount where the bound is reached. Beyond the largest known amount, at most half-way
 * to the smallest refused amount, so that the largest possible amount is found by halving.
 */
function sharpen(lane: SampledLane, amount: number): void {
  const { refusedFrom, amounts } = lane;
  const halfWay = ((amounts.at(-1) ?? 0) + refusedFrom) / 2;
  const whole = BigInt(Math.floor(Math.min(amount, halfWay)));
  if (whole > 0n) quoteLane(lane, whole);
}

/** Beyond the maximum a unit more pays no fee: the lanes then pay more for it, not less. */
function reachesFeeMaximum({ transferFee }: TokenFacts, whole: bigint): boolean {
  return transferFee !== null && whole * BigInt(transferFee.feeBps) > transferFee.maximum * BPS;
}

/** Whether the samples lie on a curve whose slope only falls, but for rounding. */
function isConcave({ amounts, payments, rounding }: SampledLane): boolean {
  for (let index = 2; index < amounts.length; index++) {
    const [x0 = 0, x1 = 0, x2 = 0] = amounts.slice(index - 2);
    const [y0 = 0, y1 = 0, y2 = 0] = payments.slice(index - 2);
    const onChord = y0 + ((y2 - y0) * (x1 - x0)) / (x2 - x0);
    if (y1 < onChord - rounding - FLOAT_SLACK * onChord) return false;
  }
  return true;
}
