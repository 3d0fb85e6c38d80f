import { setImmediate } from "node:timers/promises";
import type { AccuracyReport } from "#src/accuracy/accuracy.ts";
import type { Judging } from "#src/alerts/alerting.ts";
import type { WallClock } from "#src/platform/clock.ts";
import type { FailureLogger } from "#src/platform/failure-log.ts";
import type { Database } from "#src/store/connection/database.ts";
import type { QueryFailures } from "#src/store/connection/query-failures.ts";
import type { Tracker } from "#src/track/tracker.ts";
import { accuracyMetrics } from "./accuracy-metrics.ts";
import { exposition, type Metric } from "./exposition.ts";
import {
  alertMetrics,
  type DeliveryCounts,
  deliveryFailures,
  deliveryMetrics,
} from "./message-metrics.ts";
import { type NodeCounts, nodeMetrics } from "./node-metrics.ts";
import { createProcessMetrics, serviceMetrics } from "./process-metrics.ts";
import { type Freshness, freshnessMetrics, trackingMetrics } from "./tracking-metrics.ts";

/** The parts that run only in the tracker's process. */
export type LedSources = {
  readonly tracker: Pick<Tracker, "health">;
  readonly accuracy: { readonly report: () => Pick<AccuracyReport, "venues"> };
  readonly recorder: Pick<Judging["recorder"], "recorded">;
  readonly database: Pick<Database, "failures">;
  readonly node: NodeCounts;
};

/**
 * The parts that provide numbers: they count for themselves and do not depend on metrics. A part that
 * this process does not run is null and has no samples; another process has them.
 */
export type MetricsSources = {
  readonly role: string;
  readonly version: string;
  readonly api: () => ApiCounts | Promise<ApiCounts>;
  readonly database: Pick<Database, "failures">;
  /** Space left where DATA_DIR is; null where unknown. */
  readonly diskFreeBytes: () => number | null;
  /** How fresh this process's chain data is, even if another process follows the chain. */
  readonly health: () => Freshness | null;
  readonly led: () => LedSources | null;
  readonly delivery: DeliveryCounts | null;
};

/** What the parts that answer requests and send alerts have counted, as plain data: they may run in a thread of their own. */
export type ApiCounts = {
  readonly metrics: readonly Metric[];
  /** Failed statements of a database connection of their own; null: they use the connection of the process. */
  readonly databaseFailures: QueryFailures | null;
};

export type Metrics = {
  /** The current metrics in Prometheus' text format. */
  readonly text: () => Promise<string>;
  readonly contentType: string;
};

export async function createMetrics(
  sources: MetricsSources,
  { clock, log }: { readonly clock: WallClock; readonly log: FailureLogger },
): Promise<Metrics> {
  const { delivery } = sources;
  const failures = deliveryFailures(log);
  /** As last counted: where the API's thread does not reply in time, a counter must not go back. */
  let ofApi: QueryFailures | null = null;
  const process = createProcessMetrics();
  // prom-client reports the event-loop lag one scrape late: without this first scrape it would be 0.
  await process.metrics();
  await setImmediate();

  return {
    contentType: process.contentType,
    async text() {
      const [processText, outbox, api] = await Promise.all([
        process.metrics(),
        delivery === null ? [] : deliveryMetrics(delivery, { clock, failures }),
        sources.api(),
      ]);
      ofApi = api.databaseFailures ?? ofApi;
      const own = exposition([
        ...serviceMetrics(sources, { databaseFailures: ofApi }),
        ...api.metrics,
        ...freshnessMetrics(sources.health()),
        ...ledMetrics(sources.led(), clock.nowMs()),
        ...outbox,
      ]);
      return `${own}\n${processText}`;
    },
  };
}

function ledMetrics(led: LedSources | null, nowMs: number): readonly Metric[] {
  if (led === null) return [];
  return [
    ...trackingMetrics(led.tracker.health(), nowMs),
    ...nodeMetrics(led.node),
    ...alertMetrics(led.recorder.recorded),
    ...accuracyMetrics(led.accuracy.report()),
  ];
}
