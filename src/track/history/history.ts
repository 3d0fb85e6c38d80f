import type { Confidence } from "#src/measure/confidence/finding.ts";
import { MS_PER_DAY } from "#src/platform/clock.ts";
import { type Bucket, firstFineDay, lower, ROLLED_STEP_MS } from "./bucket.ts";
import { HOLDS_FOR_MS, SAMPLE_EVERY_MS } from "./sample.ts";

export type HistoryQuery = {
  readonly fromMs: number;
  readonly toMs: number;
  /** One point per step. */
  readonly stepMs: number;
};

/** The grid of an answer, with the finest step that is stored for its whole range. */
export type HistoryGrid = HistoryQuery & { readonly resolutionMs: number };

/** The values known at the end of one step; null where none was known. */
export type HistoryPoint = {
  readonly atMs: number;
  readonly c10Sol: number | null;
  readonly depthSol: number | null;
  /** The lowest known value within the step; null: no value was known. */
  readonly lowestC10Sol: number | null;
  readonly lowestDepthSol: number | null;
  /** Whether C10 was known for the whole step. */
  readonly isWhole: boolean;
  /** SOL per whole token. */
  readonly mid: number | null;
  readonly slippagesPct: readonly (number | null)[];
  readonly confidence: Confidence | null;
};

/** Maximum points of one answer; longer ranges get longer steps. */
export const MAX_POINTS = 2_000;

/**
 * The grid of a query's answer. It ends now at the latest: a sample holds for minutes, but not for
 * times to come. Its steps are longer than requested if it would have too many points. If the range begins
 * where samples may have been rolled up, the grid has whole rolled steps and begins up to five minutes
 * earlier.
 */
export function gridOf(query: HistoryQuery, nowMs: number): HistoryGrid {
  const { fromMs, stepMs } = query;
  const toMs = Math.min(query.toMs, nowMs);
  const step = Math.max(stepMs, Math.ceil((toMs - fromMs) / MAX_POINTS), 1);
  if (fromMs >= firstFineDay(nowMs) * MS_PER_DAY)
    return { fromMs, toMs, stepMs: step, resolutionMs: SAMPLE_EVERY_MS };
  const rolledFromMs = Math.floor(fromMs / ROLLED_STEP_MS) * ROLLED_STEP_MS;
  const least = Math.max(step, (toMs - rolledFromMs) / MAX_POINTS);
  return {
    fromMs: rolledFromMs,
    toMs,
    stepMs: Math.ceil(least / ROLLED_STEP_MS) * ROLLED_STEP_MS,
    resolutionMs: ROLLED_STEP_MS,
  };
}

/**
 * A series on an even grid from samples that are stored on change only: each holds until the next
 * sample, but at most for the maximum distance of samples. After that, the value is unknown.
 *
 * @param buckets ascending; none spans the end of a step
 */
export function historyOf(
  buckets: readonly Bucket[],
  { fromMs, toMs, stepMs }: HistoryQuery,
): readonly HistoryPoint[] {
  const points: HistoryPoint[] = [];
  let next = 0;
  let held: Bucket | null = null;
  for (let atMs = fromMs + stepMs; atMs <= toMs; atMs += stepMs) {
    const startMs = atMs - stepMs;
    const within: Bucket[] = [];
    for (let bucket = buckets[next]; bucket !== undefined; bucket = buckets[++next]) {
      if (bucket.last.atMs > atMs) break;
      if (bucket.last.atMs > startMs) within.push(bucket);
      else held = bucket;
    }
    points.push(pointOf({ held, within, startMs, atMs }));
    held = within.at(-1) ?? held;
  }
  return points;
}

type GridStep = {
  /** The newest bucket before the step. */
  readonly held: Bucket | null;
  readonly within: readonly Bucket[];
  readonly startMs: number;
  readonly atMs: number;
};

function pointOf({ held, within, startMs, atMs }: GridStep): HistoryPoint {
  const atStart = held !== null && startMs - held.last.atMs <= HOLDS_FOR_MS ? held.last : null;
  let lowestC10Sol = atStart?.c10Sol ?? null;
  let lowestDepthSol = atStart?.depthSol ?? null;
  let isWhole = lowestC10Sol !== null;
  let untilMs = held === null ? Number.NEGATIVE_INFINITY : held.last.atMs + HOLDS_FOR_MS;
  for (const { last, firstMs, wasUnknown, ...lowest } of within) {
    isWhole &&= !wasUnknown && firstMs <= untilMs;
    untilMs = last.atMs + HOLDS_FOR_MS;
    lowestC10Sol = lower(lowestC10Sol, lowest.lowestC10Sol);
    lowestDepthSol = lower(lowestDepthSol, lowest.lowestDepthSol);
  }
  const isKnown = atMs <= untilMs;
  const last = isKnown ? ((within.at(-1) ?? held)?.last ?? null) : null;
  return {
    ...{ atMs, lowestC10Sol, lowestDepthSol, isWhole: isWhole && isKnown },
    c10Sol: last?.c10Sol ?? null,
    depthSol: last?.depthSol ?? null,
    mid: last?.mid ?? null,
    slippagesPct: last?.slippagesPct ?? [],
    confidence: last?.confidence ?? null,
  };
}
