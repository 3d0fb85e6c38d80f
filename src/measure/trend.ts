import { CALIBRATION } from "./calibration.ts";
import { logCapacity } from "./capacity-series.ts";

export type Trend = "improving" | "stable" | "deteriorating";

/**
 * The last half hour of ln C10, one place per 10 s: 720 bytes a token. Only samples of one basis
 * are in it; a place without a sample holds NaN.
 */
export type TrendWindow = {
  readonly basis: number;
  /** The interval, counted from 1970, that the last place stands for. */
  readonly interval: number;
  /** By interval modulo its length. Never changed once made. */
  readonly logs: Float32Array;
};

const { intervalMs } = CALIBRATION.series;
const PLACES = CALIBRATION.trend.windowMs / intervalMs;
const CHANGE_PLACES = CALIBRATION.trend.changeMs / intervalMs;

/** A window without samples. */
export function emptyTrendWindow(basis: number): TrendWindow {
  return { basis, interval: 0, logs: new Float32Array(PLACES).fill(Number.NaN) };
}

/**
 * The window with one more sample; a later sample of the same 10 s replaces the one before, and one
 * of another basis starts a new series. An older sample than the newest changes nothing.
 *
 * @param c10Sol null: a gap, which leaves the places as they are
 * @param basis which series this belongs to; samples of different ones are never compared
 */
export function pushTrendSample(
  window: TrendWindow,
  sample: { readonly timeMs: number; readonly c10Sol: number | null; readonly basis: number },
): TrendWindow {
  const { c10Sol, basis } = sample;
  const interval = Math.floor(sample.timeMs / intervalMs);
  const start = window.basis === basis ? window : emptyTrendWindow(basis);
  if (c10Sol === null) return start;
  if (interval < start.interval) return start;
  const logs = new Float32Array(start.logs);
  const skipped = Math.min(interval - start.interval, PLACES);
  for (let back = 0; back < skipped; back++) logs[(interval - back) % PLACES] = Number.NaN;
  logs[interval % PLACES] = logCapacity(c10Sol);
  return { basis, interval, logs };
}

/** Seconds between the oldest and the newest sample of the window; 0 where there are fewer than two. */
export function trendSpanSeconds(window: TrendWindow): number {
  const { places } = samplesOf(window);
  const first = places[0] ?? 0;
  return (((places.at(-1) ?? first) - first) * intervalMs) / 1_000;
}

/**
 * Where C10 is heading (method.md section 5): the Theil-Sen slope of its logarithm, where that is
 * steep enough and the net change is more than chance gives a random walk of the same one-minute
 * changes. Stable where less than 5 minutes are known.
 *
 * Costs some microseconds where the change is not significant, some tens where it is.
 */
export function trendOf(window: TrendWindow): Trend {
  const { places, logs } = samplesOf(window);
  const { leastSpanMs, significance, slopePctPerHour } = CALIBRATION.trend;
  if (trendSpanSeconds(window) * 1_000 < leastSpanMs) return "stable";
  const change = (logs.at(-1) ?? 0) - (logs[0] ?? 0);
  // Most tokens are quiet most of the time: a flat series is detected without its slopes.
  if (change === 0 || Math.abs(change) < significance * Math.sqrt(summedSquares(places, logs)))
    return "stable";
  const perInterval = (pct: number) => Math.log1p(pct / 100) * (intervalMs / 3_600_000);
  if (change > 0) {
    return isMedianSlopeAbove(places, logs, perInterval(slopePctPerHour)) ? "improving" : "stable";
  }
  const mirrored = logs.map((log) => -log);
  const fall = -perInterval(-slopePctPerHour);
  return isMedianSlopeAbove(places, mirrored, fall) ? "deteriorating" : "stable";
}

type Samples = { readonly places: readonly number[]; readonly logs: readonly number[] };

function samplesOf({ interval, logs }: TrendWindow): Samples {
  const places: number[] = [];
  const found: number[] = [];
  for (let place = Math.max(0, interval - PLACES + 1); place <= interval; place++) {
    const log = logs[place % PLACES] ?? Number.NaN;
    if (Number.isNaN(log)) continue;
    places.push(place);
    found.push(log);
  }
  return { places, logs: found };
}

/** Of the changes from minute to minute, ending at the newest sample and leaving none out. */
function summedSquares(places: readonly number[], logs: readonly number[]): number {
  let sum = 0;
  let lastPlace = places.at(-1) ?? 0;
  let lastLog = logs.at(-1) ?? 0;
  for (let index = places.length - 2; index >= 0; index--) {
    const place = places[index] ?? 0;
    if (lastPlace - place < CHANGE_PLACES && index > 0) continue;
    const log = logs[index] ?? 0;
    sum += (lastLog - log) ** 2;
    lastPlace = place;
    lastLog = log;
  }
  return sum;
}

/**
 * Whether the Theil-Sen slope, the median of the slopes between all pairs of samples, is at least
 * `slope` per interval: that is, whether at least half of the pairs are that steep.
 */
function isMedianSlopeAbove(
  places: readonly number[],
  logs: readonly number[],
  slope: number,
): boolean {
  const count = places.length;
  // On a line of that slope all of these are equal.
  const levels = Float64Array.from(logs, (log, index) => log - slope * (places[index] ?? 0));
  let steeper = 0;
  for (let later = 1; later < count; later++) {
    const level = levels[later] ?? 0;
    for (let earlier = 0; earlier < later; earlier++) {
      if (level >= (levels[earlier] ?? 0)) steeper++;
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
