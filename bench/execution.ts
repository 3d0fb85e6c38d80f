import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { createRpcSource } from "#src/chain/rpc/rpc-source.ts";
import { formatTable } from "#src/cli/output.ts";
import { assess } from "#src/measure/assess.ts";
import type { Market } from "#src/measure/market/market.ts";
import { createLocalNode } from "#src/node/node.ts";
import { SLOT_MS } from "#src/node/slot-clock.ts";
import { systemClock } from "#src/platform/clock.ts";
import { ExecutionRecord } from "#src/proof/execution-record.ts";
import { MeasureByExecution } from "#src/proof/measure-by-execution.ts";
import { ProofSampler } from "#src/proof/proof-sampler.ts";
import { Proofs } from "#src/proof/proofs.ts";
import type { Prover } from "#src/proof/prover.ts";
import { Tracker } from "#src/track/tracker.ts";
import type { Address } from "#src/units/address.ts";
import { VENUES } from "#src/venues/all.ts";
import type { QuotablePool } from "#src/venues/quotable-pool.ts";
import type { VenueId } from "#src/venues/venue.ts";
import { executableMarket } from "#test/support/chain/executable-market.ts";
import type { MarketOptions, MarketReady } from "./support/alerts-market.ts";
import { cpuSeconds, Deployment, makeKeys, type Server } from "./support/deployment.ts";
import { runLoad } from "./support/http-load.ts";
import { indexedSearch } from "./support/indexed-search.ts";
import { readOptions } from "./support/options.ts";
import { median } from "./support/quantile.ts";

/**
 * What executing programs costs with a thousand tokens tracked. First, answers by execution alone: the
 * models of the venues are masked, every ladder and C10 is compared with the model's, then the market
 * moves while the tracker keeps all answers executed. Second, the service with PROOF=sample beside one with
 * PROOF=off, on the same market: their CPU time and their answers' p99, in turns.
 */

const { values } = readOptions(
  "Answers by execution alone compared with the model, and the cost of PROOF=sample.",
  {
    json: { type: "boolean", default: false },
    seed: { type: "string", default: "1" },
    tokens: { type: "string", default: "1000" },
    seconds: { type: "string", default: "20" },
    rounds: { type: "string", default: "3" },
    "trades-per-minute": { type: "string", default: "3000" },
    only: { type: "string", choices: ["execution", "sample"], help: "execution or sample" },
  },
);
const REQUESTS_PER_SECOND = 200;
const CONNECTIONS = 20;
const KEYS = 400;
const SAMPLES = 500;
const QUERIES_OF_KEY = 300;
const LOADING_TOKENS_AT_ONCE = 8;

const tokens = Number(values.tokens);
const seconds = Number(values.seconds);
const say = (text: string): void => console.error(text);
const now = (): number => performance.now();
const options: MarketOptions = {
  tokens,
  tradesPerMinute: Number(values["trades-per-minute"]),
  seed: Number(values.seed),
  isExecutable: true,
};

if (values.only !== "sample") await measureByExecution();
if (values.only !== "execution") await measureSampling();

/** The market in this process, whose own CPU time is subtracted by an equal period without executions. */
async function measureByExecution(): Promise<void> {
  const demo = executableMarket({
    ...{ seed: options.seed ?? 1, startMs: Date.now(), launchEveryMinutes: null },
    extraTokens: tokens,
    extraTradesPerMinute: options.tradesPerMinute,
  });
  if (demo === null) throw new Error("no compiled program is here: run tools/fetch-programs.ts");
  const node = createLocalNode({ ledger: demo.ledger });
  const rpc = createRpcSource({
    ...(await node.listen()),
    ...{ origin: "live", clock: systemClock, random: Math.random },
  });
  const source = { ...rpc, searchAccounts: indexedSearch(demo.ledger) };
  const proofs = new Proofs({
    ...{ chain: source, dataDir: null, clock: systemClock },
    onFailure: (what, cause) => say(`failed to ${what}: ${String(cause)}`),
  });
  let sales = 0;
  const prover: Pick<Prover, "quote"> = {
    quote: (asked, ground) => {
      sales += asked.length;
      return proofs.prover.quote(asked, ground);
    },
  };
  let failing: ReadonlySet<VenueId> = new Set();
  const measuring = new MeasureByExecution({ prover, venues: () => failing });
  const tracker = new Tracker({
    ...{ source, venues: VENUES, clock: systemClock, database: null },
    byExecution: {
      venues: () => failing,
      run: (ground, measure) =>
        measuring.run({ ...ground, market: masked(ground.market) }, measure),
    },
    onFailure: (what, cause) => say(`failed to ${what}: ${String(cause)}`),
  });
  const mints = demo.mints.slice(-tokens);
  await loadTokens(tracker, mints);
  const venues = new Set(
    mints.flatMap((mint) => tracker.market(mint)?.pools ?? []).map(({ venue }) => venue),
  );
  failing = venues;
  const cost = await executeEach(tracker, measuring, mints, () => sales);
  failing = new Set();
  const sampling = await sampleMany(tracker, proofs.prover);
  tracker.setWatched(mints);
  tracker.start();
  const playing = setInterval(() => demo.catchUp(Date.now()), SLOT_MS);
  const modelled = await follow(tracker, mints);
  failing = venues;
  const executed = await follow(tracker, mints);
  clearInterval(playing);
  await tracker.close();
  await proofs.close();
  await source.close();
  await node.close();
  print("answers by execution alone", {
    tokens,
    venues: [...venues].join(" "),
    ...cost,
    ...sampling,
    cpuPctModelled: modelled.cpuPct,
    cpuPctExecuted: executed.cpuPct,
    executedTokens: executed.executedTokens,
    p50AgeSeconds: executed.p50AgeSeconds,
    oldestAgeSeconds: executed.oldestAgeSeconds,
  });
}

