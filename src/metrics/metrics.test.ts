import assert from "node:assert/strict";
import { test } from "node:test";
import type { ProgramReport } from "#src/accuracy/program-deployments.ts";
import { Admission } from "#src/api/admission.ts";
import { RequestCounts } from "#src/api/request-counts.ts";
import { NOTHING_TRACKED } from "#src/track/tracker-health.ts";
import { SILENT_LOG, warningsTo } from "#test/support/failure-loggers.ts";
import { apiMetrics } from "./api-metrics.ts";
import { createMetrics, type LedSources, type MetricsSources } from "./metrics.ts";

const NOW = 1_800_000_000_000;

const NO_MAILS = {
  mailbox_from_asker: 0,
  mailbox: 0,
  address: 0,
  new_from_address: 0,
  new_to_domain: 0,
  new: 0,
  all: 0,
};
const NO_OUTCOMES = { delivered: 0, failed: 0, dead: 0 };

/** Samples of the last of some scrapes, by name and labels as written. */
async function scrape(
  change: Partial<Omit<MetricsSources, "led">> & { readonly led?: Partial<LedSources> | null } = {},
  { scrapes = 1, log = SILENT_LOG } = {},
): Promise<ReadonlyMap<string, number>> {
  const database = { failures: { reads: 0, writes: 0 } };
  const led = change.led === null ? null : { ...someLed(), ...change.led };
  const metrics = await createMetrics(
    {
      role: "all",
      version: "0.0.0",
      api: () => countsOf(new RequestCounts()),
      database,
      diskFreeBytes: () => 5_000_000,
      health: () => NOTHING_TRACKED,
      delivery: { outcomes: NO_OUTCOMES, waiting: async () => ({ count: 0, oldestDueMs: null }) },
      ...change,
      led: () => led,
    },
    { clock: { nowMs: () => NOW }, log },
  );
  for (let earlier = 1; earlier < scrapes; earlier++) await metrics.text();
  const lines = (await metrics.text()).split("\n");
  return new Map(
    lines
      .filter((line) => line !== "" && !line.startsWith("#"))
      .map((line) => {
        const end = line.lastIndexOf(" ");
        return [line.slice(0, end), Number(line.slice(end + 1))];
      }),
  );
}

function countsOf(requests: RequestCounts) {
  const signIn = {
    outcomes: { handled: 0, failed: 0, dead: 0 },
    capped: { ...NO_MAILS, all: 2 },
  };
  const admission = new Admission();
  const loopDelay = { takeP99Seconds: () => null };
  return {
    metrics: apiMetrics({ requests, admission, loopDelay, signIn }),
    databaseFailures: null,
  };
}

function someLed(): LedSources {
  return {
    tracker: { health: () => NOTHING_TRACKED },
    accuracy: { report: () => ({ venues: [], quoted: [] }) },
    recorder: { recorded: 0 },
    database: { failures: { reads: 0, writes: 0 } },
    node: {
      calls: () => [{ method: "getMultipleAccounts", outcome: "rate-limited", calls: 3 }],
      refusals: () => [],
    },
  };
}

test("failures of the API's own database connection are added to those of the process", async () => {
  const samples = await scrape({
    api: () => ({ metrics: [], databaseFailures: { reads: 2, writes: 3 } }),
    database: { failures: { reads: 10, writes: 20 } },
    led: null,
  });
  const failures = (operation: string) =>
    samples.get(`exitability_database_failures_total{operation="${operation}"}`);
  assert.deepEqual([failures("read"), failures("write")], [12, 23]);
});

test("failures of a connection whose thread does not reply in time stay counted", async () => {
  const replies = [{ reads: 2, writes: 3 }, null];
  const samples = await scrape(
    { api: () => ({ metrics: [], databaseFailures: replies.shift() ?? null }), led: null },
    { scrapes: 2 },
  );
  assert.equal(samples.get('exitability_database_failures_total{operation="write"}'), 3);
});

