import pg from "pg";
import { DemoMarket } from "#demo/market.ts";
import { MARKET_PROGRAMS } from "#demo/programs/all.ts";
import { DEMO_TOKENS } from "#demo/tokens.ts";
import { createLocalNode } from "#src/node/node.ts";
import { SLOT_MS } from "#src/node/slot-clock.ts";
import { TIERS } from "#src/users/tiers.ts";
import { VENUES } from "#src/venues/all.ts";
import { freePort } from "#test/support/processes/free-port.ts";
import {
  Deployment,
  type Key,
  makeKeys,
  residentBytes,
  type Server,
  warmUp,
} from "./support/deployment.ts";
import { floorsOf, lineThrough } from "./support/growth.ts";
import {
  answeredPerSecond,
  type LoadInterval,
  type LoadResult,
  runLoad,
} from "./support/http-load.ts";
import { readOptions, requirePostgres } from "./support/options.ts";
import { SharedLoad } from "./support/shared-load.ts";

/**
 * Half the maximum load for half an hour, on one tracker and two API processes that share Postgres
 * (DATABASE_URL) and Redis, over the demo market: flat memory, no error, and no drift between the log
 * of answers and what the service counted, key by key. Most callers have no daily gate; some have, and
 * are answered 429 when their day is used up. Counters are summed over the days that the run touches,
 * so it may go over midnight (UTC): then callers with a gate have ten answers on each day.
 */

const { values } = readOptions("Half an hour of load: latency, memory, queues.", {
  json: { type: "boolean", default: false },
  minutes: { type: "string", default: "30" },
  rate: { type: "string", help: "requests a second; default measured" },
  "interval-seconds": { type: "string", default: "30", help: "of the printed lines" },
});

requirePostgres();

const KEYS = 4_000;
const GATED_KEYS = 200;
/** In all, a gated caller comes to ask more often than its day allows. */
const GATED_ASKS = 2 * TIERS.free.dailyQueries;
const MAXIMUM_SECONDS = 15;
const CONNECTIONS = 64;
/** Requests are not evenly spaced: keys stay this far below their limit. */
const SHARE_OF_LIMIT = 0.9;
/** What starts is still growing: caches, compiled code, half an hour's series of each token. */
const SETTLED_AFTER = 1 / 3;
/** Judged from here on: what a shorter run shows is the start. */
const LEAST_JUDGED_MINUTES = 10;
/** As much as a settled process may be larger at the end of the run than where it was settled. */
const FLAT_WITHIN = 0.1;
const SETTLING_MS = 6_000;

const MINT = DEMO_TOKENS[0]?.mint ?? "";
const PATH = `/api/token/${MINT}/exitability?size=5`;

type Process = { readonly name: string; readonly server: Server; readonly metricsUrl: string };
type Memory = { readonly rss: number; readonly heap: number | null };
type Measured = { readonly minutes: number; readonly memory: Readonly<Record<string, Memory>> };
type Verdict = { readonly what: string; readonly isHeld: boolean | null; readonly figures: object };

