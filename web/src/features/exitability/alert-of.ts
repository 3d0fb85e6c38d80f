import type { History } from "#client/openapi.ts";
import type { HistoryAlert, HistoryPoint } from "./use-token-data.ts";

/** An alert without a known end is shown for an hour; its figures are on the page after that. */
const SHOWN_MS = 3_600_000;
/** A trend needs this much history. */
const TREND_MS = 300_000;
/** The alert that the page shows now: the newest that is on, or began within the hour. */
export function alertOf(history: History | undefined, nowMs: number): HistoryAlert | null {
  const recent = (history?.alerts ?? []).filter(
    ({ started_at }) => nowMs - Date.parse(started_at) < SHOWN_MS,
  );
  return recent.toSorted((a, b) => Date.parse(b.started_at) - Date.parse(a.started_at))[0] ?? null;
}

/** Whether the history is long enough for a trend: a shorter one answers "stable" without knowing. */
export function isTrendKnown(points: readonly HistoryPoint[] | undefined): boolean {
  const known = (points ?? []).filter(({ c10_sol }) => c10_sol !== null);
  const [first] = known;
  const last = known.at(-1);
  if (first === undefined || last === undefined) return false;
  return Date.parse(last.t) - Date.parse(first.t) >= TREND_MS;
}
