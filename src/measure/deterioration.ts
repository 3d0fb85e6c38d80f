import { CALIBRATION } from "./calibration.ts";
import { logCapacity } from "./capacity-series.ts";
import { addLosses, type Cause, causeOf, type Losses, NO_LOSSES } from "./losses.ts";
import { medianOf } from "./trend.ts";

/** One reading of C10, on every change and at least every 10 s. */
export type CapacitySample = {
  readonly timeMs: number;
  /** SOL; null: nothing is known at this moment, a gap. */
  readonly c10Sol: number | null;
  /**
   * Which series this belongs to. It changes with a migration, a change of source, a pool found
   * late: samples of different bases are never compared.
   */
  readonly basis: number;
  /** What took capacity away since the sample before; null where that is not known. */
  readonly losses: Losses | null;
};

/** Which rule turned the alert on (method.md section 6). */
export type Detector = "jump" | "withdrawal" | "drift";

export type Deterioration = {
  readonly detector: Detector;
  /** The main cause of the fall, and its share; null where no cause is known. */
  readonly cause: { readonly kind: Cause; readonly share: number } | null;
  readonly sinceMs: number;
  /** C10 before the fall and at the alert, SOL, never below 0.01. */
  readonly levelSol: number;
  readonly c10Sol: number;
};

export type DeteriorationChange =
  | { readonly kind: "on"; readonly deterioration: Deterioration }
  | {
      readonly kind: "off";
      /** Back near its level before the fall, or settled where it fell to. */
      readonly reason: "recovered" | "new-normal";
      readonly deterioration: Deterioration;
    };

/** All that the detectors remember of a token: about 600 bytes. Plain data; never changed, replaced. */
export type DeteriorationState = {
  /** When the first sample ever came; null before it. */
  readonly bornMs: number | null;
  readonly basis: number;
  readonly timeMs: number;
  /** ln C10 of the newest sample; null before the first and after a gap. */
  readonly log: number | null;
  /** The highest ln C10 per 10 s, of the last 10 minutes; the newest interval apart. */
  readonly peaks: Float32Array;
  readonly interval: number;
  readonly peak: number;
  /** How much of the fall is beyond what decay and chance explain, and where the fall began. */
  readonly drift: number;
  readonly driftFrom: number;
  /** The same of withdrawn liquidity alone, which no chance explains; put back, it is forgiven. */
  readonly withdrawn: number;
  readonly withdrawnFrom: number;
  readonly losses: Losses;
  /** Of ln C10 per minute, about its drift: half the mean square of differences of changes. */
  readonly variance: number;
  readonly markMs: number;
  readonly markLog: number;
  /** The change up to there, over the root of its minutes; null before the first. */
  readonly markChange: number | null;
  readonly alert: Alert | null;
};

type Alert = {
  readonly deterioration: Deterioration;
  /** ln of the level before the fall; null once the basis has changed: nothing to compare with. */
  readonly level: number | null;
  readonly low: number;
  readonly lowAtMs: number;
};

/** The numbers of the detectors, as others may try them. */
export type DeteriorationRules = Widened<typeof CALIBRATION.deterioration>;
type Widened<T> = { readonly [K in keyof T]: T[K] extends number ? number : Widened<T[K]> };

const { series: SERIES } = CALIBRATION;
const PLACES = CALIBRATION.deterioration.medianWindowMs / SERIES.intervalMs;
const JUMP_PLACES = CALIBRATION.deterioration.jumpWindowMs / SERIES.intervalMs;
const MINUTE_MS = 60_000;

/** A token of which nothing is known yet. */
export function initialDeterioration(): DeteriorationState {
  return {
    bornMs: null,
    basis: 0,
    timeMs: 0,
    log: null,
    peaks: new Float32Array(0),
    interval: 0,
    peak: 0,
    drift: 0,
    driftFrom: 0,
    withdrawn: 0,
    withdrawnFrom: 0,
    losses: NO_LOSSES,
    variance: CALIBRATION.deterioration.drift.startVariance,
    markMs: 0,
    markLog: 0,
    markChange: null,
    alert: null,
  };
}

/**
 * Judges one sample after the others. Samples older than the newest change nothing. After a gap or
 * on another basis the series starts anew: neither is ever a fall; an alert that is on stays on, and
 * ends by its time.
 */
