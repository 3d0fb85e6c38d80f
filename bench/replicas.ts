import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createClient } from "@redis/client";
import { formatTable } from "#src/cli/output.ts";
import type { Address } from "#src/units/address.ts";
import { Endings } from "#test/support/ending.ts";
import { startRedis } from "#test/support/processes/redis.ts";
import { measuredSnapshots } from "./replicas/market.ts";
import type { Percentiles, ReplicaFigures, Start } from "./replicas/relay-under-test.ts";
import { closeOnSignal } from "./support/close-on-signal.ts";
import { cpuSeconds } from "./support/deployment.ts";
import { readOptions, requireCheckout } from "./support/options.ts";

/**
 * Cost of publishing answers to replicas. One process publishes a new snapshot of every token `--rate` times
 * a second through a Redis. Each of `--replicas` processes serves a share of the tokens and requests each of
 * them once a second. The share `--overlap` of the tokens is served by all replicas. With
 * `--against CHECKOUT` the relay of another checkout is measured too, before this one in each round.
 */

const { values } = readOptions(
  "Cost of publishing answers to replicas through Redis, and the age of their answers.",
  {
    json: { type: "boolean", default: false },
    replicas: { type: "string", default: "1,4,10", help: "numbers of replicas", least: 1 },
    tokens: { type: "string", default: "1000" },
    rate: { type: "string", default: "1", help: "answers per token and second" },
    overlap: {
      type: "string",
      default: "0.1",
      help: "share of the tokens that all replicas ask for",
    },
    seconds: { type: "string", default: "10" },
    against: { type: "string", help: "another checkout, measured in turns" },
  },
);

requireCheckout(values.against);

const WARM_UP_MS = 3_000;
const READY_WITHIN_MS = 60_000;
const CPU_DIGITS = 3;

type Row = {
  readonly relay: "this" | "other";
  readonly replicas: number;
  readonly tokensEach: number;
  readonly publishedPerSecond: number;
  /** Messages with a snapshot, summed over all replicas. */
  readonly deliveredPerSecond: number;
  readonly takenPerSecond: number;
  readonly redisInBytesPerSecond: number;
  readonly redisOutBytesPerSecond: number;
  /** Seconds of CPU time a second. */
  readonly trackerCpu: number;
  readonly redisCpu: number;
  readonly replicaCpu: number;
  readonly replicasCpu: number;
  /** Milliseconds, of the slowest replica. */
  readonly arrival: Percentiles;
  readonly age: Percentiles;
  /** Of the largest replica. */
  readonly residentMb: number;
};

type Admin = Awaited<ReturnType<typeof openAdmin>>;

const endings = new Endings();
const mints = measuredSnapshots(Number(values.tokens)).map(({ assessment }) => assessment.mint);
const rows: Row[] = [];
for (const replicas of values.replicas.split(",").map(Number)) {
  const relays = values.against === undefined ? (["this"] as const) : (["other", "this"] as const);
  for (const relay of relays) {
    const row = await measure(relay, replicas);
    rows.push(row);
    if (values.json) console.log(JSON.stringify(row));
  }
}
if (!values.json) print(rows);

async function measure(relay: Row["relay"], replicas: number): Promise<Row> {
  closeOnSignal(endings);
  try {
    const { url } = await startRedis(endings);
    const admin = await openAdmin(url);
    const start = {
      checkout:
        relay === "this" ? resolve(import.meta.dirname, "..") : resolve(values.against ?? ""),
      redisUrl: url,
      tokens: Number(values.tokens),
      perSecond: Number(values.rate),
    };
    const tracker = await startProcess("tracker", { ...start, mints: [] });
    const shares = sharesOf(mints, replicas);
    const members = await Promise.all(
      shares.map((own) => startProcess("replica", { ...start, mints: own })),
    );
    await delay(WARM_UP_MS);
    const figures = await observe(admin, { tracker, members });
    return { relay, replicas, tokensEach: shares[0]?.length ?? 0, ...figures };
  } finally {
    await endings.close();
  }
}

/** The tokens of each replica: the first ones for all, the others in turn. */
function sharesOf(all: readonly Address[], replicas: number): readonly (readonly Address[])[] {
  const common = Math.round(all.length * Number(values.overlap));
  return Array.from({ length: replicas }, (_, replica) =>
    all.filter((_mint, place) => place < common || place % replicas === replica),
  );
}

async function startProcess(name: "tracker" | "replica", start: Start): Promise<ChildProcess> {
  const child = fork(join(import.meta.dirname, "replicas", `${name}.ts`));
  const ended = once(child, "exit");
  endings.after(async () => {
    child.kill();
    await ended;
  });
  const failed = ended.then(() => {
    throw new Error(`a ${name} ended`);
  });
  failed.catch(() => undefined);
  const ready = once(child, "message", { signal: AbortSignal.timeout(READY_WITHIN_MS) });
  child.send(start);
  await Promise.race([ready, failed]);
  return child;
}

