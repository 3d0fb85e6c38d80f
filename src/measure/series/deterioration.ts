import { CALIBRATION, type DeteriorationRules } from "../calibration.ts";
import { logCapacity } from "./capacity-series.ts";
import {
  advanceLevels,
  copyLevels,
  type DayLevels,
  drainedFrom,
  noLevels,
  restartLevels,
} from "./day-levels.ts";
import {
  advanceStatistics,
  copyStatistics,
  type FallStatistics,
  medianPeak,
  type NextReading,
  recentPeak,
  startStatistics,
  withdrawnBy,
} from "./fall-statistics.ts";
import { newestOf } from "./held-level.ts";
import {
  type Cause,
  type CauseShares,
  causeOf,
  causeShares,
  explainedBy,
  type Losses,
  lossesSince,
} from "./losses.ts";
import { numberRecord } from "./number-record.ts";

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

const NUMBERS = [
  /** When the first sample ever came; NaN before it. */
  "bornMs",
  "timeMs",
  "basis",
  /** How wild the token was when its last series ended. */
  "variance",
  /**
   * What no loss explains of all falls so far, less what has come back: ln C10 is judged with this
   * added, so that a mid that moves, or a pool that is no longer seen, is not a fall. Below 0: losses that C10 has not
   * shown.
   */
  "unexplained",
] as const;

/** All that is remembered of a token: about 1.4 kB, and 2.6 kB after a day. Advanced in place by `applySample`. */
export class DeteriorationState extends numberRecord(NUMBERS) {
  /** Of the series of this basis; null before its first sample, and after a gap. */
  statistics: FallStatistics | null = null;
  readonly levels: DayLevels;
  /** The running totals at the start of the fall that is under way. */
  fallFrom: Losses;
  alert: Alert | null = null;

  constructor(numbers: Readonly<Record<(typeof NUMBERS)[number], number>>, levels: DayLevels) {
    super(numbers);
    this.levels = levels;
    this.fallFrom = levels.totals;
  }
}

/** What of a state survives a restart. */
export type KeptLevels = { readonly unexplained: number; readonly levels: DayLevels };

type Alert = {
  readonly deterioration: Deterioration;
  /** ln of the level before the fall; null once the basis has changed: nothing to compare with. */
  readonly level: number | null;
  readonly low: number;
  readonly lowAtMs: number;
};

/** A token of which nothing is known yet, or only what an earlier process kept. */
export function initialDeterioration(
  kept: KeptLevels | null = null,
  { timeMs, basis } = { timeMs: 0, basis: 0 },
): DeteriorationState {
  const { startVariance: variance } = CALIBRATION.deterioration.drift;
  return new DeteriorationState(
    { bornMs: Number.NaN, timeMs, basis, variance, unexplained: kept?.unexplained ?? 0 },
    kept === null ? noLevels() : copyLevels(kept.levels),
  );
}

/** What of a state survives a restart, as it is now. */
export function keptOf({ unexplained, levels }: DeteriorationState): KeptLevels {
  return { unexplained, levels: copyLevels(levels) };
}

/** A state that stays as it is while the other is advanced. */
export function copyDeterioration(state: DeteriorationState): DeteriorationState {
  const copy = new DeteriorationState(state, copyLevels(state.levels));
  copy.statistics = state.statistics === null ? null : copyStatistics(state.statistics);
  copy.fallFrom = state.fallFrom;
  copy.alert = state.alert;
  return copy;
}

/**
 * Judges one sample after the others, and advances the state by it. Samples older than the newest change nothing.
 * After a gap the series starts again: a fall over it counts only where less than half is left, or as withdrawals
 * over a day. On another basis nothing is compared; an alert that is on stays on, and ends by its time.
 *
 * @returns the change of the alert; null: none
 */
