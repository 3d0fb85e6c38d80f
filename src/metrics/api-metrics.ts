import type { Admission } from "#src/api/admission.ts";
import type { RequestCounts } from "#src/api/request-counts.ts";
import type { LoopDelay } from "#src/platform/loop-delay.ts";
import type { Users } from "#src/users/users.ts";
import { gauge, type Metric } from "./exposition.ts";
import { admissionMetrics, httpMetrics } from "./http-metrics.ts";
import { signInMetrics } from "./message-metrics.ts";

/** The parts that answer requests. They count for themselves and do not depend on metrics. */
export type ApiParts = {
  readonly requests: RequestCounts;
  readonly admission: Pick<Admission, "refused">;
  readonly loopDelay: Pick<LoopDelay, "takeP99Seconds">;
  /** Null where another process signs users in. */
  readonly signIn: Pick<Users["outbox"], "outcomes" | "capped"> | null;
};

/** What answers requests, as plain data: it may run in a thread of its own. */
export function apiMetrics({
  requests,
  admission,
  loopDelay,
  signIn,
}: ApiParts): readonly Metric[] {
  return [
    ...httpMetrics(requests),
    ...admissionMetrics(admission),
    gauge(
      "exitability_api_event_loop_delay_p99_seconds",
      "99th percentile of the delays of the event loop that answers requests, since the last scrape.",
      loopDelay.takeP99Seconds(),
    ),
    ...(signIn === null ? [] : signInMetrics(signIn)),
  ];
}
