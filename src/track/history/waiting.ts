import { STANDARD_LAMPORTS, STANDARD_SIZES } from "#src/measure/assessment.ts";
import { isSizeAllowed } from "#src/measure/ladder.ts";
import type { DayGrid } from "./past-day.ts";
import { SAMPLE_EVERY_MS } from "./sample.ts";

/** Times waited, in seconds. */
export const WAITED_SECONDS = [10, 60, 300] as const;
const WAITING_QUANTILES = [0.01, 0.1, 0.5, 0.9, 0.99] as const;
/** Below so many observations, quantiles are unknown. */
const LEAST_OBSERVATIONS = 200;

/** How the exit of one position changed while one waited, over the token's last day. */
export type WaitingRange = {
  /** Times waited that do not overlap. */
  readonly observations: number;
  /** Percent of what the exit paid before, in the order of `WAITING_QUANTILES`; below 0: it paid less. */
  readonly quantilesPct: readonly number[];
};

/** SOL. */
export const WAITING_SIZES: readonly number[] = STANDARD_SIZES.map(Number);
/** Whether the rule of the family "other" leaves out the size. */
const IS_LEFT_OUT = STANDARD_LAMPORTS.map((lamports) => !isSizeAllowed("other", lamports));

/** By standard size, then by time waited; null: too few observations. */
export function waitingRanges(grid: DayGrid): readonly (readonly (WaitingRange | null)[])[] {
  return WAITING_SIZES.map((_, size) =>
    WAITED_SECONDS.map((seconds) => {
      const waited = (seconds * 1_000) / SAMPLE_EVERY_MS;
      return rangeOf(changesOf(grid, { size, waited }), waited);
    }),
  );
}

export type Waited = {
  /** Index of a standard size. */
  readonly size: number;
  /** Steps of the grid. */
  readonly waited: number;
};

/**
 * The change of an exit, in percent, from every step of the grid to a later one, where both are known.
 * The position keeps its tokens: its worth moves with the mid price.
 */
export function changesOf(grid: DayGrid, { size, waited }: Waited): Float64Array {
  const changes = new Float64Array(grid.steps);
  let count = 0;
  for (let step = 0; step + waited < grid.steps; step++) {
    const later = step + waited;
    const basis = grid.bases[step] ?? 0;
    if (basis === 0 || basis !== grid.bases[later]) continue;
    const before = worthByPaid(grid, size, step);
    const mid = grid.mids[step] ?? Number.NaN;
    if (!Number.isFinite(before) || !(mid > 0)) continue;
    const moved = (grid.mids[later] ?? Number.NaN) / mid;
    const paid = (moved * before) / worthByPaidOfMoved(grid, { size, step: later, moved });
    const isUnknown = Number.isNaN(paid);
    if (isUnknown && grid.sizeRules[later] === 1 && IS_LEFT_OUT[size] === true) continue;
    // What can't be sold any more pays nothing.
    const change = isUnknown ? -100 : 100 * (paid - 1);
    changes[count++] = change;
  }
  return changes.subarray(0, count);
}

/** Null below the least number of observations. @param waited steps that one observation takes */
export function rangeOf(changes: Float64Array, waited: number): WaitingRange | null {
  const observations = Math.floor(changes.length / waited);
  if (observations < LEAST_OBSERVATIONS) return null;
  const quantiles = quantilesOf(changes.toSorted(), WAITING_QUANTILES);
  return { observations, quantilesPct: quantiles.map(roundedPct) };
}

/** A change in percent, rounded to four decimals like the ranges. */
export function roundedPct(change: number): number {
  return Math.round(change * 1e4) / 1e4;
}

/** @param sorted ascending, at least one */
export function quantilesOf(sorted: Float64Array, shares: readonly number[]): readonly number[] {
  const last = sorted.length - 1;
  return shares.map((share) => sorted[Math.min(last, Math.floor(share * sorted.length))] ?? 0);
}

/** What a position of the size is worth, by what it is paid; NaN: it can't be sold whole. */
function worthByPaid({ slippages }: DayGrid, size: number, step: number): number {
  return 1 / (1 - (slippages[size]?.[step] ?? Number.NaN) / 100);
}

/**
 * The same of a position whose worth has moved: on a line through two sizes, as where the product is constant. One that
 * is worth no more than a smaller size is judged by that size.
 */
function worthByPaidOfMoved(
  grid: DayGrid,
  { size, step, moved }: { readonly size: number; readonly step: number; readonly moved: number },
): number {
  const at = (place: number): number => worthByPaid(grid, place, step);
  const worth = moved * (WAITING_SIZES[size] ?? 0);
  let place = WAITING_SIZES.findIndex((other) => other >= worth);
  if (place === -1) place = WAITING_SIZES.length - 1;
  while (place !== size && Number.isNaN(at(place))) place += place < size ? 1 : -1;
  const neighbour = place === 0 ? 1 : place - 1;
  const [from = 0, to = 0] = [WAITING_SIZES[neighbour], WAITING_SIZES[place]];
  const slope = (at(place) - at(neighbour)) / (to - from);
  return Math.max(1, at(place) + (Number.isFinite(slope) ? slope * (worth - to) : 0));
}
