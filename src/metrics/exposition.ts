/** One number of a metric. An unknown number has no sample: Prometheus distinguishes absent from 0. */
export type MetricSample = {
  readonly labels?: Readonly<Record<string, string | number>>;
  readonly value: number;
  /** `_bucket`, `_sum` or `_count` of a histogram. */
  readonly suffix?: string;
};

export type Metric = {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly samples: readonly MetricSample[];
};

/** A sample, or none if the value is null. */
export function known(
  value: number | null,
  labels: MetricSample["labels"] = {},
): readonly MetricSample[] {
  return value === null ? [] : [{ labels, value }];
}

/** A sample for each of the counts, under its own name as the label. */
export function knownBy(
  label: string,
  counts: Readonly<Record<string, number>>,
): readonly MetricSample[] {
  return Object.entries(counts).map(([name, value]) => ({ labels: { [label]: name }, value }));
}

/** A gauge of one number; null: it has no sample. */
export function gauge(name: string, help: string, value: number | null): Metric {
  return { name, help, type: "gauge", samples: known(value) };
}

/**
 * The metrics in Prometheus' text format. Not written by prom-client, whose metrics keep their own
 * numbers and start at 0 before anything is known.
 */
export function exposition(metrics: readonly Metric[]): string {
  return metrics.map(describe).join("\n");
}

function describe({ name, help, type, samples }: Metric): string {
  const lines = samples.map(
    ({ labels = {}, value, suffix = "" }) => `${name}${suffix}${labelText(labels)} ${value}`,
  );
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines, ""].join("\n");
}

function labelText(labels: Readonly<Record<string, string | number>>): string {
  const parts = Object.entries(labels).map(
    ([name, value]) => `${name}="${escaped(String(value))}"`,
  );
  return parts.length === 0 ? "" : `{${parts.join(",")}}`;
}

function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"');
}
