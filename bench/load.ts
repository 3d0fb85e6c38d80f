import { createServer } from "node:http";
import { DEMO_TOKENS } from "#demo/tokens.ts";
import { formatTable } from "#src/cli/output.ts";
import {
  cpuSeconds,
  Deployment,
  type Key,
  makeKeys,
  type Server,
  warmUp,
} from "./support/deployment.ts";
import { answeredPerSecond, refusedOf, runLoad } from "./support/http-load.ts";
import { readOptions, requirePostgres } from "./support/options.ts";
import { median } from "./support/quantile.ts";

// The hot endpoint under load, beside as many bare node:http servers that answer the same bytes, in one
// run: requests a second, latency, and the servers' own CPU time for a request. First one process that
// does everything (embedded database), then one, two and four that answer for a tracker through
// Postgres (DATABASE_URL) and Redis. Every request has a key that is checked and counted; the keys take
// turns, so that no fair-use limit is exceeded.

const { values } = readOptions(
  "The hot endpoint under load, beside bare node:http servers with the same bytes.",
  {
    json: { type: "boolean", default: false },
    seconds: { type: "string", default: "5" },
    rounds: { type: "string", default: "3" },
    connections: { type: "string", default: "64" },
    alone: {
      type: "boolean",
      default: false,
      help: "only the process that has all roles: no Postgres or Redis is needed",
    },
    "serve-raw": { type: "string", help: "of a child process: the body" },
  },
);

type Figures = {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** User and system time of the servers' processes for one request. */
  readonly cpuMicroseconds: number;
  readonly refused: number;
  readonly clientBusy: number;
};

/** Of a tier that takes 600 requests a minute each: enough for the fastest of machines. */
const KEYS = 4_000;
const REPLICAS = [1, 2, 4];
const FLOOR = 0.6;
const GOAL = 0.9;
const MINT = DEMO_TOKENS[0]?.mint ?? "";
const PATH = `/api/token/${MINT}/exitability?size=5`;

if (!values.alone && values["serve-raw"] === undefined) requirePostgres();
if (values["serve-raw"] !== undefined) serveRaw(Buffer.from(values["serve-raw"], "base64"));
else process.exitCode = (await run()) ? 0 : 1;

/** @returns whether the floor is held */
async function run(): Promise<boolean> {
  const ratio = await measureAlone();
  if (!values.alone) await measureReplicas();
  return ratio >= FLOOR;
}

async function measureAlone(): Promise<number> {
  const deployment = new Deployment();
  try {
    const place = deployment.alone();
    const keys = await makeKeys(place, { count: KEYS, tier: "pro", name: "load" });
    const service = await deployment.serve(place, await deployment.recorded(MINT));
    const body = await warmUp(service.url, PATH, keys);
    const raw = [await startRaw(deployment, body)];
    return report("one process, all roles", await measureBoth({ ours: [service], raw, keys }));
  } finally {
    await deployment.close();
  }
}

async function measureReplicas(): Promise<void> {
  const deployment = new Deployment();
  try {
    const place = await deployment.shared();
    const keys = await makeKeys(place, { count: KEYS, tier: "pro", name: "load" });
    const chain = await deployment.recorded(MINT);
    await deployment.serve(place, { ...chain, ROLE: "tracker" });
    const ours: Server[] = [];
    const raw: Server[] = [];
    for (const count of REPLICAS) {
      while (ours.length < count) {
        const replica = await deployment.serve(place, { ...chain, ROLE: "api" });
        const body = await warmUp(replica.url, PATH, keys);
        ours.push(replica);
        raw.push(await startRaw(deployment, body));
      }
      const what = count === 1 ? "one API process" : `${count} API processes`;
      report(what, await measureBoth({ ours, raw, keys }));
    }
  } finally {
    await deployment.close();
  }
}

type Round = { readonly ours: Figures; readonly raw: Figures };

async function measureBoth(setting: {
  readonly ours: readonly Server[];
  readonly raw: readonly Server[];
  readonly keys: readonly Key[];
}): Promise<readonly Round[]> {
  const { ours, raw, keys } = setting;
  const rounds: Round[] = [];
  const share = Math.floor(keys.length / Number(values.rounds));
  for (let round = 0; round < Number(values.rounds); round++) {
    const own = keys.slice(round * share, (round + 1) * share);
    const reference = await measure(raw, own);
    rounds.push({ ours: await measure(ours, own), raw: reference });
  }
  return rounds;
}

async function measure(servers: readonly Server[], keys: readonly Key[]): Promise<Figures> {
  const children = servers.map(({ child }) => child);
  const before = cpuSeconds(children);
  const result = await runLoad({
    urls: servers.map(({ url }) => url),
    path: PATH,
    callers: { kind: "keys", keys: keys.map(({ text }) => text) },
    connections: Number(values.connections),
    seconds: Number(values.seconds),
    rate: null,
    lateAfterMs: Number.POSITIVE_INFINITY,
    intervalSeconds: null,
  });
  return {
    requestsPerSecond: answeredPerSecond(result),
    p50Ms: result.p50Ms ?? Number.NaN,
    p99Ms: result.p99Ms ?? Number.NaN,
    cpuMicroseconds: ((cpuSeconds(children) - before) * 1e6) / Math.max(1, result.asked),
    refused: refusedOf(result),
    clientBusy: result.clientBusy,
  };
}

/** @returns the median share of the bare servers' CPU time in ours */
function report(what: string, rounds: readonly Round[]): number {
  const ratio = median(rounds.map(({ ours, raw }) => raw.cpuMicroseconds / ours.cpuMicroseconds));
  const middle = (pick: (round: Round) => number): number => median(rounds.map(pick));
  const lines = (["ours", "raw"] as const).map((side) => ({
    servers: side === "ours" ? what : "as many bare node:http",
    requestsPerSecond: Math.round(middle((round) => round[side].requestsPerSecond)),
    p50Ms: middle((round) => round[side].p50Ms),
    p99Ms: middle((round) => round[side].p99Ms),
    cpuMicroseconds: Number(middle((round) => round[side].cpuMicroseconds).toFixed(2)),
    refused: rounds.reduce((sum, round) => sum + round[side].refused, 0),
    clientBusyPct: Math.round(100 * middle((round) => round[side].clientBusy)),
  }));
  if (values.json) {
    for (const line of lines) console.log(JSON.stringify(line));
    const told = { servers: what, ratio: Number(ratio.toFixed(3)), floor: FLOOR, goal: GOAL };
    console.log(JSON.stringify(told));
    return ratio;
  }
  const heading = ["servers", "requests/s", "p50 ms", "p99 ms", "server CPU us", "refused"];
  const rows = lines.map((line) => Object.values(line));
  console.log(formatTable([[...heading, "client busy %"], ...rows]));
  const share = (100 * ratio).toFixed(1);
  console.log(`server CPU per request: ${share} % of bare node:http's budget (floor 60 % alone)\n`);
  return ratio;
}

async function startRaw(deployment: Deployment, body: Buffer): Promise<Server> {
  return deployment.start(["bench/load.ts", "--serve-raw", body.toString("base64")], {});
}

/** Minimum cost of an answer on this runtime: a ready body and its length. */
function serveRaw(body: Buffer): void {
  const headers = [
    "content-type",
    "application/json; charset=utf-8",
    "content-length",
    `${body.length}`,
  ];
  const server = createServer((_request, response) => {
    response.writeHead(200, headers);
    response.end(body);
  });
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    if (address !== null && typeof address === "object") {
      console.log(`listens at http://127.0.0.1:${address.port}`);
    }
  });
}
