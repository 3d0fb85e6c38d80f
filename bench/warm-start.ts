import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { formatTable } from "#src/cli/output.ts";
import { openDatabase } from "#src/store/connection/database.ts";
import { migrate } from "#src/store/connection/migrate.ts";
import { createUserForEmail, findUserByEmail } from "#src/store/users.ts";
import { addWatchlistEntry } from "#src/store/watchlist.ts";
import type { Address } from "#src/units/address.ts";
import { tierLimits } from "#src/users/tiers.ts";
import type { MarketOptions, MarketReady } from "./support/alerts-market.ts";
import {
  cpuSeconds,
  Deployment,
  makeKeys,
  type Place,
  peakResidentBytes,
  residentBytes,
} from "./support/deployment.ts";
import { readOptions } from "./support/options.ts";
import { quantile } from "./support/quantile.ts";

/**
 * A service with many tokens. First it starts without stored data: tokens loaded a second. Then it is
 * stopped and started again, and killed and started again: seconds until it listens, until the first stored
 * answer, and until every token is current, with the calls to the node and the memory.
 */

const { values } = readOptions(
  "Loading of all tokens by a service that knows none, and after a stop and a kill -9.",
  {
    json: { type: "boolean", default: false },
    seed: { type: "string", default: "1" },
    tokens: { type: "string", default: "1000" },
    watched: {
      type: "string",
      default: "10",
      help: "percent of the tokens that are on a watchlist",
    },
    "cold-only": {
      type: "boolean",
      default: false,
      help: "only the first load, of an empty store",
    },
  },
);
const AT_ONCE = 8;
const QUERIES_OF_KEY = 300;
const SIZE_LAMPORTS = 500_000_000n;
const POLL_MS = 50;
/** Answers by slot are stored a minute after the load at the latest, and pools within seconds. */
const STORED_WITHIN_MS = 150_000;
const LONGEST_START_MS = 600_000;
/** Longest allowed time from the first answer of the port to the first stored answer. */
const FIRST_ANSWER_BAR_MS = 1_000;

const tokens = Number(values.tokens);
const say = (text: string): void => console.error(text);
const seconds = (sinceMs: number): number => Math.round(performance.now() - sinceMs) / 1_000;
const megabytes = (bytes: number): number => Math.round(bytes / 1e6);

type Running = {
  readonly child: ChildProcess;
  readonly url: string;
  readonly metricsUrl: string;
  readonly startedMs: number;
  readonly listeningMs: number;
};

const deployment = new Deployment();
const failures: string[] = [];
try {
  const workerData: MarketOptions = { tokens, tradesPerMinute: 300, seed: Number(values.seed) };
  const market = new Worker(new URL("./support/alerts-market.ts", import.meta.url), { workerData });
  deployment.after(async () => void (await market.terminate()));
  const [{ httpUrl, wsUrl, mints }] = (await once(market, "message")) as [MarketReady];
  const chain = { SOLANA_RPC_URL: httpUrl, SOLANA_WS_URL: wsUrl, ACCURACY: "off", PROOF: "off" };
  const place = deployment.alone();
  const count = Math.ceil((4 * tokens) / QUERIES_OF_KEY) + 1;
  const keys = await makeKeys(place, { count, tier: "pro", name: "warm-start" });
  await watch(place, mints.slice(0, Math.floor((tokens * Number(values.watched)) / 100)));
  const ask = asker(keys.map(({ text }) => text));

  let running = await start(place, chain);
  await coldLoads(running, mints, ask);
  if (!values["cold-only"]) {
    await allStored(place, mints.length);
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      const wanted = (await metrics(running.metricsUrl)).get("exitability_tracked_tokens") ?? 0;
      const stoppingMs = performance.now();
      running.child.kill(signal);
      await once(running.child, "exit");
      say(`stopped by ${signal} in ${seconds(stoppingMs)} s`);
      running = await start(place, chain);
      await restarted(running, { mints, ask, signal, wanted });
      await allStored(place, mints.length);
    }
  }
  running.child.kill("SIGTERM");
  await once(running.child, "exit");
} finally {
  await deployment.close();
}
for (const failure of failures) say(`failed: ${failure}`);
process.exit(failures.length === 0 ? 0 : 1);

