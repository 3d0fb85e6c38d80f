import type { Confidence } from "#src/measure/finding.ts";
import type { Sample } from "./sample.ts";

export type HistoryQuery = {
  readonly fromMs: number;
  readonly toMs: number;
  /** One point for each step. */
  readonly stepMs: number;
};

/** What was known at the end of one step; nulls where nothing was. */
export type HistoryPoint = {
  readonly atMs: number;
  readonly c10Sol: number | null;
  readonly depthSol: number | null;
  readonly slippagePct: readonly (number | null)[];
  readonly confidence: Confidence | null;
};

/** Points of one answer; longer ranges get longer steps. */
export const MAX_POINTS = 2_000;
/** While a token is live, no two samples are further apart than this: 5 minutes, and some slack. */
const HOLDS_FOR_MS = 330_000;

/** The step that such a query is answered in. */
export function stepOf({ fromMs, toMs, stepMs }: HistoryQuery): number {
  return Math.max(stepMs, Math.ceil((toMs - fromMs) / MAX_POINTS), 1);
}

/**
 * A series on an even grid out of samples that were only kept when something changed: each holds
 * until the next one, but for no longer than samples can be apart. What lies beyond is not known.
 */
export function historyOf(
  samples: readonly Sample[],
  { fromMs, toMs, stepMs }: HistoryQuery,
): readonly HistoryPoint[] {
  const step = stepOf({ fromMs, toMs, stepMs });
  const points: HistoryPoint[] = [];
  let next = 0;
  let held: Sample | null = null;
  for (let atMs = fromMs + step; atMs <= toMs; atMs += step) {
    for (let sample = samples[next]; sample !== undefined; sample = samples[++next]) {
      if (sample.atMs > atMs) break;
      held = sample;
    }
    points.push(pointOf(held !== null && atMs - held.atMs <= HOLDS_FOR_MS ? held : null, atMs));
  }
  return points;
}

function pointOf(sample: Sample | null, atMs: number): HistoryPoint {
  if (sample === null) {
    return { atMs, c10Sol: null, depthSol: null, slippagePct: [], confidence: null };
  }
  const { c10Sol, depthSol, slippagePct, confidence } = sample;
  return { atMs, c10Sol, depthSol, slippagePct, confidence };
}
