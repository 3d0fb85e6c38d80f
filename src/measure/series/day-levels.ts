import { CALIBRATION, type DeteriorationRules } from "../calibration.ts";
import {
  advanceHeld,
  copyHeld,
  type HeldLevel,
  heldOf,
  restoredHeld,
  type StoredHeld,
  startHeld,
  storedHeld,
} from "./held-level.ts";
import { addLosses, type Losses, NO_LOSSES } from "./losses.ts";

/**
 * What the rules over hours and over gaps know of a token: the highest level of each hour, and what
 * has changed C10 since. It survives gaps and restarts. Advanced in place.
 */
export type DayLevels = {
  /** Running totals of what changed C10. */
  totals: Losses;
  /** Minus the withdrawals less additions: its level over a minute, so that flash liquidity is not a reference. */
  kept: HeldLevel | null;
  /**
   * Six numbers for each of the last 24 hours, ascending: its number, the highest ln C10 that lasted a minute, and the
   * totals at that time: withdrawn, sold, fees and paused. Replaced, never modified.
   */
  hours: readonly number[];
  /** The newest level, and its time; NaN before the first. */
  lastLevel: number;
  lastMs: number;
};

export type HourLevel = {
  readonly hour: number;
  /** The highest ln C10 that lasted a minute, and the totals at that time. */
  readonly level: number;
  readonly totals: Losses;
};

/** As they are stored. */
export type StoredLevels = {
  readonly totals: Losses;
  readonly kept: StoredHeld | null;
  readonly hours: readonly HourLevel[];
  readonly last: { readonly level: number; readonly timeMs: number } | null;
};

export type LevelReading = {
  readonly timeMs: number;
  /** ln C10 that has lasted a minute. */
  readonly level: number;
  readonly losses: Losses | null;
};

const { hours: HOURS, hourMs } = CALIBRATION.deterioration.day;
/** How many numbers an hour has, and the places of the first; the other totals follow. */
const HOUR_NUMBERS = 6;
const [HOUR, LEVEL, WITHDRAWN] = [0, 1, 2];
const NO_HOURS: readonly number[] = [];

export function noLevels(): DayLevels {
  return {
    totals: NO_LOSSES,
    kept: null,
    hours: NO_HOURS,
    lastLevel: Number.NaN,
    lastMs: Number.NaN,
  };
}

export function copyLevels(levels: DayLevels): DayLevels {
  return { ...levels, kept: levels.kept === null ? null : copyHeld(levels.kept) };
}

/** Adds one more reading, no older than the newest. */
export function advanceLevels(levels: DayLevels, { timeMs, level, losses }: LevelReading): void {
  const totals = madeUpFor(levels, losses);
  const kept = levels.kept ?? startHeld(timeMs, -totals.withdrawn);
  if (levels.kept !== null) advanceHeld(kept, timeMs, -totals.withdrawn);
  levels.totals = totals;
  levels.kept = kept;
  const hour = Math.floor(timeMs / hourMs);
  const newest = levels.hours.length - HOUR_NUMBERS;
  if (levels.hours[newest + HOUR] !== hour || level > numberAt(levels.hours, newest + LEVEL)) {
    const { sold, fees, paused } = totals;
    const earlier = levels.hours.filter((_, place) => {
      const other = numberAt(levels.hours, place - (place % HOUR_NUMBERS) + HOUR);
      return other !== hour && other > hour - HOURS;
    });
    // Not by a spread, whose array keeps room for more.
    levels.hours = earlier.concat(hour, level, -heldOf(kept), sold, fees, paused);
  }
  levels.lastLevel = level;
  levels.lastMs = timeMs;
}

/**
 * The totals with one more change. Pools that appear make up for what was withdrawn since the highest
 * level, and for no more: a pool that was only lost from sight does not add anything when it is found again.
 */
function madeUpFor({ totals, hours }: DayLevels, losses: Losses | null): Losses {
  if (losses === null || losses === NO_LOSSES) return totals;
  const sum = addLosses(totals, losses);
  const highest = highestOf(hours);
  const reference = highest === null ? sum.withdrawn : numberAt(hours, highest + WITHDRAWN);
  const least = Math.min(sum.withdrawn, reference);
  return { ...sum, withdrawn: Math.max(least, sum.withdrawn - (losses.appeared ?? 0)) };
}

/** Without levels to fall from: the level that C10 has now is the new normal. */
export function restartLevels(levels: DayLevels): void {
  levels.hours = NO_HOURS;
}

/**
 * The highest hourly level, where withdrawals less additions have since taken half of it and C10 is
 * not back near it; or where half of it is gone, and they explain a part of that; else null.
 * Elapsed time does not reduce it.
 */
export function drainedFrom(
  { totals, hours, lastLevel }: DayLevels,
  { day, recoveredPct }: Pick<DeteriorationRules, "day" | "recoveredPct">,
): HourLevel | null {
  const highest = highestOf(hours);
  if (highest === null || Number.isNaN(lastLevel)) return null;
  const withdrawn = totals.withdrawn - numberAt(hours, highest + WITHDRAWN);
  const fall = numberAt(hours, highest + LEVEL) - lastLevel;
  const half = -Math.log1p(-day.withdrawnPct / 100);
  const isDrained = withdrawn >= half && fall > -Math.log(recoveredPct / 100);
  const isExplained = fall >= half && withdrawn >= fall * day.withdrawnShare;
  return isDrained || isExplained ? hourAt(hours, highest) : null;
}

/** Where the highest hour begins; null: there is none. Of equal ones the earliest. */
function highestOf(hours: readonly number[]): number | null {
  if (hours.length === 0) return null;
  let highest = 0;
  for (let start = HOUR_NUMBERS; start < hours.length; start += HOUR_NUMBERS)
    if (numberAt(hours, start + LEVEL) > numberAt(hours, highest + LEVEL)) highest = start;
  return highest;
}

function hourAt(hours: readonly number[], start: number): HourLevel {
  const at = (place: number) => numberAt(hours, start + place);
  const totals = { withdrawn: at(WITHDRAWN), sold: at(3), fees: at(4), paused: at(5) };
  return { hour: at(HOUR), level: at(LEVEL), totals };
}

function numberAt(hours: readonly number[], place: number): number {
  return hours[place] ?? Number.NaN;
}

export function storedLevels(levels: DayLevels): StoredLevels {
  const { totals, kept, hours, lastLevel, lastMs } = levels;
  return {
    totals,
    kept: kept === null ? null : storedHeld(kept),
    hours: Array.from({ length: hours.length / HOUR_NUMBERS }, (_, index) =>
      hourAt(hours, index * HOUR_NUMBERS),
    ),
    last: Number.isNaN(lastLevel) ? null : { level: lastLevel, timeMs: lastMs },
  };
}

export function restoredLevels({ totals, kept, hours, last }: StoredLevels): DayLevels {
  return {
    totals,
    kept: kept === null ? null : restoredHeld(kept),
    hours: hours.flatMap(({ hour, level, totals: at }) => {
      return [hour, level, at.withdrawn, at.sold, at.fees, at.paused];
    }),
    lastLevel: last?.level ?? Number.NaN,
    lastMs: last?.timeMs ?? Number.NaN,
  };
}
