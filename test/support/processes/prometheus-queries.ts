import { readFileSync } from "node:fs";

/** What a query asks Prometheus for: a metric, and the labels that it is chosen by. */
export type Selector = { readonly metric: string; readonly labels: readonly string[] };

const WORDS = new Set(["and", "or", "unless", "by", "without", "on", "ignoring"]);
/** Given to every sample by Prometheus itself. */
const OF_THE_SCRAPE = new Set(["instance", "job"]);

/** Every query of a dashboard's panels, by the panel's title. */
export function dashboardQueries(file: string): readonly (readonly [string, string])[] {
  const { panels } = JSON.parse(readFileSync(file, "utf8")) as {
    panels: readonly { title: string; targets?: readonly { expr: string }[] }[];
  };
  return panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => [title, expr] as const),
  );
}

/** The condition of every rule, by the alert's name: each is on one line. */
export function ruleQueries(file: string): readonly (readonly [string, string])[] {
  const text = readFileSync(file, "utf8");
  return [...text.matchAll(/- alert: (\w+)\n\s+expr: (.+)\n/g)].map(
    ([, name = "", expr = ""]) => [name, expr] as const,
  );
}

/** The selectors of a query, however they are combined. */
export function selectorsOf(query: string): readonly Selector[] {
  const bare = query
    .replaceAll(/"(?:[^"\\]|\\.)*"/g, '""')
    .replaceAll(/\b(?:by|without|on|ignoring)\s*\([^)]*\)/g, " ")
    .replaceAll(/\[[^\]]*\]/g, " ");
  return [...bare.matchAll(/([a-zA-Z_:][\w:]*)\s*(\{[^}]*\}|\()?/g)].flatMap(
    ([, metric = "", rest = ""]) => {
      if (rest === "(" || WORDS.has(metric)) return [];
      const labels = [...rest.matchAll(/(\w+)\s*[=!]/g)].map(([, label = ""]) => label);
      return [{ metric, labels: labels.filter((label) => !OF_THE_SCRAPE.has(label)) }];
    },
  );
}

/** What a scrape offers: the label names of each metric's samples, none where it has no sample. */
export function offeredBy(scrape: string): ReadonlyMap<string, ReadonlySet<string>> {
  const offered = new Map<string, Set<string>>();
  for (const line of scrape.split("\n")) {
    const [, declared, type] = /^# TYPE (\S+) (\w+)/.exec(line) ?? [];
    if (declared !== undefined) {
      const suffixes = type === "histogram" ? ["_bucket", "_sum", "_count"] : [""];
      for (const suffix of suffixes) offered.set(declared + suffix, new Set());
      continue;
    }
    const [, name = "", labels = ""] = /^(\w+)(\{.*\})? \S+$/.exec(line) ?? [];
    for (const [, label = ""] of labels.matchAll(/(\w+)="/g)) offered.get(name)?.add(label);
  }
  return offered;
}
