import { CALIBRATION, type DeteriorationRules } from "./calibration.ts";
import { logCapacity } from "./capacity-series.ts";
import {
  advanceLevels,
  type DayLevels,
  drainedFrom,
  NO_LEVELS,
  restartLevels,
} from "./day-levels.ts";
import {
  advanceStatistics,
  type FallStatistics,
  medianPeak,
  type NextReading,
  recentPeak,
  startStatistics,
  withdrawnBy,
} from "./fall-statistics.ts";
import {
  type Cause,
  type CauseShares,
  causeOf,
  causeShares,
  explainedBy,
  type Losses,
  lossesSince,
} from "./losses.ts";

/** One reading of the priced pools' C10, on every change and at least every 10 s. */
export type CapacitySample = {
  /** Chain time. */
  readonly timeMs: number;
  /** SOL; 0 where trading is known to be paused; null: nothing is known at this moment, a gap. */
  readonly c10Sol: number | null;
  /** Which series this belongs to. It changes with a migration: different bases are never compared. */
  readonly basis: number;
  /**
   * What changed capacity since the last sample that was not a gap; null where that is not known, and a
   * fall counts whole. What is known and does not explain a fall makes it no deterioration.
   */
  readonly losses: Losses | null;
};

/** Which rule turned the alert on (method.md section 6). */
export const DETECTORS = ["jump", "withdrawal", "drift", "drain", "gap"] as const;
export type Detector = (typeof DETECTORS)[number];

