import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { formatTable } from "#src/cli/output.ts";
import { STANDARD_SIZES } from "#src/measure/assessment.ts";
import { tierLimits } from "#src/users/tiers.ts";
import type { Asked, Traffic } from "./monitoring/counted-client.ts";
import { MOST_MINTS, type Way, type WayName, wayOf } from "./monitoring/ways.ts";
import type { MarketOptions, MarketOrder, MarketReady } from "./support/alerts-market.ts";
import { cpuSeconds, Deployment, makeKeys, type Server } from "./support/deployment.ts";
import { readOptions } from "./support/options.ts";
import { median } from "./support/quantile.ts";

/**
 * A thousand tokens at six sizes every ten seconds: what each way of asking costs in requests, bytes
 * and the server's CPU time, beside the same by one quote per size. The service is a process of its
 * own on a market that moves; the ways take turns, round by round. At the end the market is stopped,
 * and every method must have the same figures for every token: else this fails.
 */

const { values } = readOptions(
  "Cost of tokens read every ten seconds by stream, batch and single requests.",
  {
    json: { type: "boolean", default: false },
    seed: { type: "string", default: "1" },
    tokens: { type: "string", default: "1000" },
    rounds: { type: "string", default: "3" },
    "trades-per-minute": { type: "string", default: "3000" },
  },
);

/** How a bot asks: which way, and whether it reads packed answers. Streams are never packed. */
type Case = { readonly way: WayName; readonly encoding: Asked["encoding"] };

type Figures = Traffic & {
  readonly answers: number;
  /** Refused for the server's load; repeated after Retry-After. */
  readonly refused: number;
  /** Of the server's process, minus its CPU time in an equal period without requests. */
  readonly cpuMs: number;
};

const CASES: readonly Case[] = [
  { way: "batch", encoding: "br" },
  { way: "batch", encoding: "identity" },
  { way: "stream", encoding: "br" },
  { way: "stream-all", encoding: "br" },
  { way: "ladder", encoding: "br" },
  { way: "single", encoding: "br" },
];
const LABELS: Readonly<Record<WayName, string>> = {
  batch: "batch",
  stream: "stream, changes of 0.1 points",
  "stream-all": "stream, every change",
  ladder: "one token a request, If-None-Match",
  single: "one quote per size",
};

const ROUND_MS = 10_000;
/** A round's requests are spread over this much of it; the rest is for their answers. */
const SPREAD_MS = 8_000;
const ROUNDS_PER_MINUTE = 60_000 / ROUND_MS;
const TOKENS_PER_QUERY = 10;
const SETTLED_AFTER_MS = 3_000;
const COMPARED_AT_MOST = 4;
/** Loading has no round to keep to, but asks of fair use all at once. */
const LOADING_ACCOUNTS = 20;

const tokens = Number(values.tokens);
const say = (text: string): void => console.error(text);
const COMPARED: readonly Case[] = (["stream-all", "batch", "ladder", "single"] as const).map(
  (way) => ({ way, encoding: "br" }),
);
const deployment = new Deployment();
const place = deployment.alone();
const wanted = [...CASES, ...COMPARED].reduce((sum, { way }) => sum + accountsFor(way), 0);
const count = LOADING_ACCOUNTS + wanted;
const made = await makeKeys(place, { count, tier: "pro", name: "monitoring" });
const keys = made.map(({ text }) => text);
const loadingKeys = keys.splice(0, LOADING_ACCOUNTS);
/** Each case has accounts of its own: no other spends their fair use. */
const keysOf = new Map(
  [...CASES, ...COMPARED].map((each) => [each, keys.splice(0, accountsFor(each.way))]),
);
const options: MarketOptions = {
  tokens,
  tradesPerMinute: Number(values["trades-per-minute"]),
  seed: Number(values.seed),
};
const market = new Worker(new URL("./support/alerts-market.ts", import.meta.url), {
  workerData: options,
});
deployment.after(async () => void (await market.terminate()));
const [{ httpUrl, wsUrl, mints }] = (await once(market, "message")) as [MarketReady];
try {
  const chain = { SOLANA_RPC_URL: httpUrl, SOLANA_WS_URL: wsUrl };
  const service = await deployment.serve(place, chain);
  await loadAll(service);
  const measured = await measureInTurns(service);
  const disagreements = await stopAndCompare(service);
  report(measured, disagreements);
} finally {
  await deployment.close();
}