/** The market without its models: any quote of them ends the bench. */
function masked(market: Market): Market {
  const never = (): never => {
    throw new Error("the model was asked");
  };
  const mask = (pool: QuotablePool): QuotablePool => ({
    ...pool,
    ...{ quote: never, quoteAscending: never, sell: never, buy: never },
  });
  return { ...market, pools: market.pools.map(mask), hopPools: market.hopPools.map(mask) };
}

async function loadTokens(tracker: Tracker, mints: readonly Address[]): Promise<void> {
  for (let start = 0; start < mints.length; start += LOADING_TOKENS_AT_ONCE) {
    const some = mints.slice(start, start + LOADING_TOKENS_AT_ONCE);
    await Promise.all(some.map((mint) => tracker.snapshot(mint)));
  }
}

/** Every token once, on a market without trades. The first answers load the programs, and are not counted. */
async function executeEach(
  tracker: Tracker,
  measuring: MeasureByExecution,
  mints: readonly Address[],
  salesSoFar: () => number,
) {
  const execute = async (mint: Address): Promise<"equal" | "different" | "absent"> => {
    const ground = tracker.saleGround(mint);
    if (ground === null) return "absent";
    const modelled = assess(ground.market).measurement;
    const blind = { ...ground, market: masked(ground.market) };
    const { measurement } = await measuring.run(blind, assess);
    return textOf(measurement) === textOf(modelled) ? "equal" : "different";
  };
  for (const mint of mints.slice(0, 20)) await execute(mint);
  const counts = { equal: 0, different: 0, absent: 0 };
  const [salesBefore, cpuBefore, startedMs] = [salesSoFar(), process.cpuUsage(), now()];
  for (const mint of mints) counts[await execute(mint)]++;
  const { user, system } = process.cpuUsage(cpuBefore);
  const round = (value: number): number => Math.round((100 * value) / mints.length) / 100;
  return {
    ...counts,
    cpuMsPerAnswer: round((user + system) / 1_000),
    msPerAnswer: round(now() - startedMs),
    salesPerAnswer: round(salesSoFar() - salesBefore),
  };
}

/** What one execution of PROOF=sample costs: choosing, preparing, executing and counting it. */
async function sampleMany(tracker: Tracker, prover: Prover) {
  const sampler = new ProofSampler({
    ...{ prover, record: new ExecutionRecord(), mode: "sample", random: Math.random },
    mints: () => tracker.mints(),
    groundOf: (mint) => tracker.saleGround(mint),
    onFailure: (what, cause) => say(`failed to ${what}: ${String(cause)}`),
  });
  const before = process.cpuUsage();
  for (let sample = 0; sample < SAMPLES; sample++) await sampler.sampleOnce();
  const { user, system } = process.cpuUsage(before);
  return { cpuMsPerSample: Math.round((user + system) / SAMPLES / 10) / 100 };
}

function textOf(value: unknown): string {
  return JSON.stringify(value, (_, field) => (typeof field === "bigint" ? `${field}n` : field));
}

/** The tracker on a market that moves. Ages are those of the state behind each answer. */
async function follow(tracker: Tracker, mints: readonly Address[]) {
  await pause(seconds * 1_000);
  const [cpuBefore, startedMs] = [process.cpuUsage(), now()];
  await pause(seconds * 1_000);
  const { user, system } = process.cpuUsage(cpuBefore);
  const cpuPct = Math.round((user + system) / 10 / (now() - startedMs));
  const ages: number[] = [];
  let executedTokens = 0;
  for (const mint of mints) {
    const snapshot = tracker.latest(mint);
    if (snapshot?.kind !== "assessed") continue;
    const { findings, stateTimeMs } = snapshot.assessment;
    if (findings.some(({ kind }) => kind === "executed")) executedTokens++;
    ages.push(Math.round((Date.now() - stateTimeMs) / 100) / 10);
  }
  ages.sort((a, b) => a - b);
  return {
    ...{ cpuPct, executedTokens },
    p50AgeSeconds: ages[Math.floor(ages.length / 2)],
    oldestAgeSeconds: ages.at(-1),
  };
}

