import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { seededRandom } from "#demo/seeded-random.ts";
import type { Listening } from "./support/alerts-receivers.ts";
import { Deployment, makeKeys, type Place, residentBytes } from "./support/deployment.ts";
import { lineThrough, type Point } from "./support/growth.ts";
import { type LoadInterval, type LoadResult, runLoad } from "./support/http-load.ts";
import { readOptions, requirePostgres } from "./support/options.ts";
import { KeyRing } from "./whole-chain/ask.ts";
import { missedBars } from "./whole-chain/bars.ts";
import { Chain } from "./whole-chain/chain.ts";
import type { ChainInterval } from "./whole-chain/chain-process.ts";
import { FirstAnswers } from "./whole-chain/first-answers.ts";
import { allLoaded, askEachOnce } from "./whole-chain/loading.ts";
import { SampledChecks } from "./whole-chain/sampled-checks.ts";
import { SentAlerts } from "./whole-chain/sent-alerts.ts";
import { Service } from "./whole-chain/service.ts";
import { ServiceLog } from "./whole-chain/service-log.ts";
import { readMetrics, trackedFigures } from "./whole-chain/service-metrics.ts";
import type { StreamClientsPlan, StreamClientsWord } from "./whole-chain/stream-clients.ts";
import { UpdateProbes } from "./whole-chain/update-probes.ts";
import { warmRestart } from "./whole-chain/warm-restart.ts";
import { makeWatchingUsers } from "./whole-chain/watching-users.ts";

/**
 * The whole chain on one machine: every live launchpad token in a chain process of our own, the service
 * that follows all of them over gRPC, and its users. Exit code 1 if one of the bars is missed.
 */
const { values } = readOptions(
  "A service that follows every token of a chain process, under watchlists, streams and requests.",
  {
    json: { type: "boolean", default: false },
    seed: { type: "string", default: "1" },
    tokens: { type: "string", default: "100000" },
    minutes: { type: "string", default: "30" },
    updates: { type: "string", default: "3100", help: "swaps a second" },
    watched: { type: "string", help: "entries; default a tenth of the tokens, at most 10000" },
    streams: { type: "string", default: "1000", help: "open event streams" },
    requests: { type: "string", default: "1000", help: "requests a second" },
    compression: { type: "string", default: "12", help: "of the chain's time" },
    "sends-per-slot": {
      type: "string",
      default: "1",
      help: "parts of a slot; a server of confirmed slots sends each at once",
    },
    "heap-mb": { type: "string", default: "3500" },
    "most-load-minutes": { type: "string", default: "12" },
    split: {
      type: "boolean",
      default: false,
      help: "a process each for tracker, alerts and API, over Postgres (DATABASE_URL) and Redis",
    },
    restarts: {
      type: "boolean",
      default: false,
      help: "then end the service twice, by SIGTERM and kill -9, and measure its start",
    },
    environment: {
      type: "string",
      multiple: true,
      default: [],
      help: "NAME=VALUE for the service, repeatable",
    },
    node: {
      type: "string",
      multiple: true,
      default: [],
      help: "a flag of the service's Node, repeatable",
    },
  },
);

/**
 * As docs/scale.md recommends. V8 marks the whole heap after every 64 MB of new buffers otherwise, and with
 * 100,000 tokens a marking takes seconds.
 */
const NODE_FLAGS = [
  "--max-semi-space-size=64",
  "--heap-growing-percent=50",
  "--external-memory-accounted-in-global-limit",
  "--external-memory-max-growing-factor=2",
  "--compaction-max-evacuated-bytes-mb=48",
];
const PROBES = 40;
/** Users beside the watching ones: each has a limit of requests a minute. */
const CALLERS = { probe: 60, born: 40, check: 4 } as const;
const REQUESTS_PER_USER = 8;
/** Two for each user: with fewer, requests would wait at their own side for the answers before them. */
const CONNECTIONS = 250;
const TOKENS_PER_STREAM = 10;
const ASKED_TOKENS = 5_000;
const CHECKED_TOKENS = 2_000;
const SWEEP_SECONDS = 110;
const SLOTS_PER_SECOND = 2.5;
const INTERVAL_SECONDS = 10;
const CHECK_EVERY_MS = 250;
const LATE_AFTER_MS = 50;
/** Users have machines of their own. */
const USERS_NICE = 10;
const LAST_ARRIVALS_MS = 5_000;

