import { DEMO_TOKENS } from "#demo/tokens.ts";
import { formatTable } from "#src/cli/output.ts";
import { Deployment, peakResidentBytes, residentBytes } from "./support/deployment.ts";
import { answeredPerSecond, type LoadPlan, type LoadResult, runLoad } from "./support/http-load.ts";
import { readOptions, requirePostgres } from "./support/options.ts";

// Beyond the maximum: ordinary answers (anonymous callers, each counted on disk). First as many as one
// process gives; then three times as many requests a second, asked whether or not those before were
// answered; then half the maximum, to see how soon everything is answered again. With --shared one
// tracker and one API process on Postgres (DATABASE_URL) and Redis are measured instead.

const { values } = readOptions("The hot endpoint asked for more than it can answer.", {
  json: { type: "boolean", default: false },
  seconds: { type: "string", default: "15" },
  connections: { type: "string", default: "64" },
  flood: { type: "string", default: "4000", help: "connections of the flood" },
  times: { type: "string", default: "3", help: "the flood as a multiple of the maximum" },
  shared: {
    type: "boolean",
    default: false,
    help: "one tracker and one replica on Postgres and Redis",
  },
});

if (values.shared) requirePostgres();

const MINT = DEMO_TOKENS[0]?.mint ?? "";
const PATH = `/api/token/${MINT}/exitability?size=5`;
/** An answer that takes longer counts as trouble after the flood. */
const LATE_MS = 1_000;
const RECOVERY_SECONDS = 10;
const RECOVERED_WITHIN_MS = 5_000;
/** What a flood may add to the resident memory: buffers and objects of thousands of connections. */
const MEMORY_MB = 512;
const MORE_FLOODS = 4;
let asked = 0;

const deployment = new Deployment();
try {
  process.exitCode = (await run()) ? 0 : 1;
} finally {
  await deployment.close();
}

/** @returns whether it shed, stayed within memory and recovered */
async function run(): Promise<boolean> {
  const service = await startService();
  await load(service.url, { seconds: 2, connections: 8, rate: null });
  const seconds = Number(values.seconds);
  const connections = Number(values.connections);
  const usual = await load(service.url, { seconds, connections, rate: null });
  const usualBytes = residentBytes(service.child);
  const watching = watch(`${service.url}/healthz`);
  let maximum = answeredPerSecond(usual);
  let flood = await floodOf(service.url, maximum);
  // A machine that others share gives more at one time than at another: the most that was seen counts.
  for (let more = 0; more < MORE_FLOODS && answeredPerSecond(flood) > maximum; more++) {
    maximum = answeredPerSecond(flood);
    flood = await floodOf(service.url, maximum);
  }
  const watched = await watching.stop();
  const peakBytes = peakResidentBytes(service.child);
  const after = await load(service.url, {
    seconds: RECOVERY_SECONDS,
    connections: Number(values.flood),
    rate: Math.ceil(maximum / 2),
  });
  report([
    row("at the maximum", usual, usualBytes),
    row(`at ${values.times} times as many a second`, flood, peakBytes),
    row("at half of it, right after", after, residentBytes(service.child)),
  ]);
  const shed = flood.answers["503"] ?? 0;
  const answers = Object.values(flood.answers).reduce((sum, count) => sum + count, 0);
  const verdict = {
    maximumPerSecond: Math.round(maximum),
    shedPct: Math.round((100 * shed) / answers),
    retryAfterMissing: flood.refusedWithoutRetryAfter,
    neverAsked: flood.neverAsked,
    otherThan200Or503: answers - shed - (flood.answers["200"] ?? 0),
    brokenConnections: flood.errors,
    unanswered: flood.unanswered,
    healthzAnswered: watched.ok,
    healthzFailed: watched.failed,
    grownMb: Math.round((peakBytes - usualBytes) / 1e6),
    recoveredMs: Math.round(after.lastTroubleMs),
  };
  console.log(values.json ? JSON.stringify(verdict) : `\n${JSON.stringify(verdict)}`);
  return (
    shed > 0 &&
    verdict.retryAfterMissing === 0 &&
    verdict.otherThan200Or503 === 0 &&
    verdict.healthzFailed === 0 &&
    verdict.grownMb <= MEMORY_MB &&
    verdict.recoveredMs <= RECOVERED_WITHIN_MS
  );
}

function floodOf(url: string, maximum: number): Promise<LoadResult> {
  return load(url, {
    seconds: Number(values.seconds),
    connections: Number(values.flood),
    rate: Math.ceil(Number(values.times) * maximum),
  });
}

async function startService() {
  const common = { ...(await deployment.recorded(MINT)), TRUST_PROXY: "1" };
  if (!values.shared) return deployment.serve(deployment.alone(), common);
  const place = await deployment.shared();
  await deployment.serve(place, { ...common, ROLE: "tracker" });
  return deployment.serve(place, { ...common, ROLE: "api" });
}

/** Each request from another address: no daily limit is used up. */
async function load(
  url: string,
  plan: Pick<LoadPlan, "seconds" | "connections" | "rate">,
): Promise<LoadResult> {
  const result = await runLoad({
    ...plan,
    urls: [url],
    path: PATH,
    callers: { kind: "addresses", first: asked },
    lateAfterMs: LATE_MS,
    intervalSeconds: null,
  });
  asked += result.asked;
  return result;
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

function row(what: string, result: LoadResult, bytes: number) {
  const { answers, connections, seconds, p50Ms, p99Ms, refusedP99Ms, clientBusy } = result;
  return {
    what,
    connections,
    askedPerSecond: Math.round(result.asked / seconds),
    answeredPerSecond: Math.round(answeredPerSecond(result)),
    refused: answers["503"] ?? 0,
    p50Ms: p50Ms ?? Number.NaN,
    p99Ms: p99Ms ?? Number.NaN,
    refusedP99Ms: refusedP99Ms ?? Number.NaN,
    residentMb: Math.round(bytes / 1e6),
    clientBusyPct: Math.round(100 * clientBusy),
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
