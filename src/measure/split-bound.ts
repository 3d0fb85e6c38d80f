import { toNumber } from "#src/units/to-number.ts";
import { CALIBRATION } from "./calibration.ts";
import { exitLanes } from "./exit-lane.ts";
import type { ExitRoute } from "./exit-route.ts";
import { countQuotes, quoteCorners, quoteLane, type SampledLane, sampleLane } from "./lane.ts";
import type { TokenFacts } from "./market.ts";
import { outerBound } from "./outer-bound.ts";
import type { Route } from "./route.ts";

const BPS = 10_000n;
/** Sums of doubles are off by less. */
const FLOAT_SLACK = 1e-12;

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
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < CALIBRATION.bound.rounds; round++) {
    const known = countQuotes(lanes);
    const bound = outerBound(lanes, wholeAsDouble);
    if (bound === null) return null;
    least = Math.min(least, bound.paid);
    if (least <= toNumber(paid) * (1 + CALIBRATION.bound.gap)) break;
    for (const [index, lane] of lanes.entries()) sharpen(lane, bound.amounts[index] ?? 0);
    if (countQuotes(lanes) > known) continue;
    for (const [index, lane] of lanes.entries()) {
      quoteCorners(lane, bound.amounts[index] ?? 0, wholeAsDouble);
    }
    if (countQuotes(lanes) === known) break;
  }
  if (!lanes.every(isConcave)) return null;
  const proved = BigInt(Math.ceil(least * (1 + FLOAT_SLACK)));
  // If the split pays more than the bound, rounding was larger than counted, and nothing is proved.
  return proved < paid ? null : proved;
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
    .toSorted((a, b) => (a < b ? -1 : 1));
  // A transfer fee adds one rounding, in units of the token.
  const { steepest, rounding = 0 } = own.lane;
  const rounded = token.transferFee === null ? rounding : rounding + steepest;
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