if (values.split) requirePostgres();
const tokens = Number(values.tokens);
const seconds = Number(values.minutes) * 60;
const watchedCount = Number(values.watched ?? Math.min(10_000, Math.floor(tokens / 10)));
const now = (): number => performance.timeOrigin + performance.now();
const print = (line: object): void => console.log(JSON.stringify(line));
const say = (text: string): void => console.error(text);

const deployment = new Deployment();
try {
  await run();
} finally {
  await deployment.close();
}

async function run(): Promise<void> {
  const chain = await Chain.start({
    ...{ seed: Number(values.seed), tokens, swapsPerSecond: Number(values.updates) },
    ...{ compression: Number(values.compression), probes: PROBES },
    sweptPerSlot: Math.ceil(tokens / (SWEEP_SECONDS * SLOTS_PER_SECOND)),
    sendsPerSlot: Number(values["sends-per-slot"]),
  });
  deployment.after(() => chain.close());
  say(`${tokens} tokens were made in ${chain.ready.seconds.toFixed(0)} s`);
  const { watched, asked, checked } = chooseTokens(chain);
  const receivers = new Worker(new URL("./support/alerts-receivers.ts", import.meta.url));
  deployment.after(async () => void (await receivers.terminate()));
  const [{ smtpPort, webhookPort }] = (await once(receivers, "message")) as [Listening];
  const place = values.split ? await deployment.shared() : deployment.alone();
  const watching = (await makeWatchingUsers(place, watched, webhookPort)).map(({ text }) => text);
  const callers = await makeCallers(place);
  const log = new ServiceLog();
  const startedMs = now();
  const service = await Service.start({
    ...{ deployment, place, isSplit: values.split, log },
    nodeFlags: [`--max-old-space-size=${values["heap-mb"]}`, ...NODE_FLAGS, ...values.node],
    environment: {
      // Judging every swap of the chain takes most of a core more.
      ...{ PROOF: "off", ACCURACY: "off" },
      ...{ SOLANA_RPC_URL: chain.ready.rpcUrl, GEYSER_URL: chain.ready.geyserUrl },
      ...{ SMTP_URL: `smtp://127.0.0.1:${smtpPort}`, WEBHOOK_ALLOW: "127.0.0.1/32" },
      ...Object.fromEntries(values.environment.map((pair) => pair.split("="))),
    },
  });
  const { url, metricsUrl } = service;
  const missing = await allLoaded({
    ...{ metricsUrl, tokens: chain.ready.tokens.length },
    mostMinutes: Number(values["most-load-minutes"]),
    onLoaded: () => askEachOnce(url, asked, new KeyRing(callers.request)),
    onProgress: (figures) =>
      print({ kind: "loading", residentMb: megabytes(service.residentBytes), ...figures }),
  });
  if (missing !== null) say(`loading did not end in time: ${missing}`);
  const loadSeconds = (now() - startedMs) / 1_000;
  print({
    kind: "loaded",
    seconds: Math.round(loadSeconds),
    residentMb: megabytes(service.residentBytes),
  });

  const probes = new UpdateProbes(chain, url, new KeyRing(callers.probe));
  const firsts = new FirstAnswers(chain, url, new KeyRing(callers.born));
  const alerts = new SentAlerts(chain, receivers, new Set(watched));
  const random = seededRandom(Number(values.seed));
  const checks = new SampledChecks({
    chain,
    url,
    keys: new KeyRing(callers.check),
    random,
    tokens: checked,
    onExample: say,
  });
  const streams = await openStreams(url, watched, watching);
  await probes.start();
  chain.begin();
  const beganMs = now();
  const intervals: LoadInterval[] = [];
  const chainIntervals: ChainInterval[] = [];
  chain.onInterval.push((interval) => chainIntervals.push(interval));
  const checking = setInterval(() => void checks.sample().catch(() => undefined), CHECK_EVERY_MS);
  const loading = runLoad(
    {
      ...{ urls: [url], path: "", paths: asked.map((mint) => `/api/token/${mint}/exitability`) },
      ...{ callers: { kind: "keys", keys: callers.request }, connections: CONNECTIONS },
      ...{ seconds, rate: Number(values.requests) },
      ...{ lateAfterMs: LATE_AFTER_MS, intervalSeconds: INTERVAL_SECONDS, nice: USERS_NICE },
    },
    (interval) => intervals.push(interval),
  );
  const points: Point[] = [];
  let isOver = false;
  const loaded = loading.then((result) => {
    isOver = true;
    return result;
  });
  let busy = service.cpuSeconds;
  const sums = { swaps: 0, accounts: 0, transactions: 0, lagged: 0, lateSlots: 0, skippedSlots: 0 };
  while (!isOver) {
    await Promise.race([delay(INTERVAL_SECONDS * 1_000), loaded]);
    const minutes = (now() - beganMs) / 60_000;
    const resident = service.residentBytes;
    points.push({ minutes, bytes: resident });
    const cpu = service.cpuSeconds;
    const chainFigures = chainFiguresOf(chainIntervals.splice(0));
    sums.swaps += chainFigures.swaps;
    sums.accounts += chainFigures.accounts;
    sums.transactions += chainFigures.transactions;
    sums.lagged += chainFigures.lagged;
    sums.lateSlots += chainFigures.lateSlots;
    sums.skippedSlots += chainFigures.skippedSlots;
    print({
      ...{ kind: "interval", minutes: Number(minutes.toFixed(2)), isBurst: chainFigures.isBurst },
      residentMb: megabytes(resident),
      serviceCores: Number(((cpu - busy) / INTERVAL_SECONDS).toFixed(2)),
      ...(values.split ? { parts: await service.partFigures() } : {}),
      ...{ tracked: trackedFigures(await readMetrics(metricsUrl)), chain: chainFigures },
      ...{ update: probes.takeInterval(), answers: intervals.splice(0).at(-1) ?? null },
      ...{ streams: streams.take(), checks: checks.figures, collections: log.collections },
    });
    busy = cpu;
  }
  probes.stop();
  clearInterval(checking);
  const answers = await loaded;
  alerts.endCauses();
  const ranSeconds = (now() - beganMs) / 1_000;
  await delay(LAST_ARRIVALS_MS);
  const figures = {
    ...{
      kind: "result",
      tokens,
      minutes: Number(values.minutes),
      loadSeconds: Math.round(loadSeconds),
    },
    memory: {
      peakMb: megabytes(service.peakResidentBytes),
      ...lineThrough(points),
      chainMb: megabytes(residentBytes(chain.child)),
    },
    updates: {
      swapsPerSecond: Math.round(sums.swaps / ranSeconds),
      askedPerSecond: Number(values.updates),
      accountsPerSecond: Math.round(sums.accounts / ranSeconds),
      ...{ lagged: sums.lagged, lateSlots: sums.lateSlots, skippedSlots: sums.skippedSlots },
    },
    lag: { p50Slots: checks.figures.lagP50Slots, p99Slots: checks.figures.lagP99Slots },
    updateToAnswer: { outsideBursts: probes.outside, inBursts: probes.inside },
    ...{
      newTokenToAnswer: firsts.figures,
      alerts: alerts.figures,
      answers: answerFigures(answers),
    },
    ...{ streams: streams.all(), checks: checks.figures, collections: log.collections },
    tracked: trackedFigures(await readMetrics(metricsUrl)),
    log: [...log.lines.values()],
  };
  print(figures);
  for (const alert of alerts.missing(now()))
    say(`an alert did not arrive: ${JSON.stringify(alert)}`);
  const missed = missedBars(figures);
  for (const bar of missed) say(`missed: ${bar}`);
  print({ kind: "bars", missed });
  if (values.restarts) {
    await streams.close();
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      const keys = new KeyRing(callers.request);
      print(await warmRestart({ signal, chain, service, asked, keys }));
    }
  }
  process.exitCode = missed.length === 0 ? 0 : 1;
}

