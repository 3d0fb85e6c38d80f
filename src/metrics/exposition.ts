/** One number of a metric. What is not known is no sample: Prometheus tells absent from 0. */
export type Sample = {
  readonly labels?: Readonly<Record<string, string | number>>;
  readonly value: number;
  /** `_bucket`, `_sum` or `_count` of a histogram. */
  readonly suffix?: string;
};

export type Metric = {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly samples: readonly Sample[];
};

/** A sample where the value is known, and none where it is null. */
export function known(value: number | null, labels: Sample["labels"] = {}): readonly Sample[] {
  return value === null ? [] : [{ labels, value }];
}

/**
 * The metrics in Prometheus' text format. Written here, from numbers kept elsewhere, because
 * prom-client's own metrics keep the numbers themselves, and begin at 0 where nothing is known yet.
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
