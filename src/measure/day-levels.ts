import { CALIBRATION, type DeteriorationRules } from "./calibration.ts";
import { advanceHeld, type HeldLevel, heldOf, startHeld } from "./held-level.ts";
import { addLosses, type Losses, NO_LOSSES } from "./losses.ts";

/**
 * What the rules over hours and over gaps know of a token: the highest level of each hour, and what
 * has changed C10 since. It survives gaps and restarts. Plain data; never changed, replaced.
 */
export type DayLevels = {
  /** Running totals of what changed C10. */
  readonly totals: Losses;
  /** Minus the withdrawals less additions: its level over a minute, so that flash liquidity is not a reference. */
  readonly kept: HeldLevel | null;
  /** Ascending, of the last 24 hours. */
  readonly hours: readonly HourLevel[];
  /** The newest level, and its time; null before the first. */
  readonly last: { readonly level: number; readonly timeMs: number } | null;
};

export type HourLevel = {
  readonly hour: number;
  /** The highest ln C10 that lasted a minute, and the totals at that time. */
  readonly level: number;
  readonly totals: Losses;
};

export const NO_LEVELS: DayLevels = { totals: NO_LOSSES, kept: null, hours: [], last: null };

export type LevelReading = {
  readonly timeMs: number;
  /** ln C10 that has lasted a minute. */
  readonly level: number;
  readonly losses: Losses | null;
};

const { hours: HOURS, hourMs } = CALIBRATION.deterioration.day;

/** With one more reading, no older than the newest. */
export function advanceLevels(before: DayLevels, reading: LevelReading): DayLevels {
  const { timeMs, level } = reading;
  const totals = madeUpFor(before, reading.losses);
  const kept =
    before.kept === null
      ? startHeld(timeMs, -totals.withdrawn)
      : advanceHeld(before.kept, timeMs, -totals.withdrawn);
  const hour = Math.floor(timeMs / hourMs);
  const newest = before.hours.at(-1);
  let { hours } = before;
  if (newest?.hour !== hour || level > newest.level) {
    const earlier = hours.filter((entry) => entry.hour !== hour && entry.hour > hour - HOURS);
    hours = [...earlier, { hour, level, totals: { ...totals, withdrawn: -heldOf(kept) } }];
  }
  return { totals, kept, hours, last: { level, timeMs } };
}

/**
 * The totals with one more change. Pools that appear make up for what was withdrawn since the highest
 * level, and for no more: a pool that was only lost from sight does not add anything when it is found again.
 */
function madeUpFor({ totals, hours }: DayLevels, losses: Losses | null): Losses {
  if (losses === null || losses === NO_LOSSES) return totals;
  const sum = addLosses(totals, losses);
  const reference = highestOf(hours)?.totals.withdrawn ?? sum.withdrawn;
  const least = Math.min(sum.withdrawn, reference);
  return { ...sum, withdrawn: Math.max(least, sum.withdrawn - (losses.appeared ?? 0)) };
}

/** Without levels to fall from: the level that C10 has now is the new normal. */
export function restartLevels(levels: DayLevels): DayLevels {
  return { ...levels, hours: [] };
}

/**
 * The highest hourly level, where withdrawals less additions have since taken half of it and C10 is
 * not back near it; or where half of it is gone, and they explain a part of that; else null.
 * Elapsed time does not reduce it.
 */
export function drainedFrom(
  { totals, hours, last }: DayLevels,
  { day, recoveredPct }: Pick<DeteriorationRules, "day" | "recoveredPct">,
): HourLevel | null {
  const highest = highestOf(hours);
  if (highest === null || last === null) return null;
  const withdrawn = totals.withdrawn - highest.totals.withdrawn;
  const fall = highest.level - last.level;
  const half = -Math.log1p(-day.withdrawnPct / 100);
  const isDrained = withdrawn >= half && fall > -Math.log(recoveredPct / 100);
  return isDrained || (fall >= half && withdrawn >= fall * day.withdrawnShare) ? highest : null;
}

function highestOf(hours: readonly HourLevel[]): HourLevel | null {
  let highest: HourLevel | null = null;
  for (const entry of hours) if (highest === null || entry.level > highest.level) highest = entry;
  return highest;
}