/** The watched tokens are those that lose their liquidity and others; asked are these and busy ones. */
function chooseTokens({ ready }: Chain) {
  const others = ready.tokens.filter(({ mint }) => !ready.probes.includes(mint));
  const byPlace = seededRandom(Number(values.seed) + 1);
  const picked = (count: number, exponent: number) =>
    Array.from(
      { length: count },
      () => others[Math.floor(byPlace.uniform() ** exponent * others.length)],
    ).flatMap((token) => token ?? []);
  const watched = [
    ...new Set([
      ...ready.drained.slice(0, watchedCount / 2),
      ...picked(3 * watchedCount, 1).map(({ mint }) => mint),
    ]),
  ].slice(0, watchedCount);
  const asked = [
    ...new Set([...watched, ...picked(ASKED_TOKENS, 1).map(({ mint }) => mint)]),
  ].slice(-ASKED_TOKENS);
  const drained = new Set(ready.drained);
  const checked = [...new Set(picked(CHECKED_TOKENS, 1))].filter(({ mint }) => !drained.has(mint));
  return { watched, asked, checked };
}

async function makeCallers(place: Place) {
  const request = Math.ceil(Number(values.requests) / REQUESTS_PER_USER);
  const counts = { ...CALLERS, request };
  const byName = new Map<string, readonly string[]>();
  // One at a time: each opens the embedded database.
  for (const [name, count] of Object.entries(counts)) {
    const keys = await makeKeys(place, { count, tier: "pro", name });
    byName.set(
      name,
      keys.map(({ text }) => text),
    );
  }
  const of = (name: string): readonly string[] => byName.get(name) ?? [];
  return { probe: of("probe"), born: of("born"), check: of("check"), request: of("request") };
}

