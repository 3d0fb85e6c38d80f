import type { Admission } from "#src/api/admission.ts";
import { DURATION_ENDS_MS, type RequestCounts, type RouteCounts } from "#src/api/request-counts.ts";
import { knownBy, type Metric, type MetricSample } from "./exposition.ts";

/** Requests by route pattern: their statuses, and their time inside the process. */
export function httpMetrics(counts: RequestCounts): readonly Metric[] {
  const routes = [...counts.all()];
  return [
    {
      name: "exitability_http_requests_total",
      help: "Finished requests by method, route pattern and status; 499: the caller disconnected first.",
      type: "counter",
      samples: routes.flatMap(({ method, route, byStatus }) =>
        Array.from(byStatus, ([status, value]) => ({ labels: { method, route, status }, value })),
      ),
    },
    {
      name: "exitability_http_request_duration_seconds",
      help: "Time from a request's headers to its end; for a stream, the time it was open.",
      type: "histogram",
      samples: routes.flatMap(histogramOf),
    },
  ];
}

/** Requests refused before any work. */
export function admissionMetrics({ refused }: Pick<Admission, "refused">): readonly Metric[] {
  return [
    {
      name: "exitability_requests_refused_total",
      help: "Requests refused with 503 overloaded: because of load, or because the process is stopping.",
      type: "counter",
      samples: knownBy("reason", {
        overloaded: refused.overloaded,
        stopping: refused.stopping,
      }),
    },
  ];
}

function histogramOf({ method, route, byDuration, totalMs }: RouteCounts): readonly MetricSample[] {
  let value = 0;
  const buckets = Array.from(byDuration, (count, place) => {
    value += count;
    const endMs = DURATION_ENDS_MS[place];
    const le = endMs === undefined ? "+Inf" : String(endMs / 1_000);
    return { suffix: "_bucket", labels: { method, route, le }, value };
  });
  const labels = { method, route };
  return [
    ...buckets,
    { suffix: "_sum", labels, value: totalMs / 1_000 },
    { suffix: "_count", labels, value },
  ];
}
