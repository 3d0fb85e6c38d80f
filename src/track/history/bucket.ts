import { dayOf } from "#src/platform/clock.ts";
import { HOLDS_FOR_MS, type Sample } from "./sample.ts";

/**
 * The part of a step's samples that is kept: the whole last sample, and the worst of the step. A single
 * sample is a bucket of its own. Buckets can be combined in any order and repeatedly: the buckets of a set
 * of samples do not depend on which parts of the set were combined first.
 */
export type Bucket = {
  readonly last: Sample;
  /** Time of the first sample. */
  readonly firstMs: number;
  /** The lowest known value within the step; null: no value was known. */
  readonly lowestC10Sol: number | null;
  readonly lowestDepthSol: number | null;
  /** At some time within the step, the token was blocked or its last sample had expired. */
  readonly wasUnknown: boolean;
};

/** Step of the samples that are rolled up. */
export const ROLLED_STEP_MS = 300_000;
/** Steps that end at `fromMs` and every `stepMs` before and after it, the end included. */
export type SampleGrid = { readonly fromMs: number; readonly stepMs: number };
export const ROLLED_GRID: SampleGrid = { fromMs: 0, stepMs: ROLLED_STEP_MS };
/**
 * Minimum time for which every sample is kept: past-day.ts compares samples ten seconds apart over a day,
 * and the first of them with a sample up to five and a half minutes older.
 */
const FINE_FOR_MS = 25 * 3_600_000;

/** The first day (whole days since 1970 in UTC) of which every sample is kept. */
export function firstFineDay(nowMs: number): number {
  return dayOf(nowMs - FINE_FOR_MS);
}

/** End of the rolled step that a time belongs to. */
export function rolledEnd(atMs: number): number {
  return Math.ceil(atMs / ROLLED_STEP_MS) * ROLLED_STEP_MS;
}

/** Null only where both are unknown. */
export function lower(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.min(a, b);
}

/** Combines two buckets in any order; they may share samples. */
function combined(a: Bucket, b: Bucket): Bucket {
  const [earlier, later] = a.last.atMs <= b.last.atMs ? [a, b] : [b, a];
  return {
    last: later.last,
    firstMs: Math.min(a.firstMs, b.firstMs),
    lowestC10Sol: lower(a.lowestC10Sol, b.lowestC10Sol),
    lowestDepthSol: lower(a.lowestDepthSol, b.lowestDepthSol),
    wasUnknown: a.wasUnknown || b.wasUnknown || later.firstMs - earlier.last.atMs > HOLDS_FOR_MS,
  };
}

/** One bucket for each step of five minutes, ascending; those of the same step are combined. */
export function mergeBuckets(buckets: Iterable<Bucket>): readonly Bucket[] {
  const byEnd = new Map<number, Bucket>();
  for (const bucket of buckets) {
    const end = rolledEnd(bucket.last.atMs);
    const known = byEnd.get(end);
    byEnd.set(end, known === undefined ? bucket : combined(known, bucket));
  }
  return [...byEnd].toSorted(([a], [b]) => a - b).map(([, bucket]) => bucket);
}