function open(each: Case, { url }: Server): Way {
  const { way, encoding } = each;
  return wayOf(way, { url, mints, encoding, keys: keysOf.get(each) ?? [] });
}

/** Accounts of the largest tier that the way needs, by fair use and by tokens streamed at once. */
function accountsFor(way: WayName): number {
  const { fairUsePerMinute, streamedTokens } = tierLimits("pro");
  const perMinute = ROUNDS_PER_MINUTE / fairUsePerMinute;
  switch (way) {
    case "batch":
      return Math.ceil((tokens / TOKENS_PER_QUERY) * perMinute);
    case "ladder":
      return Math.ceil(tokens * perMinute);
    case "single":
      return Math.ceil(tokens * STANDARD_SIZES.length * perMinute);
    case "stream":
    case "stream-all":
      return Math.ceil(tokens / streamedTokens);
    default:
      return way satisfies never;
  }
}

/** Asks for every token until each is found, read and followed. */
async function loadAll({ url }: Server): Promise<void> {
  const way = wayOf("batch", { url, mints, encoding: "br", keys: loadingKeys });
  for (;;) {
    const loaded = await way.round(0).then(
      () => true,
      () => false,
    );
    say(`${way.told.size} of ${tokens} tokens are loaded`);
    if (loaded) break;
    await pause(1_000);
  }
  way.client.close();
}

type Measured = {
  readonly idleCpuMs: readonly number[];
  readonly cases: ReadonlyMap<Case, readonly Figures[]>;
};

/**
 * Each case once in every round, after an equal period without requests: that is what tracking alone
 * costs at that time. A first round warms up, and is not counted.
 */
async function measureInTurns(service: Server): Promise<Measured> {
  for (const each of CASES) await measureRound(each, service);
  const idleCpuMs: number[] = [];
  const cases = new Map<Case, Figures[]>(CASES.map((each) => [each, []]));
  for (let round = 0; round < Number(values.rounds); round++) {
    const idle: number[] = [];
    const asked: [Figures[], Figures][] = [];
    for (const [each, figures] of cases) {
      idle.push(await cpuOf(service, () => pause(ROUND_MS)));
      asked.push([figures, await measureRound(each, service)]);
    }
    for (const [figures, own] of asked) figures.push({ ...own, cpuMs: own.cpuMs - median(idle) });
    idleCpuMs.push(median(idle));
    say(`round ${round + 1} of ${values.rounds} is measured`);
  }
  return { idleCpuMs, cases };
}

/**
 * A round of a bot that is at it already: its connections are open, its first answers there. The CPU
 * time is all of the server's.
 */
async function measureRound(each: Case, service: Server): Promise<Figures> {
  const way = open(each, service);
  await way.open();
  if (each.way === "ladder") await way.round(SPREAD_MS);
  const before = { ...way.client.traffic, answers: way.answers, refused: way.refused };
  const cpuMs = await cpuOf(service, async () => {
    await Promise.all([way.round(SPREAD_MS), pause(ROUND_MS)]);
  });
  const after = way.client.traffic;
  way.client.close();
  return {
    requests: after.requests - before.requests,
    sentBytes: after.sentBytes - before.sentBytes,
    receivedBytes: after.receivedBytes - before.receivedBytes,
    answers: way.answers - before.answers,
    refused: way.refused - before.refused,
    cpuMs,
  };
}

async function cpuOf({ child }: Server, work: () => Promise<void>): Promise<number> {
  const before = cpuSeconds([child]);
  await work();
  return (cpuSeconds([child]) - before) * 1_000;
}

/**
 * Streams that were opened while the market moved, then the market stopped, and the same asked in
 * every other method: their figures of a token must be equal. What came to the service between
 * two of them is asked for again. Returns each difference in words.
 */
