import { CALIBRATION, type DeteriorationRules } from "./calibration.ts";
import type { Losses } from "./losses.ts";
import { medianOf } from "./trend.ts";

/** What the detectors know of a series of ln C10. Plain data; never changed, replaced. */
export type FallStatistics = {
  readonly timeMs: number;
  readonly log: number;
  /**
   * The highest ln C10 per 10 s of the last 10 minutes, by interval modulo its length, NaN where
   * there is none; the newest interval apart.
   */
  readonly peaks: readonly number[];
  readonly interval: number;
  readonly peak: number;
  /** How much of the fall is beyond what decay explains, and the ln C10 where the fall began. */
  readonly drift: number;
  readonly driftFrom: number;
  /** The same of withdrawn liquidity alone, which no chance explains; put back, it is forgiven. */
  readonly withdrawn: number;
  readonly withdrawnFrom: number;
  /** Of ln C10 per minute, about its drift: half the mean square of differences of changes. */
  readonly variance: number;
  readonly markMs: number;
  readonly markLog: number;
  /** The change up to there, over the root of its minutes; null before the first. */
  readonly markChange: number | null;
};

/** The next reading of the same series. */
export type NextReading = {
  readonly timeMs: number;
  readonly log: number;
  readonly losses: Losses | null;
};

const { series: SERIES, deterioration: WINDOWS } = CALIBRATION;
const PLACES = WINDOWS.medianWindowMs / SERIES.intervalMs;
const JUMP_PLACES = WINDOWS.jumpWindowMs / SERIES.intervalMs;
const MINUTE_MS = 60_000;
const NO_PEAKS: readonly number[] = Array.from({ length: PLACES }, () => Number.NaN);

/** A series that begins here. How wild the token is may be known from another one. */
export function startStatistics(timeMs: number, log: number, variance: number): FallStatistics {
  return {
    timeMs,
    log,
    peaks: NO_PEAKS,
    interval: Math.floor(timeMs / SERIES.intervalMs),
    peak: log,
    drift: 0,
    driftFrom: log,
    withdrawn: 0,
    withdrawnFrom: log,
    variance,
    markMs: timeMs,
    markLog: log,
    markChange: null,
  };
}

/** With one more reading, no older than the newest. Constant time and memory. */
export function advanceStatistics(
  before: FallStatistics,
  reading: NextReading,
  { drift: rules }: DeteriorationRules,
): FallStatistics {
  const { timeMs, log } = reading;
  const interval = Math.floor(timeMs / SERIES.intervalMs);
  const isSameInterval = interval === before.interval;
  const decay = (rules.allowancePerMinute * (timeMs - before.timeMs)) / MINUTE_MS;
  const fall = before.log - log;
  const drift = Math.max(0, before.drift + fall - decay);
  const change = withdrawnBy(before, reading) - Math.max(0, -fall);
  const withdrawn = Math.max(0, before.withdrawn + change - decay);
  return {
    ...before,
    timeMs,
    log,
    peaks: isSameInterval ? before.peaks : shiftPeaks(before, interval),
    interval,
    peak: isSameInterval ? Math.max(before.peak, log) : log,
    drift,
    driftFrom: drift === 0 ? log : before.drift === 0 ? before.log : before.driftFrom,
    withdrawn,
    withdrawnFrom:
      withdrawn === 0 ? log : before.withdrawn === 0 ? before.log : before.withdrawnFrom,
    ...(timeMs - before.markMs >= rules.varianceChangeMs
      ? nextVariance(before, reading, rules)
      : {}),
  };
}

/** What withdrawals took, as far as C10 fell at all: liquidity far from the price is no loss. */
export function withdrawnBy(before: FallStatistics, { losses, log }: NextReading): number {
  return Math.max(0, Math.min(losses?.withdrawn ?? 0, before.log - log));
}

/** The highest ln C10 of the last minute, the interval before it included. */
export function recentPeak({ peak, peaks, interval }: FallStatistics): number {
  let highest = peak;
  for (let back = 1; back <= JUMP_PLACES; back++) {
    const earlier = peaks[(interval - back + PLACES) % PLACES] ?? Number.NaN;
    if (earlier > highest) highest = earlier;
  }
  return highest;
}

/** The median of ln C10 over the last ten minutes, as far as they are known. */
export function medianPeak({ peak, peaks }: FallStatistics): number {
  const known = peaks.filter((earlier) => !Number.isNaN(earlier));
  return medianOf(Float64Array.of(...known, peak));
}

/** The interval that ended joins the others; intervals without a reading stood where it ended. */
function shiftPeaks(before: FallStatistics, interval: number): readonly number[] {
  const peaks = before.peaks.slice();
  peaks[before.interval % PLACES] = before.peak;
  const first = Math.max(before.interval + 1, interval - PLACES);
  for (let passed = first; passed < interval; passed++) peaks[passed % PLACES] = before.log;
  // The place of the newest interval holds what is ten minutes old.
  peaks[interval % PLACES] = Number.NaN;
  return peaks;
}

/**
 * The variance after one more change, exponentially weighted. Differences of changes, so that a
 * steady fall does not excuse itself; and each counts as a few standard deviations at most.
 */
function nextVariance(
  before: FallStatistics,
  { timeMs, log }: NextReading,
  rules: DeteriorationRules["drift"],
): Pick<FallStatistics, "variance" | "markMs" | "markLog" | "markChange"> {
  const minutes = (timeMs - before.markMs) / MINUTE_MS;
  const markChange = (log - before.markLog) / Math.sqrt(minutes);
  const reached = { markMs: timeMs, markLog: log, markChange };
  if (before.markChange === null) return { ...reached, variance: before.variance };
  const square = (markChange - before.markChange) ** 2 / 2;
  const clipped = Math.min(square, rules.varianceClip ** 2 * before.variance);
  const kept = 0.5 ** (minutes / rules.varianceHalfLifeMinutes);
  return { ...reached, variance: Math.max(1e-8, kept * before.variance + (1 - kept) * clipped) };
}
