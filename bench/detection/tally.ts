import { quantile } from "../support/quantile.ts";
import type { Drain } from "./truth.ts";

/** One stretch of an alert; `toMs` is null where it was still on at the end. */
export type Alarm = { readonly fromMs: number; readonly toMs: number | null };

/** Takes down that an alert turned on or off. */
export function noteAlarm(alarms: Alarm[], kind: "on" | "off", atMs: number): void {
  if (kind === "on") alarms.push({ fromMs: atMs, toMs: null });
  else alarms.push({ fromMs: alarms.pop()?.fromMs ?? atMs, toMs: atMs });
}

/** What one detector made of the markets of one script. */
export type Tally = {
  markets: number;
  days: number;
  drains: number;
  found: number;
  /** Drains in which a 5 SOL exit came to lose half. */
  lost: number;
  alarms: number;
  falseAlarms: number;
  /** Seconds from the alert to the moment a 5 SOL exit lost half, of the drains where it did. */
  readonly leadSeconds: number[];
  /** Seconds from the drain's half to the alert; below zero: before it. */
  readonly delaySeconds: number[];
};

/** An alarm shortly before a fall belongs to it, as does one while the drain is being confirmed. */
const BEFORE_MS = 600_000;
const AFTER_MS = 1_800_000;

export function emptyTally(): Tally {
  return {
    markets: 0,
    days: 0,
    drains: 0,
    found: 0,
    lost: 0,
    alarms: 0,
    falseAlarms: 0,
    leadSeconds: [],
    delaySeconds: [],
  };
}

/** Adds one market: which drains had an alarm, how early, and which alarms had no drain. */
export function tallyMarket(
  tally: Tally,
  {
    drains,
    alarms,
    days,
  }: {
    readonly drains: readonly Drain[];
    readonly alarms: readonly Alarm[];
    readonly days: number;
  },
): void {
  tally.markets++;
  tally.days += days;
  tally.drains += drains.length;
  tally.alarms += alarms.length;
  tally.falseAlarms += alarms.filter(
    (alarm) => !drains.some((drain) => belongs(alarm, drain)),
  ).length;
  for (const drain of drains) {
    if (drain.lostMs !== null) tally.lost++;
    const alarm = alarms.find((candidate) => belongs(candidate, drain));
    if (alarm === undefined) continue;
    tally.found++;
    tally.delaySeconds.push((alarm.fromMs - drain.atMs) / 1_000);
    if (drain.lostMs !== null) tally.leadSeconds.push((drain.lostMs - alarm.fromMs) / 1_000);
  }
}

function belongs(alarm: Alarm, drain: Drain): boolean {
  const isBeforeEnd = alarm.fromMs <= drain.atMs + AFTER_MS;
  return isBeforeEnd && (alarm.toMs === null || alarm.toMs >= drain.fromMs - BEFORE_MS);
}

/** One line of `npm run detection --json`. */
export type DetectionRow = {
  readonly scenario: string;
  readonly detector: string;
  readonly markets: number;
  readonly tokenDays: number;
  readonly recall: number | null;
  readonly precision: number | null;
  readonly falseAlarms: number;
  readonly falseAlarmsPerTokenDay: number;
  readonly leadSecondsP10: number | null;
  readonly leadSecondsP50: number | null;
  /** Of the drains in which a 5 SOL exit came to lose half: the share with an alert before. */
  readonly leadPositive: number | null;
};

export function rowOf(scenario: string, detector: string, tally: Tally): DetectionRow {
  const ahead = tally.leadSeconds.filter((seconds) => seconds > 0).length;
  return {
    scenario,
    detector,
    markets: tally.markets,
    tokenDays: rounded(tally.days, 2),
    recall: tally.drains === 0 ? null : rounded(tally.found / tally.drains, 4),
    precision: tally.alarms === 0 ? null : rounded(1 - tally.falseAlarms / tally.alarms, 4),
    falseAlarms: tally.falseAlarms,
    falseAlarmsPerTokenDay: rounded(tally.falseAlarms / tally.days, 5),
    leadSecondsP10: quantile(tally.leadSeconds, 0.1),
    leadSecondsP50: quantile(tally.leadSeconds, 0.5),
    leadPositive: tally.lost === 0 ? null : rounded(ahead / tally.lost, 4),
  };
}

function rounded(value: number, digits: number): number {
  return Math.round(value * 10 ** digits) / 10 ** digits;
}
