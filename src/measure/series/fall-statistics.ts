import { CALIBRATION, type DeteriorationRules } from "../calibration.ts";
import { advanceHeld, copyHeld, type HeldLevel, heldOf, startHeld } from "./held-level.ts";
import { shiftRing } from "./interval-ring.ts";
import type { Losses } from "./losses.ts";
import { numberRecord } from "./number-record.ts";
import { medianOf } from "./trend.ts";

const NUMBERS = [
  "timeMs",
  /** ln C10 as far as it has lasted a minute. */
  "log",
  "interval",
  /** The highest level of the interval. */
  "peak",
  /** How much of the fall is beyond a slow decay, and ln C10 where that fall began. */
  "slowSum",
  "slowFrom",
  /** Beyond a fast decay. */
  "fastSum",
  "fastFrom",
  /** Of withdrawn liquidity alone, which is never random; liquidity put back is subtracted. */
  "withdrawnSum",
  "withdrawnFrom",
  /** Of ln C10 per minute, about its drift: half the mean square of differences of changes. */
  "variance",
  /** How many differences it rests on. */
  "differences",
  "markMs",
  "markLog",
  /** The change up to there, over the root of its minutes; NaN before the first. */
  "markChange",
] as const;

/**
 * What the detectors know of a series of ln C10. All of them judge the level that has lasted a minute,
 * so that liquidity added and removed at once is not a fall. Each sum is one-sided and cumulative: of falls, each less
 * what is allowed for its time, and never below 0. Advanced in place, in constant memory.
 */
export class FallStatistics extends numberRecord(NUMBERS) {
  readonly held: HeldLevel;
  /**
   * The highest level per 10 s of the last 10 minutes, by interval modulo its length, NaN where
   * there is none. The place of the newest interval means nothing until the interval has ended.
   */
  readonly peaks: number[];

  constructor(
    numbers: Readonly<Record<(typeof NUMBERS)[number], number>>,
    { held, peaks }: { readonly held: HeldLevel; readonly peaks: number[] },
  ) {
    super(numbers);
    this.held = held;
    this.peaks = peaks;
  }
}

/** The next reading of the same series. */
export type NextReading = {
  readonly timeMs: number;
  /** ln C10 at this moment. */
  readonly log: number;
  readonly losses: Losses | null;
};

const { series: SERIES, deterioration: WINDOWS } = CALIBRATION;
const PEAKS = { start: 0, length: WINDOWS.medianWindowMs / SERIES.intervalMs };
const JUMP_PLACES = WINDOWS.jumpWindowMs / SERIES.intervalMs;
const MINUTE_MS = 60_000;

/** A series that begins here. How wild the token is may be known from another one. */
export function startStatistics(
  timeMs: number,
  log: number,
  variance: number,
  held: HeldLevel = startHeld(timeMs, log),
): FallStatistics {
  return new FallStatistics(
    {
      ...{ timeMs, log, peak: log, interval: Math.floor(timeMs / SERIES.intervalMs) },
      ...{ slowSum: 0, slowFrom: log, fastSum: 0, fastFrom: log },
      ...{ withdrawnSum: 0, withdrawnFrom: log },
      ...{ variance, differences: 0, markMs: timeMs, markLog: log, markChange: Number.NaN },
    },
    { held, peaks: Array.from({ length: PEAKS.length }, () => Number.NaN) },
  );
}

export function copyStatistics(statistics: FallStatistics): FallStatistics {
  const { held, peaks } = statistics;
  return new FallStatistics(statistics, { held: copyHeld(held), peaks: [...peaks] });
}

/** Adds one more reading, no older than the newest. */
export function advanceStatistics(
  statistics: FallStatistics,
  { timeMs, log: read, losses }: NextReading,
  { drift: rules }: DeteriorationRules,
): void {
  const before = statistics.log;
  const minutes = (timeMs - statistics.timeMs) / MINUTE_MS;
  advanceHeld(statistics.held, timeMs, read);
  const log = heldOf(statistics.held);
  notePeak(statistics, Math.floor(timeMs / SERIES.intervalMs), log);
  const fall = before - log;
  const withdrawn = withdrawnBy(before, log, losses) - Math.max(0, -fall);
  const slowly = rules.slowPerMinute * minutes;
  const fast = fall - rules.fastPerMinute * minutes;
  addFalls(
    statistics,
    { before, log },
    { slow: fall - slowly, fast, withdrawn: withdrawn - slowly },
  );
  statistics.timeMs = timeMs;
  statistics.log = log;
  if (timeMs - statistics.markMs >= rules.varianceChangeMs) nextVariance(statistics, rules);
}