async function start(
  { environment }: Place,
  chain: Readonly<Record<string, string>>,
): Promise<Running> {
  const startedMs = performance.now();
  const child = spawn(process.execPath, ["bin/exitability.mjs", "serve"], {
    env: {
      PATH: process.env["PATH"] ?? "",
      PORT: "0",
      METRICS_PORT: "0",
      ...environment,
      ...chain,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  deployment.after(() => void child.kill("SIGKILL"));
  const lines = createInterface({ input: child.stdout });
  const said = (words: RegExp): Promise<string> =>
    new Promise((resolve, reject) => {
      lines.on("line", (line) => {
        const [, found] = words.exec(line) ?? [];
        if (found !== undefined) resolve(found);
      });
      child.once("exit", () => reject(new Error("the service ended before it listened")));
    });
  const metricsSaid = said(/"metricsUrl":"([^"]+)"/);
  const url = await said(/listens at ([^\s"]+)/);
  const listeningMs = performance.now();
  const metricsUrl = await metricsSaid;
  return { child, url, metricsUrl, startedMs, listeningMs };
}

type Answered = { readonly status: number; readonly slot: number; readonly stateMs: number };
type Ask = (url: string, mint: Address) => Promise<Answered>;

/** Sends requests with the keys in turn, within the fair use of each. */
function asker(keys: readonly string[]): Ask {
  let next = 0;
  return async (url, mint) => {
    const key = keys[Math.floor(next++ / QUERIES_OF_KEY) % keys.length] ?? "";
    const response = await fetch(`${url}/api/token/${mint}/exitability`, {
      headers: { "x-api-key": key },
    });
    const body = (await response.json()) as { readonly updated_at?: string };
    return {
      status: response.status,
      slot: Number(response.headers.get("x-state-slot")),
      stateMs: Date.parse(body.updated_at ?? ""),
    };
  };
}

/** Requests each token once, eight requests at a time, like callers with unknown tokens. */
async function coldLoads({ child, url, metricsUrl }: Running, mints: readonly Address[], ask: Ask) {
  const [startedMs, cpuBefore] = [performance.now(), cpuSeconds([child])];
  const tookMs: number[] = [];
  const queue = mints.values();
  let others = 0;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const mint of queue) {
        const askedMs = performance.now();
        const { status } = await ask(url, mint);
        tookMs.push(performance.now() - askedMs);
        if (status !== 200) others++;
      }
    }),
  );
  const took = (performance.now() - startedMs) / 1_000;
  print("first loads", {
    tokens: mints.length,
    seconds: Math.round(took * 10) / 10,
    tokensPerSecond: Math.round((mints.length / took) * 10) / 10,
    p50Ms: Math.round(quantile(tookMs, 0.5) ?? 0),
    p99Ms: Math.round(quantile(tookMs, 0.99) ?? 0),
    notAnswered: others,
    cpuMsPerToken:
      Math.round((1e4 * (cpuSeconds([child]) - cpuBefore)) / Math.max(1, mints.length)) / 10,
    residentMb: megabytes(residentBytes(child)),
    ...(await nodeCalls(metricsUrl)),
  });
  if (others > 0) failures.push(`${others} first loads were not answered`);
}

async function restarted(
  { child, url, metricsUrl, startedMs, listeningMs }: Running,
  {
    mints,
    ask,
    signal,
    wanted,
  }: { mints: readonly Address[]; ask: Ask; signal: string; wanted: number },
): Promise<void> {
  const last = mints.at(-1);
  if (last === undefined) throw new Error("there are no tokens");
  const askedAtMs = Date.now();
  const first = await ask(url, last);
  const firstMs = performance.now() - listeningMs;
  const ageSeconds = Math.round((askedAtMs - first.stateMs) / 100) / 10;
  let tracked = 0;
  const deadlineMs = performance.now() + LONGEST_START_MS;
  while (tracked < wanted && performance.now() < deadlineMs) {
    tracked = (await metrics(metricsUrl)).get("exitability_tracked_tokens") ?? 0;
    await pause(POLL_MS);
  }
  const allSeconds = seconds(startedMs);
  const calls = await nodeCalls(metricsUrl);
  const sample = mints.filter((_, index) => index % Math.ceil(mints.length / 200) === 0);
  const answers = await Promise.all(sample.map((mint) => ask(url, mint)));
  const old = answers.filter(
    ({ status, stateMs }) => status !== 200 || stateMs < askedAtMs - 30_000,
  );
  print(`after ${signal}`, {
    tokens: wanted,
    listeningSeconds: Math.round(listeningMs - startedMs) / 1_000,
    firstAnswerMs: Math.round(firstMs),
    firstStatus: first.status,
    firstAgeSeconds: ageSeconds,
    current: tracked,
    currentSeconds: allSeconds,
    tokensPerSecond: Math.round(tracked / (allSeconds - (listeningMs - startedMs) / 1_000)),
    sampled: answers.length,
    sampledOlderThan30Seconds: old.length,
    oldestSampledSeconds: Math.round(
      Math.max(...answers.map(({ stateMs }) => Date.now() - stateMs)) / 1_000,
    ),
    cpuSeconds: cpuSeconds([child]),
    residentMb: megabytes(residentBytes(child)),
    peakMb: megabytes(peakResidentBytes(child)),
    ...calls,
  });
  if (first.status !== 200 || firstMs > FIRST_ANSWER_BAR_MS) {
    failures.push(`after ${signal} the first answer was ${first.status} in ${firstMs} ms`);
  }
  if (old.length > 0) {
    failures.push(
      `after ${signal} ${old.length} of ${answers.length} answers were older than 30 s`,
    );
  }
  if (tracked < wanted) failures.push(`after ${signal} ${tracked} tokens were loaded`);
}

/** Calls to the node so far. */
async function nodeCalls(url: string): Promise<Readonly<Record<string, number>>> {
  const calls: Record<string, number> = {};
  for (const [name, value] of await metrics(url)) {
    const [, method, outcome] =
      /^exitability_rpc_calls_total\{method="(\w+)",outcome="([\w-]+)"/.exec(name) ?? [];
    if (method !== undefined) calls[outcome === "ok" ? method : `${method} ${outcome}`] = value;
  }
  return calls;
}

async function metrics(url: string): Promise<ReadonlyMap<string, number>> {
  const text = await (await fetch(url)).text();
  return new Map(
    text
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"))
      .map((line) => {
        const at = line.lastIndexOf(" ");
        return [line.slice(0, at), Number(line.slice(at + 1))];
      }),
  );
}

/** Waits until every token's answer and pools are on disk. */
async function allStored(place: Place, wanted: number): Promise<void> {
  const database = openDatabase({ ...place, access: "visitor" });
  const startedMs = performance.now();
  try {
    for (;;) {
      const { answered } = await database.db
        .selectFrom("stored_answers")
        .select((eb) => eb.fn.count<bigint>("token_id").distinct().as("answered"))
        .executeTakeFirstOrThrow();
      if (Number(answered) >= wanted) return;
      if (performance.now() - startedMs > STORED_WITHIN_MS) {
        failures.push(`${answered} of ${wanted} tokens have a stored answer`);
        return;
      }
      await pause(1_000);
    }
  } finally {
    await database.close();
  }
}

async function watch(place: Place, mints: readonly Address[]): Promise<void> {
  const database = openDatabase(place);
  const nowMs = Date.now();
  try {
    await migrate(database, nowMs);
    const perUser = tierLimits("pro").watchlistTokens;
    for (let first = 0; first < mints.length; first += perUser) {
      const email = `watcher-${first}@example.com`;
      await createUserForEmail(database, email, nowMs);
      const user = await findUserByEmail(database.db, email);
      if (user === null) throw new Error("a user just made is gone");
      for (const mint of mints.slice(first, first + perUser)) {
        const entry = { userId: user.id, mint, sizeLamports: SIZE_LAMPORTS };
        await addWatchlistEntry(database, entry, { limitOfTier: () => perUser, nowMs });
      }
    }
  } finally {
    await database.close();
  }
}

function print(name: string, figures: Readonly<Record<string, unknown>>): void {
  if (values.json) console.log(JSON.stringify({ name, ...figures }));
  else {
    const rows = Object.entries(figures).map(([field, value]) => [field, String(value)]);
    console.log(formatTable([[name, ""], ...rows]));
  }
}
