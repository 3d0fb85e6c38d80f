import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { formatTable } from "#src/cli/output.ts";
import { DEMO_TOKENS } from "#src/local-node/demo-tokens.ts";
import { openDatabase } from "#src/store/database.ts";
import { migrate } from "#src/store/migrate.ts";
import { createUserForEmail, findUserByEmail, setUserTier } from "#src/store/users.ts";
import { AccessFeed } from "#src/users/access-feed.ts";
import { ApiKeys } from "#src/users/api-keys.ts";

// The hot endpoint under load, beside a bare node:http server that answers the same bytes, in one
// run: requests a second, latency, and the server's own CPU time for a request. Every request has a
// key that is checked and counted; the keys take turns, so that nobody's fair use is passed.

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    seconds: { type: "string", default: "5" },
    rounds: { type: "string", default: "3" },
    connections: { type: "string", default: "64" },
    "serve-raw": { type: "string" },
  },
});

type Autocannon = (options: object) => Promise<{
  readonly requests: { readonly average: number; readonly total: number };
  readonly latency: { readonly p50: number; readonly p99: number };
  readonly non2xx: number;
  readonly errors: number;
  readonly "2xx": number;
}>;

type Figures = {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** User and system time of the server's process for one request. */
  readonly cpuMicroseconds: number;
  readonly refused: number;
};

/** Of a tier that takes 600 requests a minute each: enough for the fastest of machines. */
const KEYS = 3_000;
const CLOCK_TICKS_PER_SECOND = 100;
const MINT = DEMO_TOKENS[0]?.mint ?? "";
const PATH = `/api/token/${MINT}/exitability?size=5`;

if (values["serve-raw"] === undefined) await run();
else serveRaw(Buffer.from(values["serve-raw"], "base64"));

async function run(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), "exitability-load-"));
  const children: ChildProcess[] = [];
  try {
    const keys = await makeKeys(dataDir);
    const accountsDir = join(dataDir, "accounts");
    await recordToken(accountsDir);
    const service = await startChild(["bin/exitability.mjs", "serve"], /listens at (\S+)/, {
      PORT: "0",
      DATA_DIR: dataDir,
      ACCOUNTS_DIR: accountsDir,
      LOG_LEVEL: "error",
    });
    children.push(service.child);
    const body = await warmUp(service.url, keys);
    const raw = await startChild(["bench/load.ts", "--serve-raw", body], /listens at (\S+)/, {});
    children.push(raw.child);
    report(await measureBoth({ service, raw, keys }));
  } finally {
    for (const child of children) child.kill("SIGTERM");
    rmSync(dataDir, { recursive: true, force: true });
  }
}

type Server = { readonly child: ChildProcess; readonly url: string };
type Round = { readonly ours: Figures; readonly raw: Figures };

async function measureBoth(setting: {
  readonly service: Server;
  readonly raw: Server;
  readonly keys: readonly string[];
}): Promise<readonly Round[]> {
  const { service, raw, keys } = setting;
  const rounds: Round[] = [];
  let used = 0;
  for (let round = 0; round < Number(values.rounds); round++) {
    const share = Math.floor(keys.length / Number(values.rounds));
    const own = keys.slice(used, used + share);
    used += share;
    const reference = await measure(raw, own);
    rounds.push({ ours: await measure(service, own), raw: reference });
  }
  return rounds;
}

async function measure({ child, url }: Server, keys: readonly string[]): Promise<Figures> {
  const autocannon: Autocannon = createRequire(import.meta.url)("autocannon");
  const before = cpuSeconds(child);
  const result = await autocannon({
    url,
    connections: Number(values.connections),
    duration: Number(values.seconds),
    requests: keys.map((key) => ({ method: "GET", path: PATH, headers: { "x-api-key": key } })),
  });
  return {
    requestsPerSecond: result.requests.average,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    cpuMicroseconds: ((cpuSeconds(child) - before) * 1e6) / Math.max(1, result.requests.total),
    refused: result.non2xx + result.errors,
  };
}