export function applySample(
  state: DeteriorationState,
  sample: CapacitySample,
  rules: DeteriorationRules = CALIBRATION.deterioration,
): { readonly state: DeteriorationState; readonly change: DeteriorationChange | null } {
  if (sample.timeMs < state.timeMs) return { state, change: null };
  const { timeMs } = sample;
  if (sample.c10Sol === null) return endByTime({ ...state, timeMs, log: null }, rules);
  const log = logCapacity(sample.c10Sol);
  if (state.log === null || state.basis !== sample.basis) {
    return turnOff(startAnew(state, sample, log), rules);
  }
  const next = advance(state, { sample, before: state.log, log }, rules);
  if (next.alert !== null) return turnOff(next, rules);
  const found = detect(next, { sample, before: state.log, log }, rules);
  return found === null ? { state: next, change: null } : turnOn(next, found, timeMs, log);
}

function startAnew(
  state: DeteriorationState,
  { timeMs, basis }: CapacitySample,
  log: number,
): DeteriorationState {
  return {
    ...state,
    bornMs: state.bornMs ?? timeMs,
    basis,
    timeMs,
    log,
    peaks: new Float32Array(0),
    interval: Math.floor(timeMs / SERIES.intervalMs),
    peak: log,
    drift: 0,
    driftFrom: log,
    withdrawn: 0,
    withdrawnFrom: log,
    losses: NO_LOSSES,
    markMs: timeMs,
    markLog: log,
    markChange: null,
    alert: state.basis === basis ? state.alert : onOtherBasis(state.alert, log),
  };
}

/** An alert that is on can't recover to a level of another series; new lows are counted from here. */
function onOtherBasis(alert: Alert | null, log: number): Alert | null {
  return alert === null ? null : { ...alert, level: null, low: log };
}

/** A sample with ln C10 before it and at it. */
type Step = { readonly sample: CapacitySample; readonly before: number; readonly log: number };

/** The state after one more comparable sample. */
function advance(
  state: DeteriorationState,
  step: Step,
  { drift: rules }: DeteriorationRules,
): DeteriorationState {
  const { log, before } = step;
  const { timeMs, losses } = step.sample;
  const interval = Math.floor(timeMs / SERIES.intervalMs);
  const isSameInterval = interval === state.interval;
  const minutes = (timeMs - state.timeMs) / MINUTE_MS;
  const decay = rules.allowancePerMinute * minutes;
  const drift = Math.max(0, state.drift + before - log - decay);
  const change = withdrawnIn(step) - Math.max(0, log - before);
  const withdrawn = Math.max(0, state.withdrawn + change - decay);
  return {
    ...state,
    timeMs,
    log,
    peaks: isSameInterval ? state.peaks : shiftPeaks(state, interval),
    interval,
    peak: isSameInterval ? Math.max(state.peak, log) : log,
    drift,
    driftFrom: drift === 0 ? log : state.drift === 0 ? before : state.driftFrom,
    withdrawn,
    withdrawnFrom: withdrawn === 0 ? log : state.withdrawn === 0 ? before : state.withdrawnFrom,
    losses: drift === 0 ? NO_LOSSES : addLosses(state.losses, losses),
    ...(timeMs - state.markMs >= rules.varianceChangeMs ? nextVariance(state, step, rules) : {}),
  };
}

/** What withdrawals took, as far as C10 fell at all: liquidity far from the price is no loss. */
function withdrawnIn({ sample, before, log }: Step): number {
  return Math.max(0, Math.min(sample.losses?.withdrawn ?? 0, before - log));
}

/** The interval that ended joins the others; intervals without a sample stood where it ended. */
function shiftPeaks(state: DeteriorationState, interval: number): Float32Array {
  const passed = Math.min(interval - state.interval, PLACES);
  const kept = state.peaks.subarray(Math.max(0, state.peaks.length + passed - PLACES));
  const peaks = new Float32Array(kept.length + passed);
  peaks.set(kept);
  peaks[kept.length] = state.peak;
  peaks.fill(state.log ?? state.peak, kept.length + 1);
  return peaks;
}

/**
 * The variance after one more change, exponentially weighted. Differences of changes, so that a
 * steady fall does not excuse itself; and each counts as a few standard deviations at most.
 */
function nextVariance(
  state: DeteriorationState,
  { sample, log }: Step,
  rules: DeteriorationRules["drift"],
): Pick<DeteriorationState, "variance" | "markMs" | "markLog" | "markChange"> {
  const minutes = (sample.timeMs - state.markMs) / MINUTE_MS;
  const markChange = (log - state.markLog) / Math.sqrt(minutes);
  const reached = { markMs: sample.timeMs, markLog: log, markChange };
  if (state.markChange === null) return { ...reached, variance: state.variance };
  const square = (markChange - state.markChange) ** 2 / 2;
  const clipped = Math.min(square, rules.varianceClip ** 2 * state.variance);
  const kept = 0.5 ** (minutes / rules.varianceHalfLifeMinutes);
  return { ...reached, variance: Math.max(1e-8, kept * state.variance + (1 - kept) * clipped) };
}

