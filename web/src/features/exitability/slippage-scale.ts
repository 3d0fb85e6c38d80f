import { nearestWithin, SIZE_RANGE_SOL } from "../../lib/size-range.ts";
import { STANDARD_SIZES, type StandardSize } from "../../lib/standard-sizes.ts";

/** The slider moves on a logarithm, over all sizes that are measured. */
const STEPS = 500;
const LOG_SMALLEST = Math.log10(SIZE_RANGE_SOL.minimum);
const LOG_LARGEST = Math.log10(SIZE_RANGE_SOL.maximum);

export const SLIDER_STEPS = STEPS;

/** The size at a step of the slider, with two significant digits. */
export function sizeAtStep(step: number): number {
  const size = 10 ** (LOG_SMALLEST + ((LOG_LARGEST - LOG_SMALLEST) * step) / STEPS);
  return nearestWithin(Number(size.toPrecision(2)), SIZE_RANGE_SOL);
}

/** Where a move of the slider ends: at the next size where it would change none, so that each press of a key is one. */
export function stepTo(step: number, from: number): number {
  const size = sizeAtStep(from);
  const towards = step < from ? -1 : 1;
  let to = step;
  while (sizeAtStep(to) === size && to > 0 && to < STEPS) to += towards;
  return to;
}

/** Tokens outside the main families are measured up to this size. */
export const LARGEST_OTHER_SOL = 10;

/** The step that shows a size. */
export function stepOfSize(size: number): number {
  const share = (Math.log10(size) - LOG_SMALLEST) / (LOG_LARGEST - LOG_SMALLEST);
  return Math.round(Math.min(1, Math.max(0, share)) * STEPS);
}

/** The standard size nearest to a size; a tie goes to the larger, as in the contract. */
export function nearestStandardSize(sizeSol: number): StandardSize {
  let nearest: StandardSize = "1";
  for (const size of STANDARD_SIZES)
    if (Math.abs(Number(size) - sizeSol) <= Math.abs(Number(nearest) - sizeSol)) nearest = size;
  return nearest;
}