/** User and system time of a process so far, as the kernel counts it. */
function cpuSeconds({ pid }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / CLOCK_TICKS_PER_SECOND;
}

function report(rounds: readonly Round[]): void {
  const ratios = rounds.map(({ ours, raw }) => raw.cpuMicroseconds / ours.cpuMicroseconds);
  const ratio = median(ratios);
  const middle = (pick: (round: Round) => number): number => median(rounds.map(pick));
  const lines = (["ours", "raw"] as const).map((side) => ({
    server: side === "ours" ? "exitability, one process" : "bare node:http, same bytes",
    requestsPerSecond: Math.round(middle((round) => round[side].requestsPerSecond)),
    p50Ms: middle((round) => round[side].p50Ms),
    p99Ms: middle((round) => round[side].p99Ms),
    cpuMicroseconds: Number(middle((round) => round[side].cpuMicroseconds).toFixed(2)),
    refused: rounds.reduce((sum, round) => sum + round[side].refused, 0),
  }));
  if (values.json) {
    for (const line of lines) console.log(JSON.stringify(line));
    console.log(JSON.stringify({ ratio: Number(ratio.toFixed(3)), floor: 0.75, goal: 0.9 }));
    return;
  }
  const heading = ["server", "requests/s", "p50 ms", "p99 ms", "server CPU us", "refused"];
  const rows = lines.map((line) => Object.values(line));
  console.log(formatTable([heading, ...rows]));
  console.log(
    `\nserver CPU per request: ${(100 * ratio).toFixed(1)} % of bare node:http (floor 75 %)`,
  );
}

function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Users of the largest tier, with a key each, in a database that the service then opens. */
async function makeKeys(dataDir: string): Promise<readonly string[]> {
  const store = openDatabase({ databaseUrl: null, dataDir });
  const nowMs = Date.now();
  await migrate(store, nowMs);
  const feed = new AccessFeed({ db: store.db, nowMs: Date.now });
  const apiKeys = new ApiKeys({ store, feed, prefix: "exi", nowMs: Date.now });
  const keys: string[] = [];
  for (let index = 0; index < KEYS; index++) {
    const email = `load-${index}@example.com`;
    await createUserForEmail(store, email, nowMs);
    const user = await findUserByEmail(store.db, email);
    if (user === null) throw new Error("a user just made is gone");
    await setUserTier(store.db, { userId: user.id, tier: "pro" }, nowMs);
    const issued = await apiKeys.activate(user.id);
    if (issued !== null) keys.push(issued.text);
  }
  await store.close();
  return keys;
}

/** A market that stands still: what is timed is answering, not trading. */
async function recordToken(directory: string): Promise<void> {
  const child = spawn(process.execPath, ["bin/exitability.mjs", "record", MINT, directory], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`recording ${MINT} ended with ${code}`);
}

/** Makes the token warm and every key known; returns the answer's bytes in base64. */
async function warmUp(url: string, keys: readonly string[]): Promise<string> {
  let body = "";
  for (let start = 0; start < keys.length; start += 50) {
    const answers = keys.slice(start, start + 50).map(async (key) => {
      const response = await fetch(url + PATH, { headers: { "x-api-key": key } });
      if (response.status !== 200) throw new Error(`warming up: HTTP ${response.status}`);
      return Buffer.from(await response.arrayBuffer()).toString("base64");
    });
    body = (await Promise.all(answers))[0] ?? "";
  }
  return body;
}

async function startChild(
  args: readonly string[],
  announcement: RegExp,
  environment: Readonly<Record<string, string>>,
): Promise<Server> {
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH ?? "", ...environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const url = announcement.exec(line)?.[1];
    if (url !== undefined) return { child, url };
  }
  throw new Error(`${args.join(" ")} ended before it listened`);
}

/** What any answer costs at the least on this runtime: a ready body and its length. */
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
