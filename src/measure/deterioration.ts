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
  readonly losses: Losses;
  /** Of the changes from one minute to the next. */
  readonly variance: number;
  readonly minuteMs: number;
  readonly minuteLog: number;
  readonly alert: Alert | null;
};

type Alert = {
  readonly deterioration: Deterioration;
  /** ln of the level before the fall; null once the basis has changed: nothing to compare with. */
  readonly level: number | null;
  readonly low: number;
  readonly lowAtMs: number;
};

const { deterioration: RULES, series: SERIES } = CALIBRATION;
const PLACES = RULES.medianWindowMs / SERIES.intervalMs;
const JUMP_PLACES = RULES.jumpWindowMs / SERIES.intervalMs;
const MINUTE_MS = 60_000;

/** A token of which nothing is known yet. */
export function initialDeterioration(): DeteriorationState {
  return {
    basis: 0,
    timeMs: 0,
    log: null,
    peaks: new Float32Array(0),
    interval: 0,
    peak: 0,
    drift: 0,
    driftFrom: 0,
    losses: NO_LOSSES,
    variance: RULES.drift.startVariance,
    minuteMs: 0,
    minuteLog: 0,
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
): { readonly state: DeteriorationState; readonly change: DeteriorationChange | null } {
  if (sample.timeMs < state.timeMs) return { state, change: null };
  const { timeMs } = sample;
  if (sample.c10Sol === null) return endByTime({ ...state, timeMs, log: null });
  const log = logCapacity(sample.c10Sol);
  if (state.log === null || state.basis !== sample.basis) {
    return turnOff(startAnew(state, sample, log));
  }
  const next = advance(state, sample, state.log, log);
  if (next.alert !== null) return turnOff(next);
  const found = detect(state, next, sample, log);
  return found === null ? { state: next, change: null } : turnOn(next, found, timeMs, log);
}

function startAnew(
  state: DeteriorationState,
  { timeMs, basis }: CapacitySample,
  log: number,
): DeteriorationState {
  return {
    ...state,
    basis,
    timeMs,
    log,
    peaks: new Float32Array(0),
    interval: Math.floor(timeMs / SERIES.intervalMs),
    peak: log,
    drift: 0,
    driftFrom: log,
    losses: NO_LOSSES,
    minuteMs: timeMs,
    minuteLog: log,
    alert: state.basis === basis ? state.alert : onOtherBasis(state.alert, log),
  };
}

/** An alert that is on can't recover to a level of another series; new lows are counted from here. */
function onOtherBasis(alert: Alert | null, log: number): Alert | null {
  return alert === null ? null : { ...alert, level: null, low: log };
}

/** The state after one more comparable sample. */
function advance(
  state: DeteriorationState,
  sample: CapacitySample,
  before: number,
  log: number,
): DeteriorationState {
  const { timeMs } = sample;
  const interval = Math.floor(timeMs / SERIES.intervalMs);
  const isSameInterval = interval === state.interval;
  const passedMinutes = (timeMs - state.timeMs) / MINUTE_MS;
  const withdrawn = (sample.losses?.withdrawn ?? 0) * (RULES.drift.withdrawalWeight - 1);
  const fall = before - log + withdrawn;
  const drift = Math.max(0, state.drift + fall - RULES.drift.allowancePerMinute * passedMinutes);
  const isFalling = drift > 0;
  const isMinuteOver = timeMs - state.minuteMs >= MINUTE_MS;
  return {
    ...state,
    timeMs,
    log,
    peaks: isSameInterval ? state.peaks : shiftPeaks(state, interval),
    interval,
    peak: isSameInterval ? Math.max(state.peak, log) : log,
    drift,
    driftFrom: isFalling && state.drift > 0 ? state.driftFrom : isFalling ? before : log,
    losses: isFalling ? addLosses(state.losses, sample.losses) : NO_LOSSES,
    variance: isMinuteOver ? nextVariance(state, timeMs, log) : state.variance,
    minuteMs: isMinuteOver ? timeMs : state.minuteMs,
    minuteLog: isMinuteOver ? log : state.minuteLog,
  };
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

/** Exponentially weighted; a change above a few standard deviations counts as that many. */
function nextVariance(state: DeteriorationState, timeMs: number, log: number): number {
  const { varianceHalfLifeMinutes, varianceClip } = RULES.drift;
  const minutes = (timeMs - state.minuteMs) / MINUTE_MS;
  const perMinute = (log - state.minuteLog) ** 2 / minutes;
  const clipped = Math.min(perMinute, varianceClip ** 2 * state.variance);
  const kept = 0.5 ** (minutes / varianceHalfLifeMinutes);
  return Math.max(1e-8, kept * state.variance + (1 - kept) * clipped);
}

type Found = { readonly detector: Detector; readonly level: number };

function detect(
  before: DeteriorationState,
  state: DeteriorationState,
  { losses }: CapacitySample,
  log: number,
): Found | null {
  const recent = Math.max(state.peak, ...state.peaks.subarray(-JUMP_PLACES));
  if (hasFallen(recent, log, RULES.jumpFallPct)) return { detector: "jump", level: recent };
  if (losses !== null && losses.withdrawn > 0 && before.log !== null) {
    const median = medianOf(Float32Array.of(...state.peaks, before.peak));
    const cut = Math.exp(before.log) * -Math.expm1(-losses.withdrawn);
    if (cut >= (Math.exp(median) * RULES.withdrawalFallPct) / 100) {
      return { detector: "withdrawal", level: Math.max(median, before.log) };
    }
  }
  const isDrift = state.drift >= driftThreshold(before.variance);
  return isDrift ? { detector: "drift", level: state.driftFrom } : null;
}

/** How far a fall must go beyond decay: further on a token that moves more by chance. */
function driftThreshold(variance: number): number {
  const { leastThreshold, varianceFactor, allowancePerMinute } = RULES.drift;
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
function turnOff(state: DeteriorationState): ReturnType<typeof applySample> {
  const { alert, log, timeMs } = state;
  if (alert === null || log === null) return { state, change: null };
  if (alert.level !== null && log >= alert.level + Math.log(RULES.recoveredPct / 100)) {
    return ended(state, alert.deterioration, "recovered");
  }
  if (hasFallen(alert.low, log, RULES.newLowPct)) {
    return { state: { ...state, alert: { ...alert, low: log, lowAtMs: timeMs } }, change: null };
  }
  return endByTime(state);
}

function endByTime(state: DeteriorationState): ReturnType<typeof applySample> {
  const { alert, timeMs } = state;
  if (alert === null || timeMs - alert.lowAtMs < RULES.newNormalMs) return { state, change: null };
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
      losses: NO_LOSSES,
      peak: log,
      peaks: new Float32Array(0),
    },
    change: { kind: "off", reason, deterioration },
  };
}
