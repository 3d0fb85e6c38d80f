import { CALIBRATION } from "#src/measure/calibration.ts";
import { TIERS, type UserTier } from "#src/users/tiers.ts";
import type { Answer } from "./callers.ts";
import type { Member } from "./deployment.ts";
import { type Scenario, TAKEOVER_WITHIN_MS } from "./scenarios.ts";

/** An answer of an older state contains a notice, and lowers its confidence. */
const FRESH_MS = CALIBRATION.confidence.ageMediumSeconds * 1_000;
/** An answer takes a while to be made and to arrive. */
const UNDER_WAY_MS = 2_000;
const WHOLE_WITHIN_MS = 10_000;
/** A quiet token's state is read again about every fifteen seconds. */
const NEWS_WITHIN_MS = 30_000;
/** Shorter than a window, so that two windows that follow each other are never taken for one. */
const WINDOW_MS = 55_000;

/** The tier of the callers who are always at their limit. */
export const LIMITED: UserTier = "degen";
export const LIMITED_KEYS = 6;
const LIMIT = TIERS[LIMITED].fairUsePerMinute;
const GATE = TIERS.free.dailyQueries;

/** What callers saw of one scenario. */
export type Row = {
  readonly scenario: string;
  readonly fresh: number;
  readonly old: number;
  readonly refused503: number;
  readonly failed500: number;
  readonly unconnected: number;
  readonly silent: number;
  readonly slowestMs: number;
  /** The oldest state in a 200. */
  readonly oldestMs: number;
  /** The longest time without a fresh answer, at the replica that was worse off, and at either. */
  readonly gapMs: number;
  readonly gapOfBothMs: number;
  /** From the repair until the last stale answer, and until states newer than the repair were answered. */
  readonly wholeAfterMs: number | null;
  readonly newsAfterMs: number | null;
  readonly takeoverMs: number | null;
  readonly acknowledged: number;
  readonly lost: number;
  readonly overLimit: number;
  readonly overGate: number;
  readonly twoWriters: number;
  readonly oldUnsaid: number;
  readonly verdict: string;
};

export function isNewerThan(sinceMs: number): (answer: Answer) => boolean {
  return ({ ageMs, answeredAtMs }) => ageMs !== null && answeredAtMs - ageMs > sinceMs;
}

export function isFresh({ status, ageMs }: Answer): boolean {
  return status === 200 && ageMs !== null && ageMs <= FRESH_MS;
}

/** All that is known of one scenario once it is over. */
export type Seen = {
  readonly scenario: Scenario;
  readonly startedMs: number;
  readonly endedMs: number;
  readonly answers: readonly Answer[];
  readonly replicas: readonly Member[];
  readonly wholeAfterMs: number | null;
  readonly newsAfterMs: number | null;
  readonly takeoverMs: number | null;
  readonly acknowledged: number;
  readonly lost: readonly string[];
  readonly twoWriters: number;
  /** Which of the callers with a daily gate asked. */
  readonly gated: number;
};