const deployment = new Deployment();
async function soak(): Promise<readonly Verdict[]> {
  const place = await deployment.shared();
  const keys = await makeKeys(place, { count: KEYS, tier: "pro", name: "soak" });
  const gated = await makeKeys(place, { count: GATED_KEYS, tier: "free", name: "gated" });
  const chain = await startMarket();
  const processes: Process[] = [];
  for (const [name, role] of [
    ["tracker", "tracker"],
    ["api-1", "api"],
    ["api-2", "api"],
  ] as const) {
    const port = await freePort();
    const environment = { ...chain, ROLE: role, METRICS_PORT: `${port}` };
    const server = await deployment.serve(place, environment);
    processes.push({ name, server, metricsUrl: `http://127.0.0.1:${port}/metrics` });
  }
  const apis = processes.filter(({ name }) => name !== "tracker").map(({ server }) => server);
  const answered = new Answered([...keys, ...gated]);
  for (const { url } of apis) {
    await warmUp(url, PATH, keys);
    answered.addEach(keys, 1);
  }
  const urls = apis.map(({ url }) => url);
  const rate = await rateOf(urls, keys, answered);
  const seconds = Number(values.minutes) * 60;
  say({ kind: "begin", at: new Date().toISOString(), rate, keys: KEYS, minutes: seconds / 60 });
  const memories: Measured[] = [];
  const beganMs = performance.now();
  const statistics = await SharedLoad.open(place);
  const common = { urls, path: PATH, seconds, lateAfterMs: 1_000 };
  const asGated = runLoad({
    ...common,
    callers: { kind: "keys", keys: gated.map(({ text }) => text) },
    connections: 4,
    rate: (GATED_KEYS * GATED_ASKS) / seconds,
    intervalSeconds: null,
  });
  const observations: Promise<void>[] = [];
  const observe = async (interval: LoadInterval) => {
    const minutes = (performance.now() - beganMs) / 60_000;
    const memory = Object.fromEntries(
      await Promise.all(processes.map(async (each) => [each.name, await memoryOf(each)] as const)),
    );
    memories.push({ minutes, memory });
    say({
      kind: "interval",
      minutes: Number(minutes.toFixed(2)),
      ...interval,
      memory,
      ...(await statistics.perSecond()),
    });
  };
  const result = await runLoad(
    {
      ...common,
      callers: { kind: "keys", keys: keys.map(({ text }) => text) },
      connections: CONNECTIONS,
      rate,
      intervalSeconds: Number(values["interval-seconds"]),
    },
    (interval) => observations.push(observe(interval)),
  );
  const gatedResult = await asGated;
  await Promise.all(observations);
  await statistics.close();
  answered.add(keys, result);
  answered.add(gated, gatedResult);
  // Each process writes the uses that it counted periodically, and the rest at shutdown.
  await new Promise((resolve) => setTimeout(resolve, SETTLING_MS));
  const counted = await countedBy(place.databaseUrl);
  return [
    errorsOf(result, gatedResult),
    driftOf("uses of keys equal the log of answers", [...keys, ...gated], (key) => {
      const { answered: some, refused, unknown } = answered.of(key.keyId);
      return { counted: counted.keys.get(key.keyId) ?? 0, logged: some + refused, unknown };
    }),
    driftOf("daily usage equals the log of answers", gated, (key) => {
      const { answered: logged, unknown } = answered.of(key.keyId);
      return { counted: counted.days.get(`user:${key.userId}`) ?? 0, logged, unknown };
    }),
    ...processes.map(({ name }) => flatnessOf(name, memories)),
  ];
}

/** The demo market behind a node of its own, in this process: what it takes is not the service's. */
async function startMarket(): Promise<Readonly<Record<string, string>>> {
  const startMs = Date.now();
  const market = new DemoMarket({ seed: 1, startMs, programs: MARKET_PROGRAMS, venues: VENUES });
  const node = createLocalNode({ ledger: market.ledger });
  const { httpUrl, wsUrl } = await node.listen();
  const timer = setInterval(() => market.catchUp(Date.now()), SLOT_MS);
  deployment.after(async () => {
    clearInterval(timer);
    await node.close();
  });
  return { SOLANA_RPC_URL: httpUrl, SOLANA_WS_URL: wsUrl };
}

/** Half of what can be answered, and no more than the keys may ask. */
async function rateOf(
  urls: readonly string[],
  keys: readonly Key[],
  answered: Answered,
): Promise<number> {
  if (values.rate !== undefined) return Number(values.rate);
  const maximum = await runLoad({
    urls,
    path: PATH,
    callers: { kind: "keys", keys: keys.map(({ text }) => text) },
    connections: CONNECTIONS,
    seconds: MAXIMUM_SECONDS,
    rate: null,
    lateAfterMs: 1_000,
    intervalSeconds: null,
  });
  answered.add(keys, maximum);
  const maximumPerSecond = answeredPerSecond(maximum);
  const allowed = (SHARE_OF_LIMIT * keys.length * TIERS.pro.fairUsePerMinute) / 60;
  say({ kind: "maximum", perSecond: Math.round(maximumPerSecond), answers: maximum.answers });
  // What the maximum took of the keys' minute is over before the run begins.
  await new Promise((resolve) => setTimeout(resolve, 61_000));
  return Math.floor(Math.min(maximumPerSecond / 2, allowed));
}

/** What the log of answers says of one key. */
type Log = {
  answered: number;
  refused: number /** Asked, and perhaps counted. */;
  unknown: number;
};

/** The log of answers, by key. */
class Answered {
  readonly #logs: Map<string, Log>;

  constructor(keys: readonly Key[]) {
    const nothing = { answered: 0, refused: 0, unknown: 0 };
    this.#logs = new Map(keys.map(({ keyId }) => [keyId, { ...nothing }]));
  }

  addEach(keys: readonly Key[], count: number): void {
    for (const { keyId } of keys) this.of(keyId).answered += count;
  }

  add(keys: readonly Key[], result: LoadResult): void {
    for (const [place, { keyId }] of keys.entries()) {
      const log = this.of(keyId);
      log.answered += result.answeredByKey[place] ?? 0;
      log.refused += result.refusedByKey[place] ?? 0;
      log.unknown += result.failedByKey[place] ?? 0;
    }
  }

