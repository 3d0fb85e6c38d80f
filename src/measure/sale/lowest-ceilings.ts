import type { ConcaveSamples } from "./outer-bound.ts";

/** Number of times that the ceilings are lowered from each side. */
const PASSES = 2;

/**
 * The lane with each payment lowered as far as the other samples prove. A payment plus the rounding is a
 * ceiling of the lane's concave curve. A ceiling and a bound of the slope at its sample give a ceiling at
 * every other sample, so a payment that rounding lowered the most, whose ceiling is the curve itself,
 * lowers the ceilings next to it. For few units only: the time grows with the square of the samples.
 *
 * A slope is extended no further than the length of the chord that gave it. So if a lane's rounding is
 * larger than counted, the error of the ceilings is about as large, and not a multiple of it.
 */
export function withLowestCeilings(lane: ConcaveSamples): ConcaveSamples {
  const { amounts, payments, rounding = 0 } = lane;
  // At 0 nothing is rounded.
  const ceilings = payments.map((payment, index) => (index === 0 ? 0 : payment + rounding));
  for (let pass = 0; pass < PASSES; pass++) {
    for (let from = 0; from < amounts.length; from++) lowerAfter(lane, ceilings, from);
    for (let from = amounts.length - 2; from > 0; from--) lowerBefore(lane, ceilings, from);
  }
  return {
    ...lane,
    payments: ceilings.map((ceiling, index) => (index === 0 ? 0 : ceiling - rounding)),
  };
}

/** Lowers the ceilings after a sample by its own, extended along the chords from samples before it. */
function lowerAfter(
  { amounts, payments, steepest }: ConcaveSamples,
  ceilings: number[],
  from: number,
): void {
  const x = amounts[from] ?? 0;
  const y = ceilings[from] ?? 0;
  let slope = steepest;
  let start = 0;
  const slopes: number[] = [];
  for (; start < from; start++) {
    slope = Math.min(slope, (y - (payments[start] ?? 0)) / (x - (amounts[start] ?? 0)));
    slopes.push(slope);
  }
  for (let to = from + 1; to < amounts.length; to++) {
    const distance = (amounts[to] ?? 0) - x;
    while (start > 0 && x - (amounts[start - 1] ?? 0) < distance) start--;
    const reached = y + (slopes[start - 1] ?? steepest) * distance;
    ceilings[to] = Math.min(ceilings[to] ?? 0, reached);
  }
}

/** Lowers the ceilings before a sample by its own, extended along the chords to samples after it. */
function lowerBefore(
  { amounts, payments }: ConcaveSamples,
  ceilings: number[],
  from: number,
): void {
  const x = amounts[from] ?? 0;
  const y = ceilings[from] ?? 0;
  const slopes: number[] = [];
  let slope = 0;
  let end = amounts.length - 1;
  for (; end > from; end--) {
    slope = Math.max(slope, ((payments[end] ?? 0) - y) / ((amounts[end] ?? 0) - x));
    slopes[end] = slope;
  }
  for (let to = from - 1; to > 0; to--) {
    const distance = x - (amounts[to] ?? 0);
    while (end < amounts.length - 1 && (amounts[end + 1] ?? 0) - x < distance) end++;
    const reached = y - (slopes[end + 1] ?? 0) * distance;
    ceilings[to] = Math.min(ceilings[to] ?? 0, reached);
  }
}