export type Deterioration = {
  readonly detector: Detector;
  /** The main cause of the fall, and the share of the loss that it explains; null where none is known. */
  readonly cause: { readonly kind: Cause; readonly share: number } | null;
  /** The share of the loss that each cause explains. */
  readonly causes: CauseShares;
  readonly sinceMs: number;
  /** C10 before the fall and at the alert, SOL. A paused market has 0. */
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

/** All that is remembered of a token: about 3 kB. Plain data; never changed, replaced. */
export type DeteriorationState = {
  /** When the first sample ever came; null before it. */
  readonly bornMs: number | null;
  readonly timeMs: number;
  readonly basis: number;
  /** Of the series of this basis; null before its first sample, and after a gap. */
  readonly statistics: FallStatistics | null;
  /** How wild the token was when its last series ended. */
  readonly variance: number;
  /**
   * What no loss explains of all falls so far, less what has come back: ln C10 is judged with this
   * added, so that a mid that moves, or a pool that is no longer seen, is not a fall.
   */
  readonly unexplained: number;
  readonly levels: DayLevels;
  /** The running totals at the start of the fall that is under way. */
  readonly fallFrom: Losses;
  readonly alert: Alert | null;
};

/** What of a state survives a restart. */
export type KeptLevels = Pick<DeteriorationState, "unexplained" | "levels">;

type Alert = {
  readonly deterioration: Deterioration;
  /** ln of the level before the fall; null once the basis has changed: nothing to compare with. */
  readonly level: number | null;
  readonly low: number;
  readonly lowAtMs: number;
};

type Applied = { readonly state: DeteriorationState; readonly change: DeteriorationChange | null };

/** A token of which nothing is known yet, or only what an earlier process kept. */
export function initialDeterioration(kept: KeptLevels | null = null): DeteriorationState {
  const levels = kept?.levels ?? NO_LEVELS;
  return {
    bornMs: null,
    timeMs: 0,
    basis: 0,
    statistics: null,
    variance: CALIBRATION.deterioration.drift.startVariance,
    unexplained: kept?.unexplained ?? 0,
    levels,
    fallFrom: levels.totals,
    alert: null,
  };
}

/**
 * Judges one sample after the others. Samples older than the newest change nothing. After a gap the
 * series starts again: a fall over it counts only where less than half is left, or as withdrawals
 * over a day. On another basis nothing is compared; an alert that is on stays on, and ends by its time.
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
  if (state.basis !== basis) return startBasis(state, sample, variance, rules);
  const raw = logCapacity(sample.c10Sol);
  const last = before?.held.last ?? state.levels.last?.level ?? null;
  const unexplained = nextUnexplained(state.unexplained, last, raw, losses);
  const reading = { timeMs, log: raw + unexplained, losses };
  const statistics =
    before === null
      ? startStatistics(timeMs, reading.log, variance)
      : advanceStatistics(before, reading, rules);
  const wasFalling = before !== null && before.slow.sum > 0;
  const next: DeteriorationState = {
    ...state,
    bornMs: state.bornMs ?? timeMs,
    timeMs,
    statistics,
    unexplained,
    levels: advanceLevels(state.levels, { timeMs, level: statistics.log, losses }),
    fallFrom: wasFalling ? state.fallFrom : state.levels.totals,
  };
  if (next.alert !== null) return turnOff(next, statistics, rules);
  const isYoung = timeMs - (state.bornMs ?? timeMs) < rules.youngMs;
  const found =
    before === null
      ? goneInGap(state, statistics, rules)
      : detect({ before, reading, statistics, isYoung }, rules);
  const drained = found ?? drain(next, rules);
  return drained === null ? { state: next, change: null } : turnOn(next, drained, sample.c10Sol);
}

/** Samples were missing: what comes next starts the series again, and is compared over the gap. */
export function afterGap(state: DeteriorationState): DeteriorationState {
  const variance = state.statistics?.variance ?? state.variance;
  return { ...state, statistics: null, variance };
}

/** The first sample of another basis: nothing of before is compared with it. */
function startBasis(
  state: DeteriorationState,
  sample: CapacitySample & { readonly c10Sol: number | null },
  variance: number,
  rules: DeteriorationRules,
): Applied {
  const { timeMs, basis } = sample;
  const log = logCapacity(sample.c10Sol ?? 0);
  const statistics = startStatistics(timeMs, log, variance);
  const started: DeteriorationState = {
    ...state,
    bornMs: state.bornMs ?? timeMs,
    timeMs,
    basis,
    statistics,
    unexplained: 0,
    levels: advanceLevels(restartLevels(state.levels), { timeMs, level: log, losses: null }),
    fallFrom: state.levels.totals,
    alert: onOtherBasis(state.alert, log),
  };
  return turnOff(started, statistics, rules);
}

/**
 * What of a fall no pool's loss explains is added, and what of a rise nothing explains is taken off
 * again: a mid that goes up and comes back leaves no trace.
 *
 * @param last ln C10 with `unexplained` added; null: there is no earlier sample
 */
function nextUnexplained(
  unexplained: number,
  last: number | null,
  raw: number,
  losses: Losses | null,
): number {
  if (last === null || losses === null) return unexplained;
  const fall = last - unexplained - raw;
  return Math.max(0, unexplained + fall - explainedBy(losses));
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

type Found = {
  readonly detector: Detector;
  readonly level: number;
  /** The running totals where the fall began, if that is not the fall that is under way. */
  readonly from?: Losses;
};

/** Less than half of the last known level is left after a gap or a restart. */
function goneInGap(
  { levels }: DeteriorationState,
  { log }: FallStatistics,
  rules: DeteriorationRules,
): Found | null {
  const { last, totals } = levels;
  if (last === null || !hasFallen(last.level, log, rules.gapFallPct)) return null;
  return { detector: "gap", level: last.level, from: totals };
}

function drain({ levels }: DeteriorationState, rules: DeteriorationRules): Found | null {
  const from = drainedFrom(levels, rules);
  return from === null ? null : { detector: "drain", level: from.level, from: from.totals };
}

function detect(step: Step, rules: DeteriorationRules): Found | null {
  const { before, statistics, isYoung } = step;
  const { log } = statistics;
  const recent = Math.max(before.log, recentPeak(statistics));
  const jumpFallPct = isYoung ? rules.youngJumpFallPct : rules.jumpFallPct;
  const chance = rules.jumpDeviations * Math.sqrt(statistics.variance);
  if (hasFallen(recent, log, jumpFallPct) && recent - log >= chance) {
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

/** Whether this slot's withdrawals took that share of the ten-minute median, and C10 is below it now. */
function isWithdrawnAtOnce(
  { before, reading, statistics }: Step,
  rules: DeteriorationRules,
): boolean {
  const withdrawn = withdrawnBy(before, statistics.log, reading.losses);
  if (withdrawn === 0) return false;
  const median = medianPeak(before);
  const cut = Math.exp(before.log - median) * -Math.expm1(-withdrawn);
  const { withdrawalFallPct } = rules;
  return 100 * cut >= withdrawalFallPct && hasFallen(median, statistics.log, withdrawalFallPct);
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
  { detector, level, from }: Found,
  c10Sol: number,
): Applied {
  const { timeMs, unexplained, levels } = state;
  const low = logCapacity(c10Sol) + unexplained;
  const losses = lossesSince(from ?? state.fallFrom, levels.totals);
  const levelSol = Math.exp(level - unexplained);
  const deterioration: Deterioration = {
    detector,
    cause: causeOf(losses),
    causes: causeShares(losses),
    sinceMs: timeMs,
    levelSol,
    c10Sol,
  };
  const alert = { deterioration, level, low, lowAtMs: timeMs };
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
  const { statistics, levels } = state;
  const restarted =
    statistics === null
      ? null
      : {
          ...startStatistics(statistics.timeMs, statistics.log, statistics.variance),
          held: statistics.held,
        };
  return {
    state: {
      ...state,
      alert: null,
      fallFrom: levels.totals,
      levels: restartLevels(levels),
      statistics: restarted,
    },
    change: { kind: "off", reason, deterioration },
  };
}
