import type { Confidence } from "#src/measure/finding.ts";
import type { Sample } from "./sample.ts";

export type HistoryQuery = {
  readonly fromMs: number;
  readonly toMs: number;
  /** One point per step. */
  readonly stepMs: number;
};

/** The values known at the end of one step; null where none was known. */
export type HistoryPoint = {
  readonly atMs: number;
  readonly c10Sol: number | null;
  readonly depthSol: number | null;
  /** SOL per whole token. */
  readonly mid: number | null;
  readonly slippagePct: readonly (number | null)[];
  readonly confidence: Confidence | null;
};

/** Maximum points of one answer; longer ranges get longer steps. */
export const MAX_POINTS = 2_000;
/** Samples of a tracked token are at most this far apart: 5 minutes and some margin. */
export const HOLDS_FOR_MS = 330_000;

/** The step of the answer. */
export function stepOf({ fromMs, toMs, stepMs }: HistoryQuery): number {
  return Math.max(stepMs, Math.ceil((toMs - fromMs) / MAX_POINTS), 1);
}

/**
 * A series on an even grid from samples that are stored on change only: each holds until the next
 * sample, but at most for the maximum distance of samples. After that, the value is unknown.
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
    return { atMs, c10Sol: null, depthSol: null, mid: null, slippagePct: [], confidence: null };
  }
  const { c10Sol, depthSol, mid, slippagePct, confidence } = sample;
  return { atMs, c10Sol, depthSol, mid, slippagePct, confidence };
}
