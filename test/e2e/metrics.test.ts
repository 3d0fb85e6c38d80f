import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type TestContext, test } from "node:test";
import { DEMO_TOKENS } from "#demo/tokens.ts";
import { startDemoNode } from "#test/support/chain/demo-node.ts";
import { sqlitePlace } from "#test/support/databases/databases.ts";
import { closeAfter } from "#test/support/ending.ts";
import { eventually } from "#test/support/eventually.ts";
import {
  dashboardQueries,
  offeredBy,
  ruleQueries,
  selectorsOf,
} from "#test/support/processes/prometheus-queries.ts";
import { startTestService } from "#test/support/processes/service.ts";

const DASHBOARD = "docs/operations/grafana.json";
const RULES = "docs/operations/alert-rules.yml";
/** A swap has to happen, to be received, replayed and published. */
const FIRST_REPLAY_WITHIN_MS = 30_000;

async function read(url: string): Promise<string> {
  const response = await fetch(url);
  assert.equal(response.status, 200, url);
  return response.text();
}

/** Whether Prometheus' own tool accepts this. Without it the test is skipped; on CI that fails. */
function runPromtool(t: TestContext, args: readonly string[], input = ""): void {
  const options = { input, encoding: "utf8" } as const;
  const { status, stderr, error } = spawnSync("promtool", args, options);
  if (error !== undefined && process.env.CI === undefined)
    t.skip("no promtool: the Debian package prometheus has it");
  else assert.deepEqual([status, stderr], [0, ""], String(error));
}

test("the dashboard and the rules ask for nothing that a running service does not offer", async (t) => {
  const { environment } = await startDemoNode(t);
  const service = await startTestService(t, sqlitePlace(t), {
    ...environment,
    ACCOUNTS_DIR: "",
    METRICS_PORT: "0",
  });
  const metricsUrl = await eventually("the line that says where Prometheus reads", () => {
    const line = service.lines.find((text) => text.includes("metricsUrl"));
    return line === undefined ? null : String(JSON.parse(line).metricsUrl);
  });
  for (const { mint } of DEMO_TOKENS.slice(0, 3))
    await read(`${service.url}/api/token/${mint}/exitability`);
  const scrape = await eventually(
    "a swap that was replayed",
    async () => {
      const text = await read(metricsUrl);
      return text.includes("exitability_replays_exact_ratio{") ? text : null;
    },
    FIRST_REPLAY_WITHIN_MS,
  );
  await t.test("promtool has no objection to the metrics", (t) =>
    runPromtool(t, ["check", "metrics"], scrape),
  );
  await t.test("promtool has no objection to the rules", (t) =>
    runPromtool(t, ["check", "rules", RULES]),
  );
  const offered = offeredBy(scrape);
  const queries = [...dashboardQueries(DASHBOARD), ...ruleQueries(RULES)];
  assert.ok(queries.length > 40, `${queries.length} queries`);
  for (const [name, query] of queries) {
    const selectors = selectorsOf(query);
    assert.ok(selectors.length > 0, `${name} asks for something`);
    for (const { metric, labels } of selectors) {
      const known = offered.get(metric);
      assert.ok(known, `${name}: there is no metric ${metric}`);
      for (const label of labels) assert.ok(known.has(label), `${name}: ${metric} has no ${label}`);
    }
  }
  const outside = await fetch(`${service.url}/metrics`);
  assert.equal(outside.status, 404, "metrics are not for the public");
  assert.equal(await service.stop(), 0);
});

test("slow answers raise an alert, and an agent's tool that watches for a minute does not", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "rules-"));
  closeAfter(t, () => rmSync(folder, { recursive: true }));
  const file = join(folder, "slow.test.yml");
  const slowRoute = (route: string, expected: readonly object[]) => ({
    interval: "1m",
    input_series: [
      ...durations("/api/token/:id/exitability", { perMinute: 60, slowPerMinute: 0 }),
      ...durations(route, { perMinute: 6, slowPerMinute: 6 }),
    ],
    alert_rule_test: [{ eval_time: "20m", alertname: "ExitabilitySlow", exp_alerts: expected }],
  });
  const alert = {
    exp_labels: { severity: "warning", instance: "a", job: "exitability" },
    exp_annotations: { summary: "a takes 10s or more for one answer in a hundred." },
  };
  const tests = [
    slowRoute("/api/token/:id/exitability/at", [alert]),
    slowRoute("/api/stream", []),
    slowRoute("/mcp", []),
  ];
  writeFileSync(file, JSON.stringify({ rule_files: [resolve(RULES)], tests }));
  runPromtool(t, ["test", "rules", file]);
});

/** The buckets of a route's requests over twenty minutes, of which `slowPerMinute` take more than 10 s. */
function durations(route: string, rates: { perMinute: number; slowPerMinute: number }) {
  const series = (le: string, perMinute: number) => ({
    series: `exitability_http_request_duration_seconds_bucket{instance="a",job="exitability",route="${route}",le="${le}"}`,
    values: `0+${perMinute}x20`,
  });
  const fast = rates.perMinute - rates.slowPerMinute;
  return [series("2.5", fast), series("10", fast), series("+Inf", rates.perMinute)];
}

test("the dashboard can be imported: it asks for the data source, and no panels overlap", () => {
  const dashboard = JSON.parse(readFileSync(DASHBOARD, "utf8"));
  assert.equal(dashboard.id, null);
  assert.equal(dashboard.__inputs, undefined);
  const [source] = dashboard.templating.list;
  assert.deepEqual(
    [source.name, source.type, source.query],
    ["datasource", "datasource", "prometheus"],
  );
  const cells = new Set<string>();
  const ids = new Set<number>();
  for (const { id, title, type, gridPos, datasource } of dashboard.panels) {
    assert.ok(!ids.has(id), `${title} has an id of its own`);
    ids.add(id);
    if (type !== "row") assert.equal(datasource.uid, `\${${source.name}}`, title);
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
        assert.ok(x < 24 && !cells.has(`${x} ${y}`), `${title} lies on another panel`);
        cells.add(`${x} ${y}`);
      }
    }
  }
});

test("a query's selectors are found at any position", () => {
  assert.deepEqual(
    selectorsOf(
      'sum by (le, x) (rate(a_total{p="by (q)",r!~"x"}[5m])) / ignoring(y) b > 1 and on (z) c_d == 0',
    ),
    [
      { metric: "a_total", labels: ["p", "r"] },
      { metric: "b", labels: [] },
      { metric: "c_d", labels: [] },
    ],
  );
});