/** Intervals without a reading have the level at the end of the one before. */
function notePeak(statistics: FallStatistics, interval: number, log: number): void {
  const { peak, interval: from } = statistics;
  if (interval === from) {
    statistics.peak = Math.max(peak, log);
    return;
  }
  shiftRing(statistics.peaks, PEAKS, { from, to: interval }, { first: peak, rest: statistics.log });
  statistics.interval = interval;
  statistics.peak = log;
}

type Levels = { readonly before: number; readonly log: number };

/** @param beyond what the level fell, less what is allowed for the time, for each sum */
function addFalls(
  statistics: FallStatistics,
  levels: Levels,
  beyond: { readonly slow: number; readonly fast: number; readonly withdrawn: number },
): void {
  const { slowSum, slowFrom, fastSum, fastFrom, withdrawnSum, withdrawnFrom } = statistics;
  statistics.slowSum = Math.max(0, slowSum + beyond.slow);
  statistics.slowFrom = startOfFall(slowSum, statistics.slowSum, slowFrom, levels);
  statistics.fastSum = Math.max(0, fastSum + beyond.fast);
  statistics.fastFrom = startOfFall(fastSum, statistics.fastSum, fastFrom, levels);
  statistics.withdrawnSum = Math.max(0, withdrawnSum + beyond.withdrawn);
  statistics.withdrawnFrom = startOfFall(
    withdrawnSum,
    statistics.withdrawnSum,
    withdrawnFrom,
    levels,
  );
}

/** Where the fall of a sum began: here if there is none, at the level before if it is new. */
function startOfFall(sumBefore: number, sum: number, from: number, levels: Levels): number {
  if (sum === 0) return levels.log;
  return sumBefore === 0 ? levels.before : from;
}

/** What withdrawals took, as far as the level fell at all: liquidity that did not last is not a loss. */
export function withdrawnBy(before: number, log: number, losses: Losses | null): number {
  return Math.max(0, Math.min(losses?.withdrawn ?? 0, before - log));
}

/** The highest ln C10 of the last minute, the interval before it included. */
export function recentPeak({ peak, peaks, interval }: FallStatistics): number {
  let highest = peak;
  for (let back = 1; back <= JUMP_PLACES; back++) {
    const earlier = peaks[(interval - back + PEAKS.length) % PEAKS.length] ?? Number.NaN;
    if (earlier > highest) highest = earlier;
  }
  return highest;
}

/** The median of ln C10 over the last ten minutes, as far as they are known. */
export function medianPeak({ peak, peaks, interval }: FallStatistics): number {
  const newest = interval % PEAKS.length;
  const known = peaks.filter((earlier, place) => place !== newest && !Number.isNaN(earlier));
  return medianOf(Float64Array.of(...known, peak));
}

/**
 * The variance after one more change, exponentially weighted, the first ones more: what a token was
 * taken for before anything was known of it is soon forgotten. Differences of changes, so that a
 * steady fall does not excuse itself; and each counts as a few standard deviations at most.
 */
function nextVariance(statistics: FallStatistics, rules: DeteriorationRules["drift"]): void {
  const { timeMs, log, variance, differences, markChange: changeBefore } = statistics;
  const minutes = (timeMs - statistics.markMs) / MINUTE_MS;
  const markChange = (log - statistics.markLog) / Math.sqrt(minutes);
  statistics.markMs = timeMs;
  statistics.markLog = log;
  statistics.markChange = markChange;
  if (Number.isNaN(changeBefore)) return;
  const square = (markChange - changeBefore) ** 2 / 2;
  const clipped = Math.min(square, rules.varianceClip ** 2 * variance);
  const aged = 0.5 ** (minutes / rules.varianceHalfLifeMinutes);
  const known = differences + rules.startDifferences;
  const kept = Math.min(aged, known / (known + 1));
  statistics.variance = Math.max(1e-8, kept * variance + (1 - kept) * clipped);
  statistics.differences = differences + 1;
}