async function openAdmin(url: string) {
  const admin = createClient({ url });
  await admin.connect();
  endings.after(() => admin.destroy());
  return admin;
}

async function observe(
  admin: Admin,
  {
    tracker,
    members,
  }: { readonly tracker: ChildProcess; readonly members: readonly ChildProcess[] },
): Promise<Omit<Row, "relay" | "replicas" | "tokensEach">> {
  const redis = { pid: (await countsOf(admin)).pid };
  const cpu = () => [cpuSeconds([tracker]), cpuSeconds([redis]), cpuSeconds(members)] as const;
  for (const member of members) member.send("begin");
  const [before, cpuBefore, startedMs] = [await countsOf(admin), cpu(), performance.now()];
  await delay(Number(values.seconds) * 1_000);
  const [after, cpuAfter, endedMs] = [await countsOf(admin), cpu(), performance.now()];
  const figures = await Promise.all(members.map(figuresOf));
  const perSecond = (count: number) => count / ((endedMs - startedMs) / 1_000);
  const cpuOf = (place: 0 | 1 | 2) =>
    Number(perSecond(cpuAfter[place] - cpuBefore[place]).toFixed(CPU_DIGITS));
  const rate = (of: (figures: ReplicaFigures) => number) =>
    Math.round(perSecond(figures.reduce((sum, each) => sum + of(each), 0)));
  return {
    publishedPerSecond: Math.round(perSecond(after.publishes - before.publishes)),
    deliveredPerSecond: rate(({ received }) => received),
    takenPerSecond: rate(({ taken }) => taken),
    redisInBytesPerSecond: Math.round(perSecond(after.inBytes - before.inBytes)),
    redisOutBytesPerSecond: Math.round(perSecond(after.outBytes - before.outBytes)),
    trackerCpu: cpuOf(0),
    redisCpu: cpuOf(1),
    replicaCpu: Number((cpuOf(2) / members.length).toFixed(CPU_DIGITS)),
    replicasCpu: cpuOf(2),
    arrival: slowest(figures.map(({ arrival }) => arrival)),
    age: slowest(figures.map(({ age }) => age)),
    residentMb: Math.round(Math.max(...figures.map((each) => each.residentBytes)) / 1e6),
  };
}

async function figuresOf(member: ChildProcess): Promise<ReplicaFigures> {
  const replied = once(member, "message", { signal: AbortSignal.timeout(READY_WITHIN_MS) });
  member.send("end");
  const [figures] = (await replied) as [ReplicaFigures];
  return figures;
}

/** The highest p50 and the highest p99 of all replicas; null if one of them has none. */
function slowest(all: readonly Percentiles[]): Percentiles {
  const most = (which: keyof Percentiles) => {
    const known = all.map((each) => each[which]).filter((ms) => ms !== null);
    return known.length < all.length ? null : Math.max(...known);
  };
  return { p50: most("p50"), p99: most("p99") };
}

async function countsOf(admin: Admin) {
  const info = await Promise.all(
    ["server", "stats", "commandstats"].map((part) => admin.info(part)),
  );
  const field = (pattern: RegExp) => Number(pattern.exec(info.join("\n"))?.[1] ?? 0);
  return {
    pid: field(/process_id:(\d+)/),
    inBytes: field(/total_net_input_bytes:(\d+)/),
    outBytes: field(/total_net_output_bytes:(\d+)/),
    publishes: field(/cmdstat_publish:calls=(\d+)/) + field(/cmdstat_spublish:calls=(\d+)/),
  };
}

function print(all: readonly Row[]): void {
  const heading = [
    ...["relay", "replicas", "tokens each", "published/s", "delivered/s", "taken/s"],
    ...["Redis in MB/s", "Redis out MB/s", "tracker CPU", "Redis CPU", "CPU of a replica"],
    ...["arrival p50, p99 ms", "age p50, p99 ms", "replica MB"],
  ];
  const lines = all.map((row) => [
    ...[row.relay, row.replicas, row.tokensEach, row.publishedPerSecond, row.deliveredPerSecond],
    ...[row.takenPerSecond, (row.redisInBytesPerSecond / 1e6).toFixed(2)],
    ...[(row.redisOutBytesPerSecond / 1e6).toFixed(2), percent(row.trackerCpu)],
    ...[percent(row.redisCpu), percent(row.replicaCpu)],
    ...[`${row.arrival.p50}, ${row.arrival.p99}`, `${row.age.p50}, ${row.age.p99}`, row.residentMb],
  ]);
  console.log(formatTable([heading, ...lines]));
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
