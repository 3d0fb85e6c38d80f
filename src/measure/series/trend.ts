import { CALIBRATION } from "../calibration.ts";
import { logCapacity } from "./capacity-series.ts";

export type Trend = "improving" | "stable" | "deteriorating";

/**
 * The last half hour of ln C10, in intervals of 10 s. Consecutive equal values are stored as one run, so the
 * next sample of a quiet token changes one number. All samples have the same basis. Advanced in place.
 */
export type TrendWindow = {
  basis: number;
  /** The interval, counted from 1970, of the first sample. */
  first: number;
  /** The interval of the newest sample; before the first sample, the one before `first`. */
  end: number;
  /**
   * The runs in order, each as its value (a 32-bit float; NaN: intervals without a sample) and its last interval. The
   * newest has no last interval: it lasts until `end`. Replaced, never modified.
   */
  runs: readonly number[];
};

const { intervalMs } = CALIBRATION.series;
const PLACES = CALIBRATION.trend.windowMs / intervalMs;
const CHANGE_PLACES = CALIBRATION.trend.changeMs / intervalMs;
/** The samples of the window that is judged, oldest first, and their levels. They are kept to save three allocations. */
const SAMPLE_PLACES = new Float64Array(PLACES);
const SAMPLE_LOGS = new Float64Array(PLACES);
const SAMPLE_LEVELS = new Float64Array(PLACES);

const NONE: readonly number[] = [];

/** A window without samples. */
export function emptyTrendWindow(basis: number): TrendWindow {
  return { basis, first: 0, end: -1, runs: NONE };
}

/**
 * Adds one more sample to the window; a later sample of the same 10 s replaces the one before, and one
 * of another basis starts a new series. An older sample than the newest changes nothing.
 *
 * @param c10Sol null: a gap, in which the earlier samples only grow older
 * @param basis which series this belongs to; samples of different ones are never compared
 */
export function pushTrendSample(
  window: TrendWindow,
  sample: { readonly timeMs: number; readonly c10Sol: number | null; readonly basis: number },
): void {
  const { c10Sol, basis } = sample;
  const interval = Math.floor(sample.timeMs / intervalMs);
  if (window.basis !== basis) clear(window, basis);
  if (c10Sol === null) {
    if (!isEmpty(window)) trim(window, interval);
    return;
  }
  if (!isEmpty(window) && interval < window.end) return;
  if (!isEmpty(window) && interval === window.end) removeNewest(window);
  add(window, interval, Math.fround(logCapacity(c10Sol)));
  trim(window, interval);
}

function isEmpty({ runs }: TrendWindow): boolean {
  return runs.length === 0;
}

function clear(window: TrendWindow, basis: number): void {
  window.basis = basis;
  window.first = 0;
  window.end = -1;
  window.runs = NONE;
}

/** @param interval after the newest */
function add(window: TrendWindow, interval: number, log: number): void {
  const { end, runs } = window;
  window.end = interval;
  if (isEmpty(window)) {
    window.first = interval;
    window.runs = [log];
  } else if (end < interval - 1) {
    window.runs = runs.concat(end, Number.NaN, interval - 1, log);
  } else if (runs.at(-1) !== log) {
    window.runs = runs.concat(end, log);
  }
}

/** Removes the last interval. */
function removeNewest(window: TrendWindow): void {
  const { first, runs } = window;
  window.end--;
  if ((runs.at(-2) ?? first - 1) < window.end) return;
  window.runs = runs.slice(0, -2);
}

/** Removes intervals that are half an hour older than `now`, and those before the first sample. */
function trim(window: TrendWindow, now: number): void {
  const { basis, end, runs } = window;
  let first = Math.max(window.first, now - PLACES + 1);
  if (first > end) {
    clear(window, basis);
    return;
  }
  let old = 0;
  for (; old + 1 < runs.length; old += 2) {
    const last = runs[old + 1] ?? 0;
    if (last >= first && !Number.isNaN(runs[old])) break;
    first = Math.max(first, last + 1);
  }
  window.first = first;
  if (old === 0) return;
  window.runs = runs.slice(old);
}

