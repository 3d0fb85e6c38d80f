import { CALIBRATION, type DeteriorationRules } from "./calibration.ts";
import { logCapacity } from "./capacity-series.ts";
import {
  advanceStatistics,
  type FallStatistics,
  medianPeak,
  type NextReading,
  recentPeak,
  startStatistics,
  withdrawnBy,
} from "./fall-statistics.ts";
import { addLosses, type Cause, causeOf, type Losses, NO_LOSSES } from "./losses.ts";

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

/** All that is remembered of a token: about 900 bytes. Plain data; never changed, replaced. */
export type DeteriorationState = {
  /** When the first sample ever came; null before it. */
  readonly bornMs: number | null;
  readonly timeMs: number;
  readonly basis: number;
  /** Of the series of this basis; null before its first sample, and after a gap. */
  readonly statistics: FallStatistics | null;
  /** How wild the token was when its last series ended. */
  readonly variance: number;
  /** Of the fall that is under way. */
  readonly losses: Losses;
  readonly alert: Alert | null;
};

type Alert = {
  readonly deterioration: Deterioration;
  /** ln of the level before the fall; null once the basis has changed: nothing to compare with. */
  readonly level: number | null;
  readonly low: number;
  readonly lowAtMs: number;
};

type Applied = { readonly state: DeteriorationState; readonly change: DeteriorationChange | null };

/** A token of which nothing is known yet. */
export function initialDeterioration(): DeteriorationState {
  return {
    bornMs: null,
    timeMs: 0,
    basis: 0,
    statistics: null,
    variance: CALIBRATION.deterioration.drift.startVariance,
    losses: NO_LOSSES,
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
): Applied {
  const { timeMs, losses, basis } = sample;
  if (timeMs < state.timeMs) return { state, change: null };
  const before = state.statistics;
  const variance = before?.variance ?? state.variance;
  if (sample.c10Sol === null) {
    return endByTime({ ...state, timeMs, statistics: null, variance }, rules);
  }
  const log = logCapacity(sample.c10Sol);
  if (before === null || state.basis !== basis) {
    const statistics = startStatistics(timeMs, log, variance);
    const alert = state.basis === basis ? state.alert : onOtherBasis(state.alert, log);
    const bornMs = state.bornMs ?? timeMs;
    const started = { ...state, bornMs, timeMs, basis, statistics, losses: NO_LOSSES, alert };
    return turnOff(started, statistics, rules);
  }
  const reading = { timeMs, log, losses };
  const statistics = advanceStatistics(before, reading, rules);
  const isFalling = statistics.slow.sum > 0;
  const next: DeteriorationState = {
    ...state,
    timeMs,
    statistics,
    losses: isFalling ? addLosses(state.losses, losses) : NO_LOSSES,
  };
  if (next.alert !== null) return turnOff(next, statistics, rules);
  const isYoung = timeMs - (state.bornMs ?? timeMs) < rules.youngMs;
  const found = detect({ before, reading, statistics, isYoung }, rules);
  return found === null ? { state: next, change: null } : turnOn(next, found, reading);
}

/** An alert that is on can't recover to a level of another series; new lows are counted from here. */
function onOtherBasis(alert: Alert | null, log: number): Alert | null {
  return alert === null ? null : { ...alert, level: null, low: log };
}

type Step = {
  readonly before: FallStatistics;
  readonly reading: NextReading;
  readonly statistics: FallStatistics;
  readonly isYoung: boolean;
};

type Found = { readonly detector: Detector; readonly level: number };

function detect(step: Step, rules: DeteriorationRules): Found | null {
  const { before, reading, statistics, isYoung } = step;
  const recent = Math.max(before.log, recentPeak(statistics));
  const jumpFallPct = isYoung ? rules.youngJumpFallPct : rules.jumpFallPct;
  const chance = rules.jumpDeviations * Math.sqrt(statistics.variance);
  if (hasFallen(recent, reading.log, jumpFallPct) && recent - reading.log >= chance) {
    return { detector: "jump", level: recent };
  }
  if (isWithdrawnAtOnce(step, rules)) return { detector: "withdrawal", level: before.log };
  const { withdrawn, slow, fast, variance } = statistics;
  if (withdrawn.sum >= rules.drift.withdrawnThreshold) {
    return { detector: "withdrawal", level: withdrawn.from };
  }
  if (isYoung) return null;
  const { slowPerMinute, fastPerMinute } = rules.drift;
  if (slow.sum >= driftThreshold(variance / slowPerMinute, rules.drift)) {
    return { detector: "drift", level: slow.from };
  }
  const isFast = fast.sum >= driftThreshold(variance / fastPerMinute, rules.drift);
  return isFast ? { detector: "drift", level: fast.from } : null;
}

/** Whether this slot's withdrawals took that share of the ten-minute median. */
function isWithdrawnAtOnce({ before, reading }: Step, rules: DeteriorationRules): boolean {
  const withdrawn = withdrawnBy(before, reading);
  if (withdrawn === 0) return false;
  const cutSol = Math.exp(before.log) * -Math.expm1(-withdrawn);
  return cutSol >= (Math.exp(medianPeak(before)) * rules.withdrawalFallPct) / 100;
}

/** How far a fall must go beyond decay: further on a token that moves more by chance. */
function driftThreshold(wildness: number, rules: DeteriorationRules["drift"]): number {
  return Math.max(rules.leastThreshold, rules.varianceFactor * wildness);
}

function hasFallen(from: number, to: number, pct: number): boolean {
  return to <= from + Math.log1p(-pct / 100);
}

function turnOn(
  state: DeteriorationState,
  { detector, level }: Found,
  { timeMs, log }: NextReading,
): Applied {
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
  { log, timeMs }: FallStatistics,
  rules: DeteriorationRules,
): Applied {
  const { alert } = state;
  if (alert === null) return { state, change: null };
  if (alert.level !== null && log >= alert.level + Math.log(rules.recoveredPct / 100)) {
    return ended(state, alert.deterioration, "recovered");
  }
  if (hasFallen(alert.low, log, rules.newLowPct)) {
    return { state: { ...state, alert: { ...alert, low: log, lowAtMs: timeMs } }, change: null };
  }
  return endByTime(state, rules);
}

function endByTime(state: DeteriorationState, rules: DeteriorationRules): Applied {
  const { alert, timeMs } = state;
  if (alert === null || timeMs - alert.lowAtMs < rules.newNormalMs) return { state, change: null };
  return ended(state, alert.deterioration, "new-normal");
}

/** The level that C10 has now is where the next fall is counted from. */
function ended(
  state: DeteriorationState,
  deterioration: Deterioration,
  reason: "recovered" | "new-normal",
): Applied {
  const { statistics } = state;
  const restarted =
    statistics === null
      ? null
      : startStatistics(statistics.timeMs, statistics.log, statistics.variance);
  return {
    state: { ...state, alert: null, losses: NO_LOSSES, statistics: restarted },
    change: { kind: "off", reason, deterioration },
  };
}
