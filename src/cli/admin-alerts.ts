import { timestamp } from "#src/api/values.ts";
import { MS_PER_DAY } from "#src/platform/clock.ts";
import { deadLetters, waitingMessages } from "#src/store/deliveries.ts";
import { sumGrades } from "#src/store/user-alerts.ts";
import type { AdminCall, AdminDeps } from "./admin.ts";
import { formatTable, UsageError } from "./output.ts";

const SUMMED_MS = 30 * MS_PER_DAY;
const LETTERS_SHOWN = 100;

/** Grades of the alerts of the last 30 days, messages that wait, and messages given up. */
export async function adminAlerts({ words, flags }: AdminCall, deps: AdminDeps): Promise<number> {
  if (words.length > 0) throw new UsageError("alerts takes no arguments");
  const { store, nowMs, output } = deps;
  const grades = await sumGrades(store.db, nowMs - SUMMED_MS);
  const waiting = await waitingMessages(store.db);
  const letters = (await deadLetters(store.db, { userId: null, limit: LETTERS_SHOWN })).map(
    ({ alertId, channelId, kind, failedAtMs, error }) => ({
      alert: String(alertId),
      channel: String(channelId),
      kind,
      failedAt: timestamp(failedAtMs),
      error,
    }),
  );
  if (flags.json === true) {
    output.out(JSON.stringify({ grades, waiting, deadLetters: letters }));
    return 0;
  }
  const header = ["alerts", "count", "graded", "worse", "mean cost of waiting %"];
  const rows = grades.map(({ kind, alerts, graded, worse, meanWaitedCostPct: cost }) => [
    kind,
    alerts,
    graded,
    worse,
    cost === null ? "unknown" : cost.toFixed(2),
  ]);
  output.out(formatTable([header, ...rows]));
  output.out(`\n${waiting.count} messages wait to be sent; ${letters.length} were given up`);
  for (const { failedAt, kind, alert, channel, error } of letters)
    output.out(`  ${failedAt} ${kind} channel ${channel}, alert ${alert}: ${error}`);
  return 0;
}