export function applySample(
  state: DeteriorationState,
  sample: CapacitySample,
  rules: DeteriorationRules = CALIBRATION.deterioration,
): DeteriorationChange | null {
  const { timeMs, c10Sol, losses, basis } = sample;
  if (timeMs < state.timeMs) return null;
  if (c10Sol === null) {
    noteGap(state);
    state.timeMs = timeMs;
    return endByTime(state, rules);
  }
  if (Number.isNaN(state.bornMs)) state.bornMs = timeMs;
  state.timeMs = timeMs;
  if (state.basis !== basis) return startBasis(state, { timeMs, basis, c10Sol }, rules);
  const found = advance(state, { timeMs, c10Sol, losses }, rules);
  if (state.alert !== null) return turnOff(state, rules);
  return found === null ? null : turnOn(state, found, c10Sol);
}

type KnownSample = CapacitySample & { readonly c10Sol: number };

/** Advances all that is known by one more sample of the same basis. @returns the fall that it shows; null: none */
function advance(
  state: DeteriorationState,
  { timeMs, c10Sol, losses }: Omit<KnownSample, "basis">,
  rules: DeteriorationRules,
): Found | null {
  const { levels, statistics } = state;
  const { totals: totalsBefore, lastLevel: levelBefore } = levels;
  const raw = logCapacity(c10Sol);
  const last = statistics === null ? levelBefore : newestOf(statistics.held);
  state.unexplained = nextUnexplained(state.unexplained, last, raw, losses);
  const reading = { timeMs, log: raw + state.unexplained, losses };
  if (statistics === null || statistics.slowSum === 0) state.fallFrom = totalsBefore;
  if (statistics === null) {
    state.statistics = startStatistics(timeMs, reading.log, state.variance);
    advanceLevels(levels, { timeMs, level: reading.log, losses });
    const before = { level: levelBefore, totals: totalsBefore };
    return goneInGap(before, reading.log, rules) ?? drain(state, rules);
  }
  const isWithdrawal = losses !== null && losses.withdrawn > 0;
  const before = { log: statistics.log, median: isWithdrawal ? medianPeak(statistics) : null };
  advanceStatistics(statistics, reading, rules);
  advanceLevels(levels, { timeMs, level: statistics.log, losses });
  const isYoung = timeMs - state.bornMs < rules.youngMs;
  return detect({ before, reading, statistics, isYoung }, rules) ?? drain(state, rules);
}

/** Samples were missing: what comes next starts the series again, and is compared over the gap. */
export function noteGap(state: DeteriorationState): void {
  state.variance = state.statistics?.variance ?? state.variance;
  state.statistics = null;
}

/** The first sample of another basis: nothing of before is compared with it. */
function startBasis(
  state: DeteriorationState,
  { timeMs, basis, c10Sol }: Omit<KnownSample, "losses">,
  rules: DeteriorationRules,
): DeteriorationChange | null {
  const { levels, alert } = state;
  const log = logCapacity(c10Sol);
  state.statistics = startStatistics(timeMs, log, state.statistics?.variance ?? state.variance);
  state.basis = basis;
  state.unexplained = 0;
  state.fallFrom = levels.totals;
  restartLevels(levels);
  advanceLevels(levels, { timeMs, level: log, losses: null });
  // It can't recover to a level of another series; new lows are counted from here.
  if (alert !== null) state.alert = { ...alert, level: null, low: log };
  return turnOff(state, rules);
}

/**
 * What of a fall no pool's loss explains is added, and what of a rise nothing explains is taken off
 * again: a mid that goes up and comes back leaves no trace. Only what was lost beyond the fall takes it below 0: a rise
 * that nothing explains does not, so that its end is not a loss.
 *
 * @param last ln C10 with `unexplained` added; NaN: there is no earlier sample
 */