/** Counts what was seen, and holds it to what docs/scale.md states. */
export function judge(seen: Seen): Row {
  const { scenario, startedMs, endedMs, replicas, takeoverMs, lost } = seen;
  const during = seen.answers.filter(
    ({ askedAtMs, answeredAtMs }) => answeredAtMs >= startedMs && askedAtMs <= endedMs,
  );
  const steady = during.filter(({ kind }) => kind === "steady");
  const count = (is: (answer: Answer) => boolean) => steady.filter(is).length;
  const gap = (of: readonly Answer[]) => longestGap(of.filter(isFresh), startedMs, endedMs);
  const figures = {
    scenario: scenario.name,
    fresh: count(isFresh),
    old: count((answer) => answer.status === 200 && !isFresh(answer)),
    refused503: count(({ status }) => status === 503),
    failed500: during.filter(
      ({ status }) => typeof status === "number" && status >= 500 && status !== 503,
    ).length,
    unconnected: count(({ status }) => status === "refused"),
    silent: during.filter(({ status }) => status === "silent").length,
    slowestMs: Math.max(0, ...during.map((answer) => answer.answeredAtMs - answer.askedAtMs)),
    gapMs: Math.max(
      ...replicas.map(({ name }) => gap(steady.filter(({ replica }) => replica === name))),
    ),
    gapOfBothMs: gap(steady),
    oldestMs: Math.max(0, ...steady.map(({ ageMs }) => ageMs ?? 0)),
    wholeAfterMs: seen.wholeAfterMs,
    newsAfterMs: seen.newsAfterMs,
    takeoverMs,
    acknowledged: seen.acknowledged,
    lost: lost.length,
    overLimit: overLimit(seen),
    overGate: Math.max(
      0,
      during.filter(
        ({ kind, caller, status }) => kind === "gated" && caller === seen.gated && status === 200,
      ).length - GATE,
    ),
    twoWriters: seen.twoWriters,
    oldUnsaid: during.filter(isOldUnsaid).length,
  };
  return { ...figures, verdict: verdictOf(figures, seen) };
}

function verdictOf(row: Omit<Row, "verdict">, { scenario, replicas, lost }: Seen): string {
  const { wholeAfterMs, newsAfterMs, takeoverMs } = row;
  const mostOver = (replicas.length - 1) * LIMIT;
  const isLate = (ms: number | null, withinMs: number) => ms === null || ms > withinMs;
  const broken = [
    lost.length > 0 && `lost ${lost.slice(0, 3).join(", ")}`,
    row.overLimit > mostOver && `a limit was passed by ${row.overLimit}, stated are ${mostOver}`,
    row.overGate > 0 && `a daily gate was passed by ${row.overGate}`,
    row.twoWriters > 0 && "two trackers wrote at once",
    row.oldUnsaid > 0 && `${row.oldUnsaid} old answers without a notice`,
    row.failed500 > 0 && `${row.failed500} answers were 500`,
    row.silent > 0 && `${row.silent} requests were not answered`,
    isLate(wholeAfterMs, WHOLE_WITHIN_MS) && "not whole again in time",
    isLate(newsAfterMs, NEWS_WITHIN_MS) && "no newer state was answered in time",
    scenario.takesOver === true &&
      isLate(takeoverMs, TAKEOVER_WITHIN_MS) &&
      "no standby took over in time",
  ].filter((what) => what !== false);
  return broken.length === 0 ? "holds" : broken.join("; ");
}

function longestGap(good: readonly Answer[], startMs: number, endMs: number): number {
  const times = good.map(({ answeredAtMs }) => answeredAtMs).sort((a, b) => a - b);
  let last = startMs;
  let longest = 0;
  for (const time of [...times, endMs]) {
    longest = Math.max(longest, time - last);
    last = time;
  }
  return longest;
}

/** The most that one caller got above the limit within one window that touches the scenario. */
function overLimit({ answers, startedMs, endedMs }: Seen): number {
  let most = 0;
  for (let caller = 0; caller < LIMITED_KEYS; caller++) {
    const times = answers
      .filter((answer) => answer.kind === "limited" && answer.caller === caller)
      .filter(({ status, askedAtMs }) => status === 200 && askedAtMs >= startedMs - WINDOW_MS)
      .filter(({ askedAtMs }) => askedAtMs <= endedMs)
      .map(({ askedAtMs }) => askedAtMs)
      .sort((a, b) => a - b);
    let from = 0;
    for (const [place, time] of times.entries()) {
      while ((times[from] ?? time) < time - WINDOW_MS) from++;
      most = Math.max(most, place - from + 1);
    }
  }
  return Math.max(0, most - LIMIT);
}

/** Answered without a notice, although it is older than the age that needs one. */
function isOldUnsaid({ ageMs, confidence }: Answer): boolean {
  return ageMs !== null && ageMs > FRESH_MS + UNDER_WAY_MS && confidence === "alta";
}