async function stopAndCompare(service: Server): Promise<readonly string[]> {
  const ways = COMPARED.map((each) => ({ name: each.way, way: open(each, service) }));
  for (const { way } of ways) await way.open();
  await pause(SETTLED_AFTER_MS);
  const stopped = once(market, "message");
  market.postMessage({ kind: "stop" } satisfies MarketOrder);
  await stopped;
  const disagreements: string[] = [];
  let moved: readonly string[] = [];
  for (let attempt = 0; attempt < COMPARED_AT_MOST; attempt++) {
    await pause(SETTLED_AFTER_MS);
    for (const { way } of ways) await way.round(0);
    const compared = compare(ways);
    disagreements.push(...compared.disagreements);
    moved = compared.moved;
    if (moved.length === 0) break;
    say(`${moved.length} tokens moved while they were asked about`);
  }
  for (const { way } of ways) way.client.close();
  return [...disagreements, ...moved];
}

/**
 * Differences at one state of the chain, and those that may be of two. A stream does not send the
 * time alone: where only it differs, its change may be on its way.
 */
function compare(ways: readonly { readonly name: WayName; readonly way: Way }[]) {
  const disagreements: string[] = [];
  const moved: string[] = [];
  for (const mint of mints) {
    const told = ways.map(({ name, way }) => ({ name, of: way.told.get(mint) }));
    const asked = told.filter(({ name }) => name !== "stream-all");
    const times = new Set(asked.map(({ of }) => of?.updatedAt));
    const figures = (of: typeof told) => new Set(of.map((one) => JSON.stringify(one.of?.slippage)));
    if (figures(told).size === 1) continue;
    const isOneState = times.size === 1 && figures(asked).size > 1;
    (isOneState ? disagreements : moved).push(`${mint}: ${JSON.stringify(told)}`);
  }
  return { disagreements, moved };
}

function report({ idleCpuMs, cases }: Measured, disagreements: readonly string[]): void {
  const idle = median(idleCpuMs);
  const lines = Array.from(cases, ([{ way, encoding }, rounds]) => {
    const middle = (field: keyof Figures): number => median(rounds.map((round) => round[field]));
    return {
      way,
      encoding: way.startsWith("stream") ? "identity" : encoding,
      requests: middle("requests"),
      answers: middle("answers"),
      sentBytes: middle("sentBytes"),
      receivedBytes: middle("receivedBytes"),
      cpuMs: Math.round(middle("cpuMs")),
      refused: rounds.reduce((sum, { refused }) => sum + refused, 0),
      proAccounts: accountsFor(way),
    };
  });
  const agreement = { tokens, idleCpuMs: Math.round(idle), disagreements: disagreements.length };
  if (values.json) {
    for (const line of lines) console.log(JSON.stringify(line));
    console.log(JSON.stringify(agreement));
  } else {
    const rows = lines.map((line) => [
      LABELS[line.way] + (line.encoding === "br" && line.way === "batch" ? ", brotli" : ""),
      line.requests,
      line.answers,
      kilobytes(line.sentBytes),
      kilobytes(line.receivedBytes),
      line.cpuMs,
      line.refused,
      line.proAccounts,
    ]);
    const heading = ["each 10 s", "requests", "answers", "kB sent", "kB received", "server CPU ms"];
    const last = ["refused", "pro accounts"];
    console.log(formatTable([[...heading, ...last], ...rows]));
    console.log(
      `\n${tokens} tokens, ${STANDARD_SIZES.length} sizes, ${values["trades-per-minute"]} trades a minute. ` +
        `Server CPU is what comes on top of ${Math.round(idle)} ms without requests. ` +
        `All methods agree on ${tokens - disagreements.length} tokens of ${tokens}.`,
    );
  }
  for (const line of disagreements.slice(0, MOST_MINTS)) say(line);
  process.exitCode = disagreements.length === 0 ? 0 : 1;
}

function kilobytes(bytes: number): string {
  return (bytes / 1_000).toFixed(0);
}
