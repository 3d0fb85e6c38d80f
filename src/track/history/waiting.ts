import { STANDARD_SIZES } from "#src/measure/assessment.ts";
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
    const before = keptShare(grid.slippages[size]?.[step] ?? Number.NaN);
    const mid = grid.mids[step] ?? Number.NaN;
    if (!(before > 0) || !(mid > 0)) continue;
    const moved = (grid.mids[later] ?? Number.NaN) / mid;
    const after = moved * keptShare(slippageAt(grid, { size, step: later, moved }));
    // What can't be sold any more pays nothing.
    const change = Number.isFinite(after) ? 100 * (after / before - 1) : -100;
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

/** The slippage of a size whose worth has moved: along the line to the neighbouring size. */
function slippageAt(
  grid: DayGrid,
  { size, step, moved }: { readonly size: number; readonly step: number; readonly moved: number },
): number {
  const slippage = grid.slippages[size]?.[step] ?? Number.NaN;
  const other = moved > 1 && size + 1 < WAITING_SIZES.length ? size + 1 : Math.max(0, size - 1);
  const neighbour = other === size ? size + 1 : other;
  const worth = WAITING_SIZES[size] ?? 0;
  const slope =
    ((grid.slippages[neighbour]?.[step] ?? slippage) - slippage) /
    ((WAITING_SIZES[neighbour] ?? 0) - worth);
  const shifted = slippage + (Number.isNaN(slope) ? 0 : slope) * worth * (moved - 1);
  return Math.min(100, Math.max(0, shifted));
}

function keptShare(slippagePct: number): number {
  return 1 - slippagePct / 100;
}
