import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import manifest from "../package.json" with { type: "json" };
import type { AccuracyReport } from "./accuracy/accuracy.ts";
import { JudgedSwapReader } from "./accuracy/judged-swap-reader.ts";
import type { Config, Role } from "./config.ts";
import { Admission } from "./http/admission.ts";
import { buildApp } from "./http/app.ts";
import { buildHealthApp } from "./http/health-app.ts";
import { RequestCounts } from "./http/request-counts.ts";
import { type Readiness, readinessOf } from "./http/routes/health.ts";
import { createMetrics, type MetricsSources } from "./metrics/metrics.ts";
import { listenForScrapes, type MetricsServer } from "./metrics/metrics-server.ts";
import { cryptoRandom, openTracking } from "./open-tracking.ts";
import { systemNowMs } from "./platform/clock.ts";
import { RedisLink } from "./relay/redis-link.ts";
import { type RelayChannels, relayChannels } from "./relay/relay-messages.ts";
import { RemoteMarkets, tellTracker } from "./relay/remote-markets.ts";
import { SharedWindows } from "./relay/shared-windows.ts";
import { type Database, openDatabase } from "./store/database.ts";
import { leadAlone } from "./store/lead-alone.ts";
import { deploymentName } from "./store/leadership.ts";
import { migrate } from "./store/migrate.ts";
import { refuseHalfMoved } from "./store/move/move-progress.ts";
import type { Markets } from "./track/markets.ts";
import { lastAnswer } from "./track/token-archive.ts";
import { stateAt } from "./track/token-states.ts";
import type { TrackerHealth } from "./track/tracker-health.ts";
import { TrackerDuty, type TrackerFacts } from "./tracker-duty.ts";
import { loadAuthSecret } from "./users/auth-secret.ts";
import type { Windows } from "./users/fixed-windows.ts";
import { createMailer, createUsers, type Users } from "./users/users.ts";
import { VENUES } from "./venues/all.ts";
import {
  createAlerting,
  createDelivery,
  createSending,
  createWatching,
  type Delivery,
  type Sending,
  type SendingDeps,
} from "./watchlist/alerting.ts";

const ORIGIN_OF_CHAIN = { rpc: "live", recorded: "recorded", demo: "demo" } as const;

/** What the dashboard's own router answers (web/src/app). */
const DASHBOARD_PAGES = [
  "/",
  "/token/:id",
  "/sign-in",
  "/api-keys",
  "/watchlist",
  "/alerts",
  "/account",
  "/method",
  "/status",
];

export type Service = {
  readonly url: string;
  /** Where Prometheus reads; null: nowhere. */
  readonly metricsUrl: string | null;
  /** The demo market's named tokens, as far as they are known by now; empty on any other chain. */
  readonly examples: TrackerFacts["examples"];
  /** Finishes what is in flight, refuses what is new, and gives everything back, last opened first. */
  readonly close: () => Promise<void>;
};

/** What was opened, to be closed in reverse order. */
class Closers {
  readonly #closers: (() => void | Promise<void>)[] = [];

  push(close: () => void | Promise<void>): void {
    this.#closers.push(close);
  }

