import type { QuotablePool } from "#src/venues/quotable-pool.ts";
import { priceNumber } from "../market/price-curve.ts";
import { keptOfFirstUnit } from "../market/route.ts";

type SpotAndFees = Pick<QuotablePool, "spotPrice" | "feePpm" | "growingFee">;

/** A slope is a bound: fees are rounded up to parts per million. */
const SLACK = 1 + 1e-5;

/** What no unit sold through pools in a row pays more than, as a double. */
export function steepestInRow(sides: readonly SpotAndFees[]): number {
  return sides.reduce((slope, side) => slope * steepestOf(side), SLACK);
}

/** What a first unit pays after fees, as a double. */
export function steepestOf(side: SpotAndFees): number {
  return keptOfFirstUnit(side) * spotOf(side);
}

/** What a first unit pays before fees; 0 where nothing can be sold. */
export function spotOf({ spotPrice }: Pick<SpotAndFees, "spotPrice">): number {
  return spotPrice === null ? 0 : priceNumber(spotPrice);
}
