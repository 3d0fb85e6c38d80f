import { quantilesOf } from "#src/track/history/waiting.ts";
import { heldWithin } from "../detection/held-within.ts";

export type Range = readonly [from: number, to: number];

export function widthOf([from, to]: Range): number {
  return to - from;
}

/** The range that leaves out as many changes below as above. */
export function rangeAt(sorted: Float64Array, level: number): Range {
  const [from = 0, to = 0] = quantilesOf(sorted, [(1 - level) / 2, (1 + level) / 2]);
  return [from, to];
}

/** The narrowest range that contains this share of the changes. */
export function narrowestRange(sorted: Float64Array, share: number): Range {
  const count = Math.ceil(share * sorted.length);
  if (count === 0) return [0, 0];
  let narrowest: Range = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let first = 0; first + count <= sorted.length; first++) {
    const range: Range = [sorted[first] ?? 0, sorted[first + count - 1] ?? 0];
    if (widthOf(range) < widthOf(narrowest)) narrowest = range;
  }
  return narrowest;
}

export function heldShare(changes: Float64Array, [from, to]: Range): number {
  return heldWithin(changes, from, to) / changes.length;
}

/**
 * The interval score of Winkler, mean over the changes: the width, and for a change outside 2 / (1 - level)
 * times its distance from the range. The lower the better; the true quantiles have the lowest.
 */
export function intervalScore(changes: Float64Array, [from, to]: Range, level: number): number {
  let outside = 0;
  for (const change of changes) outside += Math.max(0, from - change, change - to);
  return to - from + ((2 / (1 - level)) * outside) / changes.length;
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