type Turn = { readonly cpuPct: number; readonly p50Ms: number; readonly p99Ms: number };

/** Two services on one market; only one is asked at a time. */
async function measureSampling(): Promise<void> {
  const deployment = new Deployment();
  try {
    const market = new Worker(new URL("./support/alerts-market.ts", import.meta.url), {
      workerData: options,
    });
    deployment.after(async () => void (await market.terminate()));
    const [{ httpUrl, wsUrl, mints }] = (await once(market, "message")) as [MarketReady];
    const chain = { SOLANA_RPC_URL: httpUrl, SOLANA_WS_URL: wsUrl, ACCURACY: "off" };
    const open = async (proof: "off" | "sample") => {
      const own = new Deployment();
      deployment.after(() => own.close());
      const place = own.alone();
      const keys = await makeKeys(place, { count: KEYS, tier: "pro", name: "execution" });
      const server = await own.serve(place, { ...chain, PROOF: proof });
      const texts = keys.map(({ text }) => text);
      await loadAll(server, mints, texts);
      return {
        proof,
        server,
        keys: texts,
        path: `/api/token/${mints[0]}/exitability`,
        turns: [] as Turn[],
      };
    };
    const services = [await open("off"), await open("sample")];
    for (let round = -1; round < Number(values.rounds); round++) {
      const idle = await Promise.all(services.map(({ server }) => cpuPctOf(server)));
      for (const [index, service] of services.entries()) {
        const result = await runLoad({
          urls: [service.server.url],
          path: service.path,
          callers: { kind: "keys", keys: service.keys },
          connections: CONNECTIONS,
          seconds,
          rate: REQUESTS_PER_SECOND,
          lateAfterMs: Number.POSITIVE_INFINITY,
          intervalSeconds: null,
        });
        const cpuPct = idle[index] ?? Number.NaN;
        const { p50Ms, p99Ms } = result;
        // The first round warms up.
        if (round < 0) continue;
        service.turns.push({ cpuPct, p50Ms: p50Ms ?? Number.NaN, p99Ms: p99Ms ?? Number.NaN });
      }
      say(`round ${round + 1} of ${values.rounds} is measured`);
    }
    for (const { proof, server, turns } of services) {
      const executions = await executionsOf(server);
      const middle = (field: keyof Turn): number => median(turns.map((turn) => turn[field]));
      print(`PROOF=${proof}`, {
        tokens: mints.length,
        cpuPct: middle("cpuPct"),
        p50Ms: middle("p50Ms"),
        p99Ms: middle("p99Ms"),
        ...executions,
      });
    }
  } finally {
    await deployment.close();
  }
}

/** Asks for every token until it is followed, within the fair use of the keys. */
async function loadAll(
  { url }: Server,
  mints: readonly Address[],
  keys: readonly string[],
): Promise<void> {
  let next = 0;
  const ask = async (mint: Address): Promise<boolean> => {
    const key = keys[Math.floor(next++ / QUERIES_OF_KEY) % keys.length] ?? "";
    const response = await fetch(`${url}/api/token/${mint}/exitability`, {
      headers: { "x-api-key": key },
    });
    await response.arrayBuffer();
    return response.status === 200;
  };
  let left = mints;
  while (left.length > 0) {
    const failed: Address[] = [];
    for (let start = 0; start < left.length; start += LOADING_TOKENS_AT_ONCE) {
      const some = left.slice(start, start + LOADING_TOKENS_AT_ONCE);
      const loaded = await Promise.all(some.map(ask));
      failed.push(...some.filter((_, index) => loaded[index] !== true));
    }
    left = failed;
    say(`${mints.length - left.length} of ${mints.length} tokens are loaded`);
  }
}

async function cpuPctOf({ child }: Server): Promise<number> {
  const [before, startedMs] = [cpuSeconds([child]), now()];
  await pause(seconds * 1_000);
  return Math.round((10_000_000 * (cpuSeconds([child]) - before)) / (now() - startedMs)) / 100;
}

async function executionsOf({ url }: Server) {
  const response = await fetch(`${url}/api/accuracy`);
  const body = JSON.parse(await response.text()) as {
    readonly venues: readonly {
      readonly executed: { readonly sales: number; readonly equal: number } | null;
    }[];
  };
  const found = body.venues.flatMap(({ executed }) => executed ?? []);
  return {
    executed: found.reduce((sum, { sales }) => sum + sales, 0),
    equal: found.reduce((sum, { equal }) => sum + equal, 0),
  };
}

function print(name: string, figures: Readonly<Record<string, unknown>>): void {
  if (values.json) console.log(JSON.stringify({ name, ...figures }));
  else {
    const rows = Object.entries(figures).map(([field, value]) => [field, String(value)]);
    console.log(formatTable([[name, ""], ...rows]));
  }
}
