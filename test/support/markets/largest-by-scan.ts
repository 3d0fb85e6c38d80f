import type { Profile } from "#src/measure/assessment.ts";
import type { Market } from "#src/measure/market/market.ts";
import { priceMarket } from "#src/measure/market/priced-market.ts";
import { openExits, paidForPosition } from "#src/measure/sale/exits.ts";
import { positionOf } from "#src/measure/slippage.ts";
import { minBigint } from "#src/units/integer.ts";
import { SOL } from "./markets.ts";

/** The factor between two sizes, and the offset of the first size, from 0 to 1 of a step. */
export type Grid = { readonly step: number; readonly offset: number };

const FINE: Grid = { step: 1.04, offset: 0 };
const SMALLEST_SOL = 0.01;
const LARGEST_SOL = 1_000;

/** What floors and ceilings add up to: where the price hardly moves, they alone decide what passes. */
const ROUNDING_LAMPORTS = 4n;
const ROUNDING_UNITS = 2n;

/**
 * The largest position between 0.01 and 1,000 SOL that loses at most `maxCostPpm`, apart from rounding. Tries
 * the sizes of a grid from above and then halves the interval down to a base unit. 0: there is none.
 */
export function largestByScan(
  market: Market,
  maxCostPpm: bigint,
  profile: Profile,
  grid: Grid = FINE,
): bigint {
  const priced = priceMarket(market);
  const { midPrice } = priced;
  if (midPrice === null || market.token === null) return 0n;
  const { supply } = market.token;
  const exits = openExits(priced, { midPrice, supply });
  const unit = (ROUNDING_UNITS * midPrice.numerator) / midPrice.denominator;
  const rounding = ROUNDING_LAMPORTS + unit;
  const passes = (position: bigint): boolean => {
    const size = (position * midPrice.numerator) / midPrice.denominator;
    const paid = size > 0n ? paidForPosition(exits, position, profile) : null;
    return paid !== null && (size - paid + rounding) * 1_000_000n <= maxCostPpm * size;
  };
  let failing: bigint | null = null;
  for (const sol of sizesOf(grid)) {
    const lamports = BigInt(Math.round(sol * Number(SOL)));
    const position = minBigint(supply, positionOf(lamports, midPrice));
    if (!passes(position)) failing = position;
    else return failing === null ? position : halved(position, failing, passes);
  }
  return 0n;
}

/** Descending, the ends of the range included. */
function* sizesOf({ step, offset }: Grid): Iterable<number> {
  yield LARGEST_SOL;
  for (let sol = LARGEST_SOL / step ** offset; sol > SMALLEST_SOL; sol /= step) {
    if (sol < LARGEST_SOL) yield sol;
  }
  yield SMALLEST_SOL;
}

function halved(from: bigint, to: bigint, passes: (position: bigint) => boolean): bigint {
  let [passing, failing] = [from, to];
  while (failing - passing > 1n) {
    const middle = (passing + failing) / 2n;
    if (passes(middle)) passing = middle;
    else failing = middle;
  }
  return passing;
}
