import { CALIBRATION, type DeteriorationRules } from "./calibration.ts";
import { advanceHeld, type HeldLevel, heldOf, startHeld } from "./held-level.ts";
import { shiftRing } from "./interval-ring.ts";
import type { Losses } from "./losses.ts";
import { medianOf } from "./trend.ts";

/** A one-sided cumulative sum of falls, each less what is allowed for its time; never below 0. */
export type Drift = {
  readonly sum: number;
  /** ln C10 where the fall began. */
  readonly from: number;
};

/**
 * What the detectors know of a series of ln C10. All of them judge the level that has lasted a minute,
 * so that liquidity added and removed at once is not a fall. Plain data; never changed, replaced.
 */
export type FallStatistics = {
  readonly timeMs: number;
  readonly held: HeldLevel;
  /** ln C10 as far as it has lasted a minute. */
  readonly log: number;
  /**
   * The highest level per 10 s of the last 10 minutes, by interval modulo its length, NaN where
   * there is none. The place of the newest interval means nothing until the interval has ended.
   */
  readonly peaks: readonly number[];
  readonly interval: number;
  readonly peak: number;
  /** How much of the fall is beyond a slow decay, and beyond a fast one. */
  readonly slow: Drift;
  readonly fast: Drift;
  /** The same of withdrawn liquidity alone, which is never random; liquidity put back is subtracted. */
  readonly withdrawn: Drift;
  /** Of ln C10 per minute, about its drift: half the mean square of differences of changes. */
  readonly variance: number;
  /** How many differences it rests on. */
  readonly differences: number;
  readonly markMs: number;
  readonly markLog: number;
  /** The change up to there, over the root of its minutes; null before the first. */
  readonly markChange: number | null;
};

/** The next reading of the same series. */
export type NextReading = {
  readonly timeMs: number;
  /** ln C10 at this moment. */
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
    held: startHeld(timeMs, log),
    log,
    peaks: NO_PEAKS,
    interval: Math.floor(timeMs / SERIES.intervalMs),
    peak: log,
    slow: { sum: 0, from: log },
    fast: { sum: 0, from: log },
    withdrawn: { sum: 0, from: log },
    variance,
    differences: 0,
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
  const { timeMs } = reading;
  const held = advanceHeld(before.held, timeMs, reading.log);
  const log = heldOf(held);
  const interval = Math.floor(timeMs / SERIES.intervalMs);
  const isSameInterval = interval === before.interval;
  const minutes = (timeMs - before.timeMs) / MINUTE_MS;
  const fall = before.log - log;
  const withdrawn = withdrawnBy(before, log, reading.losses) - Math.max(0, -fall);
  const slowly = rules.slowPerMinute * minutes;
  const drifted = (drift: Drift, beyond: number): Drift => addFall(drift, beyond, before.log, log);
  return {
    ...before,
    timeMs,
    held,
    log,
    peaks: isSameInterval ? before.peaks : shiftPeaks(before, interval),
    interval,
    peak: isSameInterval ? Math.max(before.peak, log) : log,
    slow: drifted(before.slow, fall - slowly),
    fast: drifted(before.fast, fall - rules.fastPerMinute * minutes),
    withdrawn: drifted(before.withdrawn, withdrawn - slowly),
    ...(timeMs - before.markMs >= rules.varianceChangeMs
      ? nextVariance(before, { timeMs, log }, rules)
      : {}),
  };
}

function addFall(drift: Drift, beyond: number, before: number, log: number): Drift {
  const sum = drift.sum + beyond;
  // Most levels do not change: what stays the same is kept, because a new object is work for the collector.
  if (sum <= 0) return drift.sum === 0 && drift.from === log ? drift : { sum: 0, from: log };
  return { sum, from: drift.sum === 0 ? before : drift.from };
}

/** What withdrawals took, as far as the level fell at all: liquidity that did not last is not a loss. */
export function withdrawnBy(
  before: Pick<FallStatistics, "log">,
  log: number,
  losses: Losses | null,
): number {
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
export function medianPeak({ peak, peaks, interval }: FallStatistics): number {
  const newest = interval % PLACES;
  const known = peaks.filter((earlier, place) => place !== newest && !Number.isNaN(earlier));
  return medianOf(Float64Array.of(...known, peak));
}

/** The interval that ended joins the others; intervals without a reading have the value at its end. */
function shiftPeaks(before: FallStatistics, to: number): readonly number[] {
  const { peaks, interval: from, peak: first, log: rest } = before;
  return shiftRing(peaks, { from, to }, { first, rest });
}

/**
 * The variance after one more change, exponentially weighted, the first ones more: what a token was
 * taken for before anything was known of it is soon forgotten. Differences of changes, so that a
 * steady fall does not excuse itself; and each counts as a few standard deviations at most.
 */
function nextVariance(
  before: FallStatistics,
  { timeMs, log }: Pick<FallStatistics, "timeMs" | "log">,
  rules: DeteriorationRules["drift"],
): Pick<FallStatistics, "variance" | "differences" | "markMs" | "markLog" | "markChange"> {
  const { variance, differences } = before;
  const minutes = (timeMs - before.markMs) / MINUTE_MS;
  const markChange = (log - before.markLog) / Math.sqrt(minutes);
  const reached = { markMs: timeMs, markLog: log, markChange };
  if (before.markChange === null) return { ...reached, variance, differences };
  const square = (markChange - before.markChange) ** 2 / 2;
  const clipped = Math.min(square, rules.varianceClip ** 2 * variance);
  const aged = 0.5 ** (minutes / rules.varianceHalfLifeMinutes);
  const known = differences + rules.startDifferences;
  const kept = Math.min(aged, known / (known + 1));
  const next = Math.max(1e-8, kept * variance + (1 - kept) * clipped);
  return { ...reached, variance: next, differences: differences + 1 };
}
