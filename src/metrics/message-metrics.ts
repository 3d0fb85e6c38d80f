import type { Delivery } from "#src/alerts/alerting.ts";
import type { WallClock } from "#src/platform/clock.ts";
import { FailureLog, type FailureLogger } from "#src/platform/failure-log.ts";
import type { SignInOutbox } from "#src/users/sign-in-outbox.ts";
import { gauge, known, knownBy, type Metric } from "./exposition.ts";

/** Alerts. */
export function alertMetrics(recorded: number): readonly Metric[] {
  return [
    {
      name: "exitability_alerts_total",
      help: "Alerts that were recorded.",
      type: "counter",
      samples: known(recorded),
    },
  ];
}

export type DeliveryCounts = Pick<Delivery["outbox"], "outcomes" | "waiting">;

/** Logs once that waiting messages can't be counted, however often they are scraped. */
export function deliveryFailures(log: FailureLogger): FailureLog {
  const what = "count the waiting alert messages";
  return new FailureLog({ log, what, next: "their metrics are left out" });
}

/** Delivery of alerts, with what waits in the database; without the latter where it can't be read. */
export async function deliveryMetrics(
  delivery: DeliveryCounts,
  { clock, failures }: { readonly clock: WallClock; readonly failures: FailureLog },
): Promise<readonly Metric[]> {
  let backlog: Awaited<ReturnType<DeliveryCounts["waiting"]>> | null = null;
  try {
    backlog = await delivery.waiting();
    failures.succeeded();
  } catch (cause) {
    failures.failed(cause);
  }
  const oldestDueMs = backlog?.oldestDueMs ?? null;
  return [
    {
      name: "exitability_alert_messages_total",
      help: "Messages with alerts: delivered, failed attempts, and messages given up (dead).",
      type: "counter",
      samples: knownBy("outcome", delivery.outcomes),
    },
    gauge(
      "exitability_alert_outbox_messages",
      "Messages with alerts that wait for delivery; absent if the database query failed.",
      backlog?.count ?? null,
    ),
    gauge(
      "exitability_alert_outbox_overdue_seconds",
      "Time since the oldest waiting message was due; absent if none waits.",
      oldestDueMs === null ? null : Math.max(0, clock.nowMs() - oldestDueMs) / 1_000,
    ),
  ];
}

/** Sign-in mails. */
export function signInMetrics({
  outcomes,
  capped,
}: Pick<SignInOutbox, "outcomes" | "capped">): readonly Metric[] {
  return [
    {
      name: "exitability_sign_in_mails_capped_total",
      help: "Sign-in mails that were not sent because a limit of the day was reached, by limit.",
      type: "counter",
      samples: knownBy("limit", capped),
    },
    {
      name: "exitability_sign_in_requests_total",
      help: "Requests for a sign-in code: handled, failed attempts, and mails given up (dead).",
      type: "counter",
      samples: knownBy("outcome", outcomes),
    },
  ];
}