  async close(): Promise<void> {
    for (const close of this.#closers.splice(0).reverse()) await close();
  }
}

type Opening = {
  readonly config: Config;
  readonly logger: Logger;
  readonly database: Database;
  readonly closers: Closers;
  /** What this process answered, in its own counts. */
  readonly requests: RequestCounts;
  readonly admission: Admission;
};

/** What a process listens with. */
type Listening = {
  readonly app: FastifyInstance;
  readonly examples: () => TrackerFacts["examples"];
  readonly sources: MetricsSources;
};

/** Builds every part, in order of who needs whom, and listens. */
export async function startService(config: Config, logger: Logger): Promise<Service> {
  const closers = new Closers();
  try {
    const database = openDatabase({ databaseUrl: config.databaseUrl, dataDir: config.dataDir });
    closers.push(database.close);
    await refuseHalfMoved(database);
    await migrate(database, systemNowMs());
    const requests = new RequestCounts();
    const admission = new Admission();
    admission.heed(database.queue);
    closers.push(admission.watch());
    const opening = { config, logger, database, closers, requests, admission };
    const { databaseUrl, redisUrl } = config;
    const { app, examples, sources } =
      databaseUrl === null || redisUrl === null
        ? await openAlone(opening)
        : await openShared(opening, { databaseUrl, redisUrl });
    const metrics = await openMetrics(config, sources, logger);
    if (metrics !== null) closers.push(metrics.close);
    closers.push(() => app.close());
    const url = await app.listen({ host: config.host, port: config.port });
    const metricsUrl = metrics?.url ?? null;
    return { url, metricsUrl, examples: examples(), close: () => closers.close() };
  } catch (error) {
    await closers.close();
    throw error;
  }
}

/** One process does everything, and what passes between the parts stays in it. */
async function openAlone(opening: Opening): Promise<Listening> {
  const { config, logger, database, closers } = opening;
  const users = await openUsers(opening);
  const writer = await openWriter(opening);
  const tracking = { database: writer, logger };
  const { chain, tracker, accuracy, close } = await openTracking(config, tracking);
  closers.push(close);
  const alerting = createAlerting({
    ...sendingDeps(opening),
    store: database,
    judgingStore: writer,
    markets: tracker,
    random: cryptoRandom,
  });
  closers.push(alerting.close);
  await alerting.start();
  const examples = () => chain.examples;
  const app = await buildApp({
    ...httpDeps(opening, { markets: tracker, examples }),
    users,
    accuracy: {
      report: () => accuracy.report(),
      swaps: new JudgedSwapReader(database, systemNowMs),
    },
    watchlist: alerting.watchlist,
    feed: alerting.feed,
    channels: alerting.channels,
  });
  const led = { tracker, accuracy, rules: alerting.rules, database };
  const sources = {
    ...ownSources(opening),
    health: () => tracker.health(),
    led: () => led,
    delivery: alerting.outbox,
    signIn: users.outbox,
  };
  return { app, examples, sources };
}

/**
 * The database for what the one process that tracks writes. The embedded one's directory is locked
 * against a second process; on Postgres the lead says who writes.
 */
async function openWriter({ config, logger, database, closers }: Opening): Promise<Database> {
  const { databaseUrl, dataDir } = config;
  if (databaseUrl === null) return database;
  await deploymentName(database.db);
  const lone = await leadAlone({
    databaseUrl,
    dataDir,
    nowMs: () => performance.now(),
    onFailure: (what, err) => logger.warn({ err }, `failed to ${what}`),
  });
  closers.push(lone.close);
  return lone.database;
}

/** One of several processes, which share Postgres and Redis: it does what its role says. */
async function openShared(
  opening: Opening,
  urls: { readonly databaseUrl: string; readonly redisUrl: string },
): Promise<Listening> {
  const { config, logger, database, closers } = opening;
  const link = new RedisLink({ url: urls.redisUrl, random: cryptoRandom, log: logger });
  closers.push(() => link.close());
  const channels = relayChannels(await deploymentName(database.db));
  const has = (role: Role) => config.role === "all" || config.role === role;
  const duty = has("tracker")
    ? new TrackerDuty({ config: { ...config, ...urls }, link, channels, logger })
    : null;
  if (duty !== null) closers.push(() => duty.close());
  const sending = createSending(sendingDeps(opening));
  closers.push(() => sending.close());
  const delivery = has("alerts") ? await openDelivery(opening, sending) : null;
  const shared = { led: () => duty?.led ?? null, delivery: delivery?.outbox ?? null };
  if (has("api")) {
    const { sources, ...replica } = await openReplica(opening, { link, channels }, sending);
    return { ...replica, sources: { ...sources, ...shared } };
  }
  const health = () => duty?.led?.tracker.health() ?? null;
  const readiness = () => readinessNow(database, health());
  const sources = { ...ownSources(opening), ...shared, health };
  return { app: await buildHealthApp({ readiness, logger }), examples: () => [], sources };
}

/** Answers from what the tracker tells, whichever process that is. */
async function openReplica(
  opening: Opening,
  relay: { readonly link: RedisLink; readonly channels: RelayChannels },
  sending: Sending,
): Promise<Listening> {
  const { config, database, closers } = opening;
  const { link, channels } = relay;
  const windows = new SharedWindows({ link, channels, nowMs: systemNowMs });
  closers.push(() => windows.close());
  const users = await openUsers(opening, windows);
  let facts: TrackerFacts = { examples: [] };
  const markets = new RemoteMarkets<TrackerFacts>({
    link,
    channels,
    standsStill: config.chain.kind === "recorded",
    storedAnswer: (mint) => lastAnswer(database.db, mint),
    storedState: (mint, slot) => stateAt(database.db, mint, slot),
    nowMs: systemNowMs,
    onFacts: (told) => {
      facts = told;
    },
  });
  closers.push(() => markets.close());
  markets.start();
  const watching = createWatching({
    store: database,
    sending,
    markets,
    onChange: (userId) => tellTracker(relay, { kind: "watchlist", userId }),
    nowMs: systemNowMs,
    log: opening.logger,
  });
  closers.push(() => watching.close());
  const examples = () => facts.examples;
  const app = await buildApp({
    ...httpDeps(opening, { markets, examples }),
    users,
    accuracy: {
      report: async () => (await markets.accuracyReport()) as AccuracyReport,
      swaps: new JudgedSwapReader(database, systemNowMs),
    },
    watchlist: watching.watchlist,
    feed: watching.feed,
    channels: watching.channels,
  });
  const health = () => markets.health();
  return { app, examples, sources: { ...ownSources(opening), health, signIn: users.outbox } };
}

async function openDelivery(opening: Opening, sending: Sending): Promise<Delivery> {
  const { database: store, logger: log, closers } = opening;
  const delivery = createDelivery({
    store,
    sending,
    nowMs: systemNowMs,
    random: cryptoRandom,
    log,
  });
  closers.push(delivery.close);
  await delivery.start();
  return delivery;
}

/** Sign-in, keys, sessions and limits, on the configured database and mail. */
async function openUsers(
  { config, database: store, logger: log, closers, admission }: Opening,
  windows?: Windows,
): Promise<Users> {
  const nowMs = systemNowMs;
  const users = await createUsers({
    ...config,
    store,
    mailer: createMailer({ ...config, nowMs, log }),
    authSecret: loadAuthSecret(config),
    ...(windows && { windows }),
    nowMs,
    log,
  });
  closers.push(users.close);
  admission.heed(users.quotas.queue);
  users.start();
  return users;
}

/** How alerts go out, as configured. */
function sendingDeps({ config, logger: log }: Opening): SendingDeps {
  const nowMs = systemNowMs;
  const mailer = createMailer({ ...config, nowMs, log });
  return { ...config, mailer, authSecret: loadAuthSecret(config), nowMs, log };
}

function httpDeps(
  { config, database, logger, requests, admission }: Opening,
  { markets, examples }: { readonly markets: Markets; readonly examples: Listening["examples"] },
) {
  return {
    markets,
    publicUrl: config.publicUrl,
    readiness: () => readinessNow(database, markets.health()),
    nowMs: systemNowMs,
    logger,
    trustProxyHops: config.trustProxyHops,
    requests,
    admission,
    service: {
      origin: ORIGIN_OF_CHAIN[config.chain.kind],
      examples,
      venues: VENUES.map(({ id, family, kind }) => ({ id, family, kind })),
      version: manifest.version,
    },
    dashboard: {
      directory: join(import.meta.dirname, "..", "web", "dist"),
      pages: DASHBOARD_PAGES,
      isBehindTls: config.publicUrl.startsWith("https:"),
    },
  };
}

/** What every process can tell of itself; the rest stands as it is in one that has no such part. */
function ownSources({ config, database, requests, admission }: Opening): MetricsSources {
  const { role } = config;
  const none = { health: () => null, led: () => null, delivery: null, signIn: null };
  return { ...none, role, version: manifest.version, requests, admission, database };
}

/** Null where the operator wants none: then nothing is collected either. */
async function openMetrics(
  { metricsPort: port, host }: Config,
  sources: MetricsSources,
  log: Logger,
): Promise<MetricsServer | null> {
  if (port === null) return null;
  const metrics = await createMetrics(sources, { nowMs: systemNowMs, log });
  return listenForScrapes(metrics, { host, port }, log);
}

async function readinessNow({ db }: Database, health: TrackerHealth | null): Promise<Readiness> {
  const asked = db.selectFrom("users").select("id").limit(1).execute();
  const isDatabaseOk = await asked.then(
    () => true,
    () => false,
  );
  return readinessOf(isDatabaseOk, health);
}