function nextUnexplained(
  unexplained: number,
  last: number,
  raw: number,
  losses: Losses | null,
): number {
  if (Number.isNaN(last) || losses === null) return unexplained;
  const fall = last - unexplained - raw;
  const explained = explainedBy(losses);
  const unseen = Math.max(0, explained - (losses.appeared ?? 0) - Math.max(0, fall));
  return Math.max(Math.min(0, unexplained) - unseen, unexplained + fall - explained);
}

type Step = {
  /** The level before, and the ten-minute median, which is known where liquidity was withdrawn. */
  readonly before: { readonly log: number; readonly median: number | null };
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

/** Less than half of the last known level is left after a gap or a restart. @param before its level is NaN if none is known */
function goneInGap(
  { level, totals }: { readonly level: number; readonly totals: Losses },
  log: number,
  rules: DeteriorationRules,
): Found | null {
  if (Number.isNaN(level) || !hasFallen(level, log, rules.gapFallPct)) return null;
  return { detector: "gap", level, from: totals };
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
  if (statistics.withdrawnSum >= rules.drift.withdrawnThreshold) {
    return { detector: "withdrawal", level: statistics.withdrawnFrom };
  }
  if (isYoung) return null;
  const { variance, slowSum, fastSum } = statistics;
  const { slowPerMinute, fastPerMinute } = rules.drift;
  if (slowSum >= driftThreshold(variance / slowPerMinute, rules.drift)) {
    return { detector: "drift", level: statistics.slowFrom };
  }
  const isFast = fastSum >= driftThreshold(variance / fastPerMinute, rules.drift);
  return isFast ? { detector: "drift", level: statistics.fastFrom } : null;
}

/** Whether this slot's withdrawals took that share of the ten-minute median, and C10 is below it now. */
function isWithdrawnAtOnce(
  { before, reading, statistics }: Step,
  rules: DeteriorationRules,
): boolean {
  const { median } = before;
  const withdrawn = withdrawnBy(before.log, statistics.log, reading.losses);
  if (withdrawn === 0 || median === null) return false;
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
): DeteriorationChange {
  const { timeMs, unexplained, levels } = state;
  const losses = lossesSince(from ?? state.fallFrom, levels.totals);
  const deterioration: Deterioration = {
    detector,
    cause: causeOf(losses),
    causes: causeShares(losses),
    sinceMs: timeMs,
    levelSol: Math.exp(level - unexplained),
    c10Sol,
  };
  const low = logCapacity(c10Sol) + unexplained;
  state.alert = { deterioration, level, low, lowAtMs: timeMs };
  return { kind: "on", deterioration };
}

/** Ends the alert where C10 is back, or has stopped falling for long enough. */
function turnOff(state: DeteriorationState, rules: DeteriorationRules): DeteriorationChange | null {
  const { alert, statistics, timeMs } = state;
  if (alert === null || statistics === null) return null;
  const { log } = statistics;
  if (alert.level !== null && log >= alert.level + Math.log(rules.recoveredPct / 100)) {
    return ended(state, alert.deterioration, "recovered");
  }
  if (hasFallen(alert.low, log, rules.newLowPct)) {
    state.alert = { ...alert, low: log, lowAtMs: timeMs };
    return null;
  }
  return endByTime(state, rules);
}

function endByTime(
  state: DeteriorationState,
  rules: DeteriorationRules,
): DeteriorationChange | null {
  const { alert, timeMs } = state;
  if (alert === null || timeMs - alert.lowAtMs < rules.newNormalMs) return null;
  return ended(state, alert.deterioration, "new-normal");
}

/** The level that C10 has now is where the next fall is counted from. */
function ended(
  state: DeteriorationState,
  deterioration: Deterioration,
  reason: "recovered" | "new-normal",
): DeteriorationChange {
  const { statistics, levels } = state;
  state.alert = null;
  state.fallFrom = levels.totals;
  restartLevels(levels);
  if (statistics !== null) {
    const { timeMs, log, variance, held } = statistics;
    state.statistics = startStatistics(timeMs, log, variance, held);
  }
  return { kind: "off", reason, deterioration };
}
