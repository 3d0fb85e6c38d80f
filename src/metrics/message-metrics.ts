import { known, type Metric } from "./exposition.ts";

type Waiting = { readonly count: number; readonly oldestDueMs: number | null };

/** Alerts that were found. */
export function alertMetrics(recorded: number): readonly Metric[] {
  return [
    {
      name: "exitability_alerts_total",
      help: "Alerts that were found and written.",
      type: "counter",
      samples: known(recorded),
    },
  ];
}

/** How alerts go out; `waiting` is null where the database did not say. */
export function outboxMetrics(
  outbox: {
    readonly outcomes: {
      readonly delivered: number;
      readonly failed: number;
      readonly dead: number;
    };
    readonly waiting: Waiting | null;
  },
  nowMs: number,
): readonly Metric[] {
  const { outcomes, waiting } = outbox;
  const oldestDueMs = waiting?.oldestDueMs ?? null;
  return [
    {
      name: "exitability_alert_messages_total",
      help: "Messages with alerts: delivered, attempts that failed, and messages that were given up (dead).",
      type: "counter",
      samples: [
        ...known(outcomes.delivered, { outcome: "delivered" }),
        ...known(outcomes.failed, { outcome: "failed" }),
        ...known(outcomes.dead, { outcome: "dead" }),
      ],
    },
    {
      name: "exitability_alert_outbox_messages",
      help: "Messages with alerts that wait to be delivered; absent where the database does not say.",
      type: "gauge",
      samples: known(waiting?.count ?? null),
    },
    {
      name: "exitability_alert_outbox_overdue_seconds",
      help: "How long the oldest waiting message has been due; absent where none waits.",
      type: "gauge",
      samples: known(oldestDueMs === null ? null : Math.max(0, nowMs - oldestDueMs) / 1_000),
    },
  ];
}

/** The mails that let users sign in. */
export function signInMetrics(outcomes: {
  readonly handled: number;
  readonly failed: number;
  readonly dead: number;
}): readonly Metric[] {
  return [
    {
      name: "exitability_sign_in_requests_total",
      help: "Requests for a sign-in code: handled, attempts that failed, and mails that were given up (dead).",
      type: "counter",
      samples: [
        ...known(outcomes.handled, { outcome: "handled" }),
        ...known(outcomes.failed, { outcome: "failed" }),
        ...known(outcomes.dead, { outcome: "dead" }),
      ],
    },
  ];
}