  of(keyId: string): Log {
    const log = this.#logs.get(keyId);
    if (log === undefined) throw new Error(`no such key: ${keyId}`);
    return log;
  }
}

/** What the service counted, by key and by subject, over all days. */
async function countedBy(databaseUrl: string) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const summed = async (sql: string) =>
      new Map(
        (await client.query<{ name: string; used: string }>(sql)).rows.map(
          ({ name, used }) => [name, Number(used)] as const,
        ),
      );
    return {
      keys: await summed("select key_id as name, sum(used) as used from api_key_usage group by 1"),
      days: await summed("select subject as name, sum(used) as used from daily_usage group by 1"),
    };
  } finally {
    await client.end();
  }
}

/** Every answer but a gated caller's 429 is to be 200. */
function errorsOf(result: LoadResult, gated: LoadResult): Verdict {
  const days = [result, gated].map(({ answers }) => answers);
  const unexpected = Object.entries(result.answers)
    .concat(Object.entries(gated.answers).filter(([status]) => status !== "429"))
    .reduce((sum, [status, count]) => (status === "200" ? sum : sum + count), 0);
  const lost = [result, gated].reduce(
    (sum, { errors, unanswered, neverAsked }) => sum + errors + unanswered + neverAsked,
    0,
  );
  const figures = { answers: days[0], gatedAnswers: days[1], unexpected, lost };
  return { what: "no error", isHeld: unexpected === 0 && lost === 0, figures };
}

type Counts = { readonly counted: number; readonly logged: number; readonly unknown: number };

/** Equal, key by key; a request that broke off may have been counted or not. */
function driftOf(what: string, keys: readonly Key[], countsOf: (key: Key) => Counts): Verdict {
  const all = keys.map(countsOf);
  const drifted = all.filter(
    ({ counted, logged, unknown }) => counted < logged || counted > logged + unknown,
  );
  const sum = (pick: (counts: Counts) => number) =>
    all.reduce((total, counts) => total + pick(counts), 0);
  const figures = {
    keys: keys.length,
    counted: sum(({ counted }) => counted),
    logged: sum(({ logged }) => logged),
    drifted: drifted.length,
    ...(drifted.length > 0 && { first: drifted[0] }),
  };
  return { what, isHeld: drifted.length === 0, figures };
}

/** Resident memory, and the heap if the process exports it. */
async function memoryOf({ server, metricsUrl }: Process): Promise<Memory> {
  const rss = residentBytes(server.child);
  const text = await fetch(metricsUrl).then(
    (response) => response.text(),
    () => "",
  );
  const [, heap] = /^nodejs_heap_size_used_bytes(?:\{[^}]*\})? (\S+)/m.exec(text) ?? [];
  return { rss, heap: heap === undefined ? null : Number(heap) };
}

/**
 * What a straight line through the floors of the settled part of the run says of the process's growth.
 * Memory is taken as it happens to be, and garbage that waits to be collected can be twice what is in
 * use: the least of a few intervals in a row is what a leak would raise.
 */
function flatnessOf(name: string, all: readonly Measured[]): Verdict {
  const lastMinute = all.at(-1)?.minutes ?? 0;
  const settled = all.filter(({ minutes }) => minutes >= lastMinute * SETTLED_AFTER);
  const lines = (["rss", "heap"] as const).map((which) => {
    const points = settled.flatMap(({ minutes, memory }) => {
      const bytes = memory[name]?.[which] ?? null;
      return bytes === null ? [] : [{ minutes, bytes }];
    });
    return [which, lineThrough(floorsOf(points))] as const;
  });
  const isLong = lastMinute >= LEAST_JUDGED_MINUTES;
  const isFlat = lines.every(([, { growthShare }]) => growthShare <= FLAT_WITHIN);
  const figures = Object.fromEntries(lines);
  return { what: `flat memory: ${name}`, isHeld: isLong ? isFlat : null, figures };
}

function say(line: object): void {
  if (values.json) console.log(JSON.stringify(line));
  else console.log(new Date().toISOString(), JSON.stringify(line));
}

try {
  const verdicts = await soak();
  for (const { what, isHeld, figures } of verdicts) {
    const verdict = isHeld === null ? "not judged" : isHeld ? "held" : "BROKEN";
    if (values.json) console.log(JSON.stringify({ kind: "verdict", what, verdict, ...figures }));
    else console.log(`${verdict}: ${what} ${JSON.stringify(figures)}`);
  }
  process.exitCode = verdicts.every(({ isHeld }) => isHeld !== false) ? 0 : 1;
} finally {
  await deployment.close();
}
