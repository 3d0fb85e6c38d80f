import { collectDefaultMetrics, Registry } from "prom-client";
import { gauge, known, knownBy, type Metric } from "./exposition.ts";
import type { ApiCounts, MetricsSources } from "./metrics.ts";

/** The default metrics of a Node process: memory, CPU time, garbage collection, event-loop lag. */
export function createProcessMetrics(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  // Gauges with a counter's name: sums of nodejs_active_handles and its like, by type.
  for (const what of ["handles", "requests", "resources"])
    registry.removeSingleMetric(`nodejs_active_${what}_total`);
  return registry;
}

export function serviceMetrics(
  sources: Pick<MetricsSources, "role" | "version" | "database" | "diskFreeBytes" | "led">,
  { databaseFailures }: Pick<ApiCounts, "databaseFailures">,
): readonly Metric[] {
  const { role, version, database } = sources;
  // If several processes share the work, the tracker has a second database connection of its own.
  const own = new Set([database, sources.led()?.database ?? database]);
  const failures = [...Array.from(own, (each) => each.failures), databaseFailures];
  const sum = (kind: "reads" | "writes") =>
    failures.reduce((total, each) => total + (each?.[kind] ?? 0), 0);
  return [
    {
      name: "exitability_build_info",
      help: "Always 1; the labels are the running version and the role.",
      type: "gauge",
      samples: known(1, { version, role }),
    },
    gauge(
      "exitability_data_disk_free_bytes",
      "Space left on the file system of DATA_DIR; with the embedded database /readyz is 503 below 1 MiB.",
      sources.diskFreeBytes(),
    ),
    {
      name: "exitability_database_failures_total",
      help: "Failed statements, without those that a constraint refused.",
      type: "counter",
      samples: knownBy("operation", { read: sum("reads"), write: sum("writes") }),
    },
  ];
}
