import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { formatTable } from "#src/cli/output.ts";
import { DEMO_TOKENS } from "#src/local-node/demo-tokens.ts";

// What happens beyond the maximum: ordinary answers (anonymous callers, each counted on disk), asked
// for by as many connections as keep the service busy, then by many times as many; what is refused,
// what memory it takes, whether the process's watchers are still answered, and how soon it is over.

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    seconds: { type: "string", default: "8" },
    connections: { type: "string", default: "64" },
    flood: { type: "string", default: "4000" },
  },
});

type Result = {
  readonly requests: { readonly average: number };
  readonly latency: { readonly p50: number; readonly p99: number };
  readonly statusCodeStats?: Readonly<Record<string, { readonly count: number }>>;
  readonly errors: number;
};
type Request = { headers: Record<string, string> };
type Autocannon = (options: object) => Promise<Result>;

const MINT = DEMO_TOKENS[0]?.mint ?? "";
const PATH = `/api/token/${MINT}/exitability?size=5`;
const STEADY_ANSWERS = 20;
let asked = 0;

const dataDir = mkdtempSync(join(tmpdir(), "exitability-overload-"));
const service = await startService();
try {
  const { url } = service;
  await (await ask(url, 0)).arrayBuffer();
  const usual = await load(url, Number(values.connections));
  const usualBytes = residentBytes(service.child);
  const watching = watch(`${url}/healthz`);
  const flood = await load(url, Number(values.flood));
  const endedMs = performance.now();
  const floodBytes = residentBytes(service.child);
  const watched = await watching.stop();
  const recoveredMs = (await answeredSteadily(url)) - endedMs;
  report([
    row("at the maximum", values.connections, usual, usualBytes),
    row("flooded", values.flood, flood, floodBytes),
  ]);
  const last = { healthzAnswered: watched.ok, healthzFailed: watched.failed, recoveredMs };
  console.log(values.json ? JSON.stringify(last) : `\n${JSON.stringify(last)}`);
} finally {
  service.child.kill("SIGTERM");
  await once(service.child, "exit");
  rmSync(dataDir, { recursive: true, force: true });
}

async function startService(): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const accountsDir = join(dataDir, "accounts");
  const recorder = spawn(process.execPath, ["bin/exitability.mjs", "record", MINT, accountsDir], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  await once(recorder, "exit");
  const child = spawn(process.execPath, ["bin/exitability.mjs", "serve"], {
    env: {
      PATH: process.env.PATH ?? "",
      PORT: "0",
      DATA_DIR: dataDir,
      ACCOUNTS_DIR: accountsDir,
      TRUST_PROXY: "1",
      LOG_LEVEL: "error",
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /listens at (\S+)/.exec(line)?.[1];
    if (url !== undefined) return { child, url };
  }
  throw new Error("the service ended before it listened");
}

/** Each request from an address of its own: nobody's daily queries are used up. */
function addressOf(number: number): string {
  return `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;
}

function ask(url: string, number: number): Promise<Response> {
  return fetch(url + PATH, {
    headers: { "x-forwarded-for": `192.168.${number >> 8}.${number & 255}` },
  });
}

function load(url: string, connections: number): Promise<Result> {
  const autocannon: Autocannon = createRequire(import.meta.url)("autocannon");
  const setupRequest = (request: Request) => {
    request.headers = { "x-forwarded-for": addressOf(asked++) };
    return request;
  };
  const requests = [{ method: "GET", path: PATH, setupRequest }];
  return autocannon({ url, connections, duration: Number(values.seconds), timeout: 30, requests });
}

/** Asks once in a quarter of a second whether the process lives. */
function watch(url: string) {
  let isOver = false;
  const counts = { ok: 0, failed: 0 };
  const watching = (async () => {
    while (!isOver) {
      const response = await fetch(url, { signal: AbortSignal.timeout(5_000) }).catch(() => null);
      if (response?.status === 200) counts.ok++;
      else counts.failed++;
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  })();
  return {
    async stop() {
      isOver = true;
      await watching;
      return counts;
    },
  };
}

/** When the first of so many answers in a row came, none of them refused. */
async function answeredSteadily(url: string): Promise<number> {
  let sinceMs = performance.now();
  for (let answers = 0, number = 1; answers < STEADY_ANSWERS; number++) {
    const response = await ask(url, number);
    await response.arrayBuffer();
    answers = response.status === 200 ? answers + 1 : 0;
    if (answers === 0) sinceMs = performance.now();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return sinceMs;
}

function residentBytes({ pid }: ChildProcess): number {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) * 1_024;
}

function row(what: string, connections: string, result: Result, bytes: number) {
  const { requests, latency, statusCodeStats = {}, errors } = result;
  const count = (status: string) => statusCodeStats[status]?.count ?? 0;
  return {
    what,
    connections: Number(connections),
    requestsPerSecond: Math.round(requests.average),
    answered: count("200"),
    refused: count("503"),
    other: Object.entries(statusCodeStats).reduce(
      (sum, [status, { count: some }]) => (status === "200" || status === "503" ? sum : sum + some),
      errors,
    ),
    p50Ms: latency.p50,
    p99Ms: latency.p99,
    residentMb: Math.round(bytes / 1e6),
  };
}

function report(rows: readonly Readonly<Record<string, string | number>>[]): void {
  if (values.json) {
    for (const each of rows) console.log(JSON.stringify(each));
    return;
  }
  console.log(
    formatTable([Object.keys(rows[0] ?? {}), ...rows.map((each) => Object.values(each))]),
  );
}
