import { LAMPORTS_PER_SOL } from "#src/units/amounts.ts";
import { maxBigint } from "#src/units/integer.ts";
import { isMoney } from "#src/units/known-addresses.ts";
import { toNumber } from "#src/units/to-number.ts";
import { type Ladder, type Measurement, type Profile, STANDARD_SIZES } from "../assessment.ts";
import { CALIBRATION } from "../calibration.ts";
import { exitMaxOf, scoreOf, slippageAtSize } from "../ladder.ts";
import { priceNumber } from "../market/price-curve.ts";
import type { PricedMarket } from "../market/priced-market.ts";
import { depthTogether, nearDepthAlone, type Route, routeAtShare } from "../market/route.ts";

/** How far the answer would move if the prices that a small part of the near depth states were not there. */
export type PriceDoubt = {
  /** Points of the score, of the profile that moves more. */
  readonly scorePoints: number;
  readonly movesExitMax: boolean;
};

/** What could be wrong with the prices of a market, as shares of the mid, and in SOL. */
type Suspicion = {
  /** So far below and above the mid are the medians with a few percent of the near depth less. */
  readonly below: number;
  readonly above: number;
  /** What bids above the mid pay beyond it. */
  readonly overpaidSol: number;
  /** What routes that hold more than an attacker may can pay in all; Infinity where there are no others. */
  readonly majorSol: number;
  /** What of the others one attacker may have: a sale that is paid no more may be theirs alone. */
  readonly minorSol: number;
};

type Slippages = Ladder["slippagesPct"];

const PERCENT = 100n;
const SOL = toNumber(LAMPORTS_PER_SOL);
/** Who pays so much of what it has is exhausted: a pool without an end never comes so far. */
const NEARLY_ALL = 0.97;

/**
 * What of the answer rests on prices that an attacker can state for 5 % of the near depth (method.md
 * section 7): the mid where it is close to another pool's spot, bids above the mid, which pay until
 * they are arbitraged, and small pools that take what the others refuse. An upper bound from the slippages; nothing is quoted.
 */
export function priceDoubtOf(priced: PricedMarket, measurement: Measurement): PriceDoubt {
  const suspicion = suspicionOf(priced);
  if (suspicion === null) return { scorePoints: 0, movesExitMax: false };
  const retailWithout = retailWithoutMinor(measurement.retail, suspicion);
  const retail = doubtOf(measurement.retail, "retail", {
    better: (pct) => shifted(pct, -suspicion.below),
    worse: (_, index) => shifted(retailWithout[index] ?? null, suspicion.above),
  });
  const withoutMinor = slippagesWithout(measurement.pro, retailWithout, suspicion);
  const pro = doubtOf(measurement.pro, "pro", {
    better: (pct) => shifted(pct, -suspicion.below),
    worse: (_, index) => shifted(withoutMinor[index] ?? null, suspicion.above),
  });
  return {
    scorePoints: Math.max(retail.scorePoints, pro.scorePoints),
    movesExitMax: retail.movesExitMax || pro.movesExitMax,
  };
}

function suspicionOf({ routes: answered, midRoute }: PricedMarket): Suspicion | null {
  const spot = midRoute?.spotPrice ?? null;
  // Alone, a route can't disagree with the mid, and nothing else takes what it refuses.
  if (midRoute === null || spot === null || answered.length === 1) return null;
  const mid = priceNumber(spot);
  const routes = withDepthWithinFees(answered, mid * (1 - midRoute.feeShare));
  const { doubtfulShareOfNearPct, disagreementMediumPct } = CALIBRATION.confidence;
  const medians = [answered, routes].flatMap((weighed) =>
    [PERCENT - doubtfulShareOfNearPct, PERCENT + doubtfulShareOfNearPct].map((sharePct) => {
      const other = routeAtShare(weighed, { numerator: sharePct, denominator: 2n * PERCENT });
      return other?.spotPrice == null ? mid : priceNumber(other.spotPrice);
    }),
  );
  const whole = routes.reduce((sum, route) => sum + route.nearDepthLamports, 0n);
  const isMinor = ({ depthLamports }: Route): boolean =>
    depthLamports * PERCENT <= whole * doubtfulShareOfNearPct;
  const minor = routes.filter((route) => route.depthLamports > 0n && isMinor(route));
  const keptAtMid = mid * (1 - midRoute.feeShare);
  const overpaidLamports = routes.reduce((sum, route) => {
    const { spotPrice, nearDepthLamports, feeShare } = route;
    if (spotPrice === null || nearDepthLamports === 0n) return sum;
    const price = priceNumber(spotPrice);
    const explained = Math.abs(feeShare - midRoute.feeShare) + disagreementMediumPct / 100;
    const [above, honest] = isMinor(route)
      ? [1 - keptAtMid / (price * (1 - feeShare)), 0]
      : [1 - mid / price, explained];
    return above <= honest ? sum : sum + above * toNumber(nearDepthLamports);
  }, 0);
  const suspicion = {
    below: Math.max(0, 1 - Math.min(...medians) / mid),
    above: Math.max(0, Math.max(...medians) / mid - 1),
    overpaidSol: overpaidLamports / SOL,
    majorSol: minor.length === 0 ? Number.POSITIVE_INFINITY : majorSolOf(routes, isMinor),
    minorSol: Math.min(
      toNumber(depthTogether(minor)) / SOL,
      (toNumber(whole) / SOL) * (toNumber(doubtfulShareOfNearPct) / 100),
    ),
  };
  const { below, above, overpaidSol } = suspicion;
  const isClear = below === 0 && above === 0 && overpaidSol === 0 && minor.length === 0;
  return isClear ? null : suspicion;
}

