import { setImmediate } from "node:timers/promises";
import type { BaseLogger } from "pino";
import type { Accuracy } from "#src/accuracy/accuracy.ts";
import type { Admission } from "#src/http/admission.ts";
import type { RequestCounts } from "#src/http/request-counts.ts";
import type { NowMs } from "#src/platform/clock.ts";
import type { Database } from "#src/store/database.ts";
import type { Tracker } from "#src/track/tracker.ts";
import type { TrackerHealth } from "#src/track/tracker-health.ts";
import type { Users } from "#src/users/users.ts";
import type { Delivery, Judging } from "#src/watchlist/alerting.ts";
import { accuracyMetrics } from "./accuracy-metrics.ts";
import { exposition, type Metric } from "./exposition.ts";
import { admissionMetrics, httpMetrics } from "./http-metrics.ts";
import { alertMetrics, outboxMetrics, signInMetrics } from "./message-metrics.ts";
import { createProcessMetrics, serviceMetrics } from "./process-metrics.ts";
import { currencyMetrics, trackingMetrics } from "./tracking-metrics.ts";

/** What works in the one process that tracks. */
export type LedSources = {
  readonly tracker: Pick<Tracker, "health">;
  readonly accuracy: Pick<Accuracy, "report">;
  readonly rules: Pick<Judging["rules"], "recorded">;
  readonly database: Pick<Database, "failures">;
};

/**
 * The parts whose numbers are shown: they count for themselves, and know nothing of metrics. What a
 * process does not do is null, and has no samples: another process has them.
 */
export type MetricsSources = {
  readonly role: string;
  readonly version: string;
  readonly requests: RequestCounts;
  readonly admission: Pick<Admission, "refused">;
  readonly database: Pick<Database, "failures">;
  /** How current what this process knows is, whoever follows the chain. */
  readonly health: () => Currency | null;
  readonly led: () => LedSources | null;
  readonly delivery: Pick<Delivery["outbox"], "outcomes" | "waiting"> | null;
  readonly signIn: Pick<Users["outbox"], "outcomes"> | null;
};

type Currency = Pick<TrackerHealth, "chainAgeMs" | "slotLag" | "headSlot">;

export type Metrics = {
  /** All metrics as they stand now, in Prometheus' text format. */
  readonly text: () => Promise<string>;
  readonly contentType: string;
};

export async function createMetrics(
  sources: MetricsSources,
  { nowMs, log }: { readonly nowMs: NowMs; readonly log: Pick<BaseLogger, "warn"> },
): Promise<Metrics> {
  const { delivery, signIn } = sources;
  const process = createProcessMetrics();
  // Its event-loop lag is told one scrape later than it was measured: the first would say 0.
  await process.metrics();
  await setImmediate();

  async function deliveryMetrics(): Promise<readonly Metric[]> {
    if (delivery === null) return [];
    const waiting = await delivery.waiting().catch((err: unknown) => {
      log.warn({ err }, "metrics could not read what waits to be sent");
      return null;
    });
    return outboxMetrics({ outcomes: delivery.outcomes, waiting }, nowMs());
  }

  return {
    contentType: process.contentType,
    async text() {
      const [processText, outbox] = await Promise.all([process.metrics(), deliveryMetrics()]);
      const own = exposition([
        ...serviceMetrics(sources),
        ...httpMetrics(sources.requests),
        ...admissionMetrics(sources.admission),
        ...currencyMetrics(sources.health()),
        ...ledMetrics(sources.led(), nowMs()),
        ...outbox,
        ...(signIn === null ? [] : signInMetrics(signIn.outcomes)),
      ]);
      return `${own}\n${processText}`;
    },
  };
}

function ledMetrics(led: LedSources | null, nowMs: number): readonly Metric[] {
  if (led === null) return [];
  return [
    ...trackingMetrics(led.tracker.health(), nowMs),
    ...alertMetrics(led.rules.recorded),
    ...accuracyMetrics(led.accuracy.report()),
  ];
}
