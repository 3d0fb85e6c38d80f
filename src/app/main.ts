import type { Logger } from "pino";
import { createExportHandler } from "#src/export/export-handler.ts";
import { createMetrics, type MetricsSources } from "#src/metrics/metrics.ts";
import { listenForScrapes, type MetricsServer } from "#src/metrics/metrics-server.ts";
import { systemClock } from "#src/platform/clock.ts";
import { openAlone } from "./alone.ts";
import { Closers } from "./closers.ts";
import type { Config } from "./config.ts";
import { openBase, type ProcessBase } from "./process-base.ts";
import { sharedUrls } from "./roles.ts";
import { openShared } from "./shared.ts";
import { openThreaded } from "./threaded.ts";
import type { TrackerFacts } from "./tracker-role.ts";

export type Service = {
  readonly url: string;
  /** The address that Prometheus reads; null if no METRICS_PORT is set. */
  readonly metricsUrl: string | null;
  /** The demo market's named tokens that are known so far; empty on any other chain. */
  readonly examples: TrackerFacts["examples"];
  /** Finishes running requests, refuses new ones, and closes every part, last opened first. */
  readonly close: () => Promise<void>;
};

/** Opens the parts of this process's role, and listens. */
export async function startService(config: Config, logger: Logger): Promise<Service> {
  const closers = new Closers();
  try {
    const base = await openBase(config, logger, closers);
    const urls = sharedUrls(config);
    const { app, examples, sources } = await (urls !== null
      ? openShared(base, urls)
      : config.hasApiThread
        ? openThreaded(base)
        : openAlone(base));
    const metrics = await openMetrics(base, sources);
    if (metrics !== null) closers.push(metrics.close);
    closers.push(async () => void (await app.close()));
    const url = await app.listen({ host: config.host, port: config.port });
    const metricsUrl = metrics?.url ?? null;
    return { url, metricsUrl, examples: examples(), close: () => closers.close() };
  } catch (error) {
    await closers.close();
    throw error;
  }
}

async function openMetrics(
  { config, database, logger: log }: ProcessBase,
  sources: MetricsSources,
): Promise<MetricsServer | null> {
  const { metricsPort: port, host } = config;
  if (port === null) return null;
  const metrics = await createMetrics(sources, { clock: systemClock, log });
  return listenForScrapes({ metrics, exports: createExportHandler(database), log }, { host, port });
}