/**
 * The routes, each with its near depth without the others if the bid of the mid is not above its ask. Within the fees
 * of a dear pool nothing is arbitraged: a small bid there raises the reference bid, and what the pool pays below the
 * band would else count as nothing beside it. Only where it holds SOL or a stable: of another token, which anyone can
 * make, many pools may share one hop.
 */
function withDepthWithinFees(routes: readonly Route[], bidOfMid: number): readonly Route[] {
  return routes.map((route) => {
    const { pool, spotPrice, feeShare, nearDepthLamports } = route;
    if (spotPrice === null || !isMoney(pool.quoteMint)) return route;
    if (priceNumber(spotPrice) < bidOfMid * (1 - feeShare)) return route;
    return { ...route, nearDepthLamports: maxBigint(nearDepthLamports, nearDepthAlone(route)) };
  });
}

function majorSolOf(routes: readonly Route[], isMinor: (route: Route) => boolean): number {
  const lamports = routes
    .filter((route) => !isMinor(route))
    .reduce(
      (sum, { depthLamports, feeShare }) => sum + toNumber(depthLamports) * (1 - feeShare),
      0,
    );
  return lamports / SOL;
}

/** The slippage of a position of the same size at a mid that is higher by this share. */
function shifted(pct: number | null, higherBy: number): number | null {
  return pct === null ? null : Math.max(0, 100 - (100 - pct) / (1 + higherBy));
}

/**
 * The `retail` slippages without the routes that one attacker may have: a size that these can pay alone counts as the
 * next larger one that they can't.
 */
function retailWithoutMinor(retail: Ladder, { minorSol }: Suspicion): Slippages {
  const without = [...retail.slippagesPct];
  let atLarger: number | null = null;
  for (const size of STANDARD_SIZES.toReversed()) {
    const pct = slippageAtSize(retail, size);
    if (pct === null) continue;
    const paidSol = Number(size) * (1 - pct / 100);
    if (paidSol > minorSol) atLarger = pct;
    else if (atLarger !== null) atLarger = Math.max(pct, atLarger);
    without[STANDARD_SIZES.indexOf(size)] = atLarger;
  }
  return without;
}

/**
 * The `pro` slippages without what was overpaid: no more than `retail` without the same routes, which sells to one
 * pool, and no more than at a larger size. Null where the routes that hold more than an
 * attacker may have no more to pay.
 */
function slippagesWithout(
  pro: Ladder,
  retailWithout: Slippages,
  { overpaidSol, majorSol }: Suspicion,
): Slippages {
  const without = [...pro.slippagesPct];
  let atLarger = Number.POSITIVE_INFINITY;
  for (const size of STANDARD_SIZES.toReversed()) {
    const place = STANDARD_SIZES.indexOf(size);
    const pct = slippageAtSize(pro, size);
    if (pct === null) continue;
    const lost = pct + (100 * overpaidSol) / Number(size);
    const single = retailWithout[place] ?? Number.POSITIVE_INFINITY;
    atLarger = Math.max(pct, Math.min(lost, single, atLarger));
    const paidSol = Number(size) * (1 - pct / 100);
    without[place] = paidSol > NEARLY_ALL * majorSol ? null : atLarger;
  }
  return without;
}

type Shift = (pct: number | null, index: number) => number | null;

function doubtOf(
  { slippagesPct, exitMaxSol }: Pick<Ladder, "slippagesPct" | "exitMaxSol">,
  profile: Profile,
  shifts: { readonly better: Shift; readonly worse: Shift },
): PriceDoubt {
  // Not the ladder's own score, which counts a size that the family's rule leaves out of the slippages.
  const score = scoreOf(slippagesPct, profile);
  let scorePoints = 0;
  let movesExitMax = false;
  for (const shift of [shifts.better, shifts.worse]) {
    const moved = slippagesPct.map(shift);
    scorePoints = Math.max(scorePoints, Math.abs(scoreOf(moved, profile) - score));
    movesExitMax ||= exitMaxOf(moved) !== exitMaxSol;
  }
  return { scorePoints, movesExitMax };
}