/** Seconds between the oldest and the newest sample of the window; 0 where there are fewer than two. */
export function trendSpanSeconds({ first, end }: TrendWindow): number {
  return (Math.max(0, end - first) * intervalMs) / 1_000;
}

/**
 * Where C10 is heading (method.md section 5): the Theil-Sen slope of its logarithm, where that is
 * steep enough and the net change is more than chance gives a random walk of the same one-minute
 * changes. Stable where less than 5 minutes are known.
 *
 * Costs some microseconds where the change is not significant, some tens where it is.
 */
export function trendOf(window: TrendWindow): Trend {
  const { leastSpanMs, significance, slopePctPerHour } = CALIBRATION.trend;
  if (trendSpanSeconds(window) * 1_000 < leastSpanMs) return "stable";
  const change = (window.runs.at(-1) ?? 0) - (window.runs[0] ?? 0);
  // Most tokens are quiet most of the time: a flat series needs no further computation.
  if (change === 0) return "stable";
  const count = readSamples(window);
  if (Math.abs(change) < significance * Math.sqrt(summedSquares(count))) return "stable";
  const perInterval = (pct: number) => Math.log1p(pct / 100) * (intervalMs / 3_600_000);
  if (change > 0) {
    const rise = { sign: 1, slope: perInterval(slopePctPerHour) } as const;
    return isMedianSlopeAbove(count, rise) ? "improving" : "stable";
  }
  const fall = { sign: -1, slope: -perInterval(-slopePctPerHour) } as const;
  return isMedianSlopeAbove(count, fall) ? "deteriorating" : "stable";
}

/** Writes the window's samples, of which there are at most `PLACES`, into the arrays above. @returns their number */
function readSamples({ first, end, runs }: TrendWindow): number {
  let count = 0;
  let place = first;
  for (let run = 0; run < runs.length; run += 2) {
    const log = runs[run] ?? Number.NaN;
    const last = runs[run + 1] ?? end;
    for (; place <= last; place++) {
      if (Number.isNaN(log)) continue;
      SAMPLE_PLACES[count] = place;
      SAMPLE_LOGS[count] = log;
      count++;
    }
  }
  return count;
}

/** Of the samples' changes from minute to minute, ending at the newest sample and leaving none out. */
function summedSquares(count: number): number {
  let sum = 0;
  let lastPlace = SAMPLE_PLACES[count - 1] ?? 0;
  let lastLog = SAMPLE_LOGS[count - 1] ?? 0;
  for (let index = count - 2; index >= 0; index--) {
    const place = SAMPLE_PLACES[index] ?? 0;
    if (lastPlace - place < CHANGE_PLACES && index > 0) continue;
    const log = SAMPLE_LOGS[index] ?? 0;
    sum += (lastLog - log) ** 2;
    lastPlace = place;
    lastLog = log;
  }
  return sum;
}

/**
 * Whether the Theil-Sen slope, the median of the slopes between all pairs of samples, is at least
 * `slope` per interval: that is, whether at least half of the pairs are that steep.
 *
 * @param sign -1: the samples are mirrored first, so that their falls become rises
 */
function isMedianSlopeAbove(
  count: number,
  { sign, slope }: { readonly sign: 1 | -1; readonly slope: number },
): boolean {
  // On a line of that slope all of these are equal.
  for (let index = 0; index < count; index++)
    SAMPLE_LEVELS[index] = sign * (SAMPLE_LOGS[index] ?? 0) - slope * (SAMPLE_PLACES[index] ?? 0);
  let steeper = 0;
  for (let later = 1; later < count; later++) {
    const level = SAMPLE_LEVELS[later] ?? 0;
    for (let earlier = 0; earlier < later; earlier++) {
      if (level >= (SAMPLE_LEVELS[earlier] ?? 0)) steeper++;
    }
  }
  return 4 * steeper >= count * (count - 1);
}

/** The median, the mean of the middle two where they are even in number. Reorders nothing outside. */
export function medianOf(values: Float64Array | Float32Array): number {
  const sorted = values.toSorted();
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}