test("a database that can't count the waiting messages is logged once, not at each scrape", async () => {
  const waiting = async () => Promise.reject(new Error("the database is gone"));
  const warnings: unknown[] = [];
  await scrape(
    { delivery: { outcomes: NO_OUTCOMES, waiting } },
    { scrapes: 3, log: warningsTo((context) => warnings.push(context)) },
  );
  assert.equal(warnings.length, 1);
});

test("calls to the node are counted by method and outcome", async () => {
  const samples = await scrape();
  const name = 'exitability_rpc_calls_total{method="getMultipleAccounts",outcome="rate-limited"}';
  assert.equal(samples.get(name), 3);
  assert.equal(samples.get("exitability_rpc_refused_programs"), 0);
});

test("the stream in use has 1, the others 0; where none is known there is no sample", async () => {
  const stream = { configured: "grpc", inUse: "websocket", reason: "refused", sinceMs: 1 } as const;
  const samples = await scrape({ health: () => ({ ...NOTHING_TRACKED, stream }) });
  const sampleOf = (inUse: string) =>
    samples.get(`exitability_chain_stream{in_use="${inUse}",configured="grpc"}`);
  assert.deepEqual(["grpc", "websocket", "polling"].map(sampleOf), [0, 1, 0]);
  const unknown = await scrape();
  assert.ok(![...unknown.keys()].some((name) => name.startsWith("exitability_chain_stream")));
});

test("an unknown value has no sample, and is never 0", async () => {
  const waiting = async () => Promise.reject(new Error("the database is gone"));
  const samples = await scrape({ delivery: { outcomes: NO_OUTCOMES, waiting } });
  for (const name of [
    "exitability_chain_age_seconds",
    "exitability_chain_slot_lag",
    "exitability_chain_head_slot",
    "exitability_chain_reads_failing_seconds",
    "exitability_alert_outbox_messages",
    "exitability_alert_outbox_overdue_seconds",
  ])
    assert.ok(!samples.has(name), name);
  assert.equal(samples.get("exitability_tracked_tokens"), 0);
  assert.ok((samples.get("nodejs_eventloop_lag_seconds") ?? 0) > 0);
});

test("a venue whose swaps could not be replayed has counts, and no share of exact ones", async () => {
  const none = { exact: 0, within1Bp: 0, worstBps: null, skipped: {} };
  const seen = { ...none, seen: 3, replayed: 0, skipped: { "exact-out": 2, "old-event": 1 } };
  const windows = { hour: seen, day: seen, month: seen };
  const program = someProgram({ state: { kind: "immutable" } });
  const venues = [
    { venue: "pumpswap", windows, exactPct: null, lowersConfidence: false, program } as const,
  ];
  const samples = await scrape({
    led: { accuracy: { report: () => ({ venues, quoted: [] }) } },
  });
  const swaps = (outcome: string) =>
    samples.get(`exitability_swaps_last_hour{venue="pumpswap",outcome="${outcome}"}`);
  assert.deepEqual([swaps("seen"), swaps("replayed"), swaps("exact")], [3, 0, 0]);
  const skipped = (reason: string) =>
    samples.get(`exitability_swaps_skipped_last_hour{venue="pumpswap",reason="${reason}"}`);
  assert.deepEqual([skipped("exact-out"), skipped("old-event")], [2, 1]);
  assert.equal(skipped("clock-unknown"), undefined);
  for (const share of ["exact_ratio", "worst_bps"])
    assert.ok(![...samples.keys()].some((name) => name.includes(share)), share);
});

