import type { Delivery } from "#src/alerts/alerting.ts";
import type { WallClock } from "#src/platform/clock.ts";
import { FailureLog, type FailureLogger } from "#src/platform/failure-log.ts";
import type { SignInOutbox } from "#src/users/sign-in-outbox.ts";
import { known, type Metric } from "./exposition.ts";

type OutboxBacklog = { readonly count: number; readonly oldestDueMs: number | null };

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

/** Delivery of alerts, with what waits in the database. */
export async function deliveryMetrics(
  delivery: DeliveryCounts,
  { clock, failures }: { readonly clock: WallClock; readonly failures: FailureLog },
): Promise<readonly Metric[]> {
  let waiting: OutboxBacklog | null = null;
  try {
    waiting = await delivery.waiting();
    failures.succeeded();
  } catch (cause) {
    failures.failed(cause);
  }
  return outboxMetrics({ outcomes: delivery.outcomes, waiting }, clock.nowMs());
}

/** Delivery of alerts; `waiting` is null if the database query failed. */
function outboxMetrics(
  outbox: {
    readonly outcomes: {
      readonly delivered: number;
      readonly failed: number;
      readonly dead: number;
    };
    readonly waiting: OutboxBacklog | null;
  },
  nowMs: number,
): readonly Metric[] {
  const { outcomes, waiting } = outbox;
  const oldestDueMs = waiting?.oldestDueMs ?? null;
  return [
    {
      name: "exitability_alert_messages_total",
      help: "Messages with alerts: delivered, failed attempts, and messages given up (dead).",
      type: "counter",
      samples: [
        ...known(outcomes.delivered, { outcome: "delivered" }),
        ...known(outcomes.failed, { outcome: "failed" }),
        ...known(outcomes.dead, { outcome: "dead" }),
      ],
    },
    {
      name: "exitability_alert_outbox_messages",
      help: "Messages with alerts that wait for delivery; absent if the database query failed.",
      type: "gauge",
      samples: known(waiting?.count ?? null),
    },
    {
      name: "exitability_alert_outbox_overdue_seconds",
      help: "Time since the oldest waiting message was due; absent if none waits.",
      type: "gauge",
      samples: known(oldestDueMs === null ? null : Math.max(0, nowMs - oldestDueMs) / 1_000),
    },
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
      samples: Object.entries(capped).flatMap(([limit, count]) => known(count, { limit })),
    },
    {
      name: "exitability_sign_in_requests_total",
      help: "Requests for a sign-in code: handled, failed attempts, and mails given up (dead).",
      type: "counter",
      samples: [
        ...known(outcomes.handled, { outcome: "handled" }),
        ...known(outcomes.failed, { outcome: "failed" }),
        ...known(outcomes.dead, { outcome: "dead" }),
      ],
    },
  ];
}