async function openStreams(url: string, mints: readonly string[], keys: readonly string[]) {
  const count = Number(values.streams);
  const plan: StreamClientsPlan = {
    ...{ url, nice: USERS_NICE },
    streams: Array.from({ length: count }, (_, number) => {
      const first = (number * TOKENS_PER_STREAM) % Math.max(1, mints.length);
      const own = mints.slice(first, first + TOKENS_PER_STREAM);
      return { mints: own, key: keys[number % keys.length] ?? "" };
    }),
  };
  const worker = new Worker(new URL("./whole-chain/stream-clients.ts", import.meta.url), {
    workerData: plan,
  });
  const close = async () => void (await worker.terminate());
  deployment.after(close);
  const [opened] = (await once(worker, "message")) as [StreamClientsWord];
  say(JSON.stringify(opened));
  let all = { open: opened.open, events: 0, bytes: 0 };
  let taken = all;
  worker.on("message", (word: StreamClientsWord) => {
    if (word.kind !== "counts") return;
    const { open, events, bytes } = word;
    all = { open, events: all.events + events, bytes: all.bytes + bytes };
  });
  return {
    close,
    /** Since the streams were opened. */
    all: () => all,
    /** Since the last call. */
    take: () => {
      const { open, events, bytes } = all;
      const since = { open, events: events - taken.events, bytes: bytes - taken.bytes };
      taken = all;
      return since;
    },
  };
}

function chainFiguresOf(intervals: readonly ChainInterval[]) {
  const sum = (pick: (interval: ChainInterval) => number): number =>
    intervals.reduce((total, interval) => total + pick(interval), 0);
  const last = intervals.at(-1);
  return {
    ...{ swaps: sum(({ swaps }) => swaps), accounts: sum(({ accounts }) => accounts) },
    transactions: sum(({ transactions }) => transactions),
    sent: sum(({ stream }) => stream.messages),
    sentMb: megabytes(sum(({ stream }) => stream.bytes)),
    mostUnsent: Math.max(0, ...intervals.map(({ stream }) => stream.mostUnsent)),
    lagged: sum(({ stream }) => stream.lagged),
    requests: sum(({ stream }) => stream.requests),
    requestMb: megabytes(sum(({ stream }) => stream.requestBytes)),
    isBurst: intervals.some(({ isBurst }) => isBurst),
    ...{ ahead: last?.ahead ?? null, streams: last?.streams ?? null, busy: last?.busy ?? null },
    lateSlots: sum(({ lateSlots }) => lateSlots),
    skippedSlots: sum(({ skippedSlots }) => skippedSlots),
    residentMb: megabytes(last?.residentBytes ?? 0),
    rpcCalls: intervals.map(({ rpcCalls }) => rpcCalls),
  };
}

function answerFigures({ answers, errors, neverAsked, unanswered, p50Ms, p99Ms }: LoadResult) {
  return { answers, errors, neverAsked, unanswered, p50Ms, p99Ms };
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1e6);
}