test("a program's deployed slot has a sample if it is known, and its last upgrade if one was seen", async () => {
  const none = { seen: 0, replayed: 0, exact: 0, within1Bp: 0, worstBps: null, skipped: {} };
  const windows = { hour: none, day: none, month: none };
  const show = async (change: Partial<ProgramReport>) => {
    const program = someProgram(change);
    const venues = [
      { venue: "pumpswap", windows, exactPct: null, lowersConfidence: false, program } as const,
    ];
    const samples = await scrape({ led: { accuracy: { report: () => ({ venues, quoted: [] }) } } });
    return [
      samples.get('exitability_program_deployed_slot{venue="pumpswap"}'),
      samples.get('exitability_program_upgrade_seen_timestamp_seconds{venue="pumpswap"}'),
    ];
  };
  const state = { kind: "deployed", slot: 431_172_301n, isUpgradeable: true } as const;
  const upgrade = { slot: 431_172_301n, previousSlot: 430_000_000n, seenAtMs: NOW - 500 };
  assert.deepEqual(await show({ state, upgrade }), [431_172_301, NOW / 1_000 - 0.5]);
  assert.deepEqual(await show({ state }), [431_172_301, undefined]);
  for (const unknown of [{ kind: "immutable" }, { kind: "unknown", reason: "not-read" }] as const)
    assert.deepEqual(await show({ state: unknown }), [undefined, undefined]);
});

function someProgram(change: Partial<ProgramReport>): ProgramReport {
  const state = { kind: "unknown", reason: "not-read" } as const;
  return { venue: "pumpswap", state, readAtMs: null, upgrade: null, ...change };
}

test("known values are in seconds, with the time since the oldest message was due", async () => {
  const health = {
    ...NOTHING_TRACKED,
    chainAgeMs: 1_500,
    slotLag: 0,
    readsFailingSinceMs: NOW - 2_000,
  };
  const waiting = async () => ({ count: 2, oldestDueMs: NOW - 30_000 });
  const samples = await scrape({
    health: () => ({ ...health, headSlot: 7n }),
    led: { tracker: { health: () => health }, recorder: { recorded: 4 } },
    delivery: { outcomes: NO_OUTCOMES, waiting },
  });
  const shown = [
    "exitability_chain_age_seconds",
    "exitability_chain_slot_lag",
    "exitability_chain_head_slot",
    "exitability_chain_reads_failing_seconds",
    "exitability_alerts_total",
    "exitability_alert_outbox_messages",
    "exitability_alert_outbox_overdue_seconds",
  ].map((name) => samples.get(name));
  assert.deepEqual(shown, [1.5, 0, 7, 2, 4, 2, 30]);
});

test("durations are a cumulative histogram whose last bucket is its count", async () => {
  const requests = new RequestCounts();
  const counts = requests.of("GET", '/a"\\b');
  for (const ms of [0.05, 0.1, 3, 20_000]) counts.count(200, ms);
  const samples = await scrape({ api: () => countsOf(requests) });
  const labels = String.raw`method="GET",route="/a\"\\b"`;
  const name = "exitability_http_request_duration_seconds";
  const upTo = (le: string) => samples.get(`${name}_bucket{${labels},le="${le}"}`);
  assert.deepEqual(
    ["0.0001", "0.001", "0.0025", "0.005", "10", "+Inf"].map(upTo),
    [2, 2, 2, 3, 3, 4],
  );
  assert.equal(samples.get(`${name}_count{${labels}}`), 4);
  assert.ok(Math.abs((samples.get(`${name}_sum{${labels}}`) ?? 0) - 20.00315) < 1e-9);
  assert.equal(samples.get(`exitability_http_requests_total{${labels},status="200"}`), 4);
});

test("an API process has freshness metrics, and none of the other parts'", async () => {
  const health = () => ({ chainAgeMs: 400, slotLag: 1, headSlot: 7n, stream: null });
  const samples = await scrape({ role: "api", health, led: null, delivery: null });
  assert.equal(samples.get("exitability_chain_age_seconds"), 0.4);
  assert.equal(samples.get('exitability_build_info{version="0.0.0",role="api"}'), 1);
  const others = [...samples.keys()].filter((name) => /tracked|alert|swaps|loads/.test(name));
  assert.deepEqual(others, []);
});

test("failures of the tracker's own database are added to the process's", async () => {
  const samples = await scrape({
    database: { failures: { reads: 1, writes: 0 } },
    led: { database: { failures: { reads: 2, writes: 3 } } },
  });
  const failed = (operation: string) =>
    samples.get(`exitability_database_failures_total{operation="${operation}"}`);
  assert.deepEqual([failed("read"), failed("write")], [3, 3]);
});