type Found = { readonly detector: Detector; readonly level: number };

function detect(state: DeteriorationState, step: Step, rules: DeteriorationRules): Found | null {
  const { before, log, sample } = step;
  const isYoung = sample.timeMs - (state.bornMs ?? sample.timeMs) < rules.youngMs;
  const recent = Math.max(before, state.peak, ...state.peaks.subarray(-JUMP_PLACES));
  const jumpFallPct = isYoung ? rules.youngJumpFallPct : rules.jumpFallPct;
  const chance = rules.jumpDeviations * Math.sqrt(state.variance);
  if (hasFallen(recent, log, jumpFallPct) && recent - log >= chance) {
    return { detector: "jump", level: recent };
  }
  if (isWithdrawnAtOnce(state, step, rules)) {
    return { detector: "withdrawal", level: before };
  }
  if (state.withdrawn >= rules.drift.withdrawnThreshold) {
    return { detector: "withdrawal", level: state.withdrawnFrom };
  }
  const isDrift = !isYoung && state.drift >= driftThreshold(state.variance, rules.drift);
  return isDrift ? { detector: "drift", level: state.driftFrom } : null;
}

/** Whether this slot's withdrawals took that share of the ten-minute median. */
function isWithdrawnAtOnce(
  state: DeteriorationState,
  step: Step,
  rules: DeteriorationRules,
): boolean {
  const withdrawn = withdrawnIn(step);
  if (withdrawn === 0) return false;
  const median = medianOf(Float32Array.of(...state.peaks, Math.max(step.before, state.peak)));
  const cutSol = Math.exp(step.before) * -Math.expm1(-withdrawn);
  return cutSol >= (Math.exp(median) * rules.withdrawalFallPct) / 100;
}

/** How far a fall must go beyond decay: further on a token that moves more by chance. */
function driftThreshold(variance: number, rules: DeteriorationRules["drift"]): number {
  const { leastThreshold, varianceFactor, allowancePerMinute } = rules;
  return Math.max(leastThreshold, (varianceFactor * variance) / allowancePerMinute);
}

function hasFallen(from: number, to: number, pct: number): boolean {
  return to <= from + Math.log1p(-pct / 100);
}

function turnOn(
  state: DeteriorationState,
  { detector, level }: Found,
  timeMs: number,
  log: number,
): { readonly state: DeteriorationState; readonly change: DeteriorationChange } {
  const deterioration = {
    detector,
    cause: causeOf(state.losses),
    sinceMs: timeMs,
    levelSol: Math.exp(level),
    c10Sol: Math.exp(log),
  };
  const alert = { deterioration, level, low: log, lowAtMs: timeMs };
  return { state: { ...state, alert }, change: { kind: "on", deterioration } };
}

/** Ends the alert where C10 is back, or has stopped falling for long enough. */
function turnOff(
  state: DeteriorationState,
  rules: DeteriorationRules,
): ReturnType<typeof applySample> {
  const { alert, log, timeMs } = state;
  if (alert === null || log === null) return { state, change: null };
  if (alert.level !== null && log >= alert.level + Math.log(rules.recoveredPct / 100)) {
    return ended(state, alert.deterioration, "recovered");
  }
  if (hasFallen(alert.low, log, rules.newLowPct)) {
    return { state: { ...state, alert: { ...alert, low: log, lowAtMs: timeMs } }, change: null };
  }
  return endByTime(state, rules);
}

function endByTime(
  state: DeteriorationState,
  rules: DeteriorationRules,
): ReturnType<typeof applySample> {
  const { alert, timeMs } = state;
  if (alert === null || timeMs - alert.lowAtMs < rules.newNormalMs) return { state, change: null };
  return ended(state, alert.deterioration, "new-normal");
}

/** The level that C10 has now is where the next fall is counted from. */
function ended(
  state: DeteriorationState,
  deterioration: Deterioration,
  reason: "recovered" | "new-normal",
): ReturnType<typeof applySample> {
  const log = state.log ?? state.driftFrom;
  return {
    state: {
      ...state,
      alert: null,
      drift: 0,
      driftFrom: log,
      withdrawn: 0,
      withdrawnFrom: log,
      losses: NO_LOSSES,
      peak: log,
      peaks: new Float32Array(0),
    },
    change: { kind: "off", reason, deterioration },
  };
}
