import type { Ratio } from "#src/units/ratio.ts";
import { ratioToNumber, toNumber } from "#src/units/to-number.ts";
import type { QuotablePool } from "#src/venues/quotable-pool.ts";

/**
 * What one direction of a pool, or of several pools in a row, pays until its marginal price has
 * fallen by a share. Doubles: curves weigh routes and pay nothing.
 */
export type PriceCurve = {
  /** Output units per input unit after all fees, for the first unit; above 0. */
  readonly topPrice: number;
  /** Output units after fees, while the price falls by this share (0 to 1) of `topPrice`. */
  readonly paidAtFall: (fall: number) => number;
  /** The same from samples, for searches that ask often. Exact at the samples. */
  readonly estimateAtFall: (fall: number) => number;
};

type Side = Pick<QuotablePool["purchases"], "spotPrice" | "feePpm" | "growingFee" | "reachable">;

const BPS = 10_000;
const PPM = 1_000_000;
/** Falls at which a pool with ticks or bins is sampled before it is asked in between. */
const FIRST_SAMPLES_BPS = [0, 1_000, 5_000, BPS] as const;
/** Samples this far apart, with this share of what is paid between them, are refined. */
const WIDE_BPS = 20;
const WIDE_SHARE = 0.03;
/** A pool is taken for constant product where a third sample differs by rounding alone. */
const SHAPE_TOLERANCE = 1e-6;
const SHAPE_ROUNDING_UNITS = 3;

/** The curve of one direction of a pool; null where it can pay nothing after its fees. */
export function curveOf(side: Side): PriceCurve | null {
  const { spotPrice: spot } = side;
  const kept = 1 - side.feePpm / PPM;
  if (spot === null || kept <= 0) return null;
  const all = toNumber(side.reachable(BPS));
  const topPrice = priceNumber(spot) * kept;
  if (all <= 0 || !(topPrice > 0)) return null;
  const growing = side.growingFee ?? null;
  const reserve = growing === null ? constantProductReserve(side, all) : null;
  if (reserve !== null) {
    const paidAtFall = (fall: number) => kept * Math.min(all, reserve * priceRoot(fall));
    return { topPrice, paidAtFall, estimateAtFall: paidAtFall };
  }
  // Of a fee that grows with the amount, the price counts that of a small sale, and what is paid that of the whole.
  const keptAt = (fallBps: number) =>
    growing === null ? kept : Math.max(0, Math.min(kept, 1 - growing(fallBps) / PPM));
  const reached = (fallBps: number) => keptAt(fallBps) * toNumber(side.reachable(fallBps));
  return {
    topPrice,
    paidAtFall: (fall) => reached(Math.floor(clamp(fall) * BPS)),
    estimateAtFall: sampledCurve(reached),
  };
}

/**
 * Pools in a row: each pays into the next. The price falls in all of them together; what arrives is
 * exact where each is constant product, since such pools in a row are one with a smaller reserve.
 */
export function curvesInRow(curves: readonly PriceCurve[]): PriceCurve | null {
  const [first, ...rest] = curves;
  if (first === undefined) return null;
  return rest.reduce(
    (before, after): PriceCurve => ({
      topPrice: before.topPrice * after.topPrice,
      paidAtFall: (fall) =>
        narrowest(before.paidAtFall(fall) * after.topPrice, after.paidAtFall(fall)),
      estimateAtFall: (fall) =>
        narrowest(before.estimateAtFall(fall) * after.topPrice, after.estimateAtFall(fall)),
    }),
    first,
  );
}

/** Two limits in a row as one: their harmonic sum, below either. */
function narrowest(a: number, b: number): number {
  return a === 0 || b === 0 ? 0 : 1 / (1 / a + 1 / b);
}

/** The share of a constant-product reserve that leaves while the price falls by `fall`. */
function priceRoot(fall: number): number {
  return 1 - Math.sqrt(1 - clamp(fall));
}

function clamp(fall: number): number {
  return Math.min(1, Math.max(0, fall));
}

/** The reserve, virtual part included, where the pool is constant product; else null. */
function constantProductReserve(side: Side, all: number): number | null {
  const near = toNumber(side.reachable(1_000));
  const reserve = near / priceRoot(0.1);
  const half = toNumber(side.reachable(5_000));
  const expected = Math.min(all, reserve * priceRoot(0.5));
  const rounding = SHAPE_ROUNDING_UNITS * (reserve / Math.max(near, 1));
  const isShape = Math.abs(expected - half) <= SHAPE_TOLERANCE * half + rounding;
  return isShape && near < all ? reserve : null;
}

/**
 * Linear between samples in the root of the price, which is exact within one range of liquidity. Where
 * neighbouring samples differ much, the pool is asked in between: a search that closes in on a price
 * so learns what it needs there, and a pool can't hide its depth between two samples.
 */
function sampledCurve(reached: (fallBps: number) => number): (fall: number) => number {
  const falls: number[] = [];
  const paid: number[] = [];
  const sample = (at: number, fallBps: number): number => {
    const value = reached(fallBps);
    falls.splice(at, 0, fallBps);
    paid.splice(at, 0, value);
    return value;
  };
  return (fall) => {
    if (falls.length === 0) for (const fallBps of FIRST_SAMPLES_BPS) sample(falls.length, fallBps);
    const bps = clamp(fall) * BPS;
    const at = Math.max(
      1,
      falls.findIndex((sampled) => sampled >= bps),
    );
    const [from, to] = [falls[at - 1] ?? 0, falls[at] ?? BPS];
    const [low, high] = [paid[at - 1] ?? 0, paid[at] ?? 0];
    const between = Math.floor(bps);
    const isWide = to - from > WIDE_BPS && high - low > WIDE_SHARE * high;
    if (isWide && between > from && between < to) return sample(at, between);
    const start = priceRoot(from / BPS);
    const span = priceRoot(to / BPS) - start;
    return low + ((high - low) * (priceRoot(fall) - start)) / span;
  };
}

/** A price as a double. */
export function priceNumber({ numerator, denominator }: Ratio): number {
  return ratioToNumber(numerator, denominator);
}
