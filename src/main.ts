import { randomInt } from "node:crypto";
import { join } from "node:path";
import type { Logger } from "pino";
import manifest from "../package.json" with { type: "json" };
import { createAccuracy } from "./accuracy/accuracy.ts";
import type { Config } from "./config.ts";
import { buildApp } from "./http/app.ts";
import type { Readiness } from "./http/routes/health.ts";
import { type OpenChain, openChain } from "./open-chain.ts";
import { systemNowMs } from "./platform/clock.ts";
import { type Database, openDatabase } from "./store/database.ts";
import { migrate } from "./store/migrate.ts";
import { createTracker, type Tracker } from "./track/tracker.ts";
import { loadAuthSecret } from "./users/auth-secret.ts";
import { createMailer, createUsers, type Users } from "./users/users.ts";
import { VENUES } from "./venues/all.ts";
import { type Alerting, createAlerting } from "./watchlist/alerting.ts";

/** The chain counts as reached while its newest block is younger than this. */
const READY_CHAIN_AGE_SECONDS = 120;

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
  /** The demo market's named tokens; empty on any other chain. */
  readonly examples: OpenChain["examples"];
  /** Finishes what is in flight, refuses what is new, and gives everything back, last opened first. */
  readonly close: () => Promise<void>;
};

/** Builds every part, in order of who needs whom, and listens. */
export async function startService(config: Config, logger: Logger): Promise<Service> {
  const closers: (() => Promise<void>)[] = [];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    const database = openDatabase({ databaseUrl: config.databaseUrl, dataDir: config.dataDir });
    closers.push(database.close);
    await migrate(database, systemNowMs());
    const users = await openUsers(config, database, logger);
    closers.push(users.close);
    users.start();
    const chain = await openChain(config.chain, {
      nowMs: systemNowMs,
      random: cryptoRandom,
      logger,
      geyser: config.geyser,
    });
    closers.push(chain.close);
    const accuracy = createAccuracy({
      source: chain.source,
      transactions: chain.transactions,
      nowMs: systemNowMs,
      database,
      log: logger,
    });
    const tracker = createTracker({
      source: accuracy.source,
      everything: chain.everything,
      venues: VENUES,
      nowMs: systemNowMs,
      database,
      exactPctByVenue: () => accuracy.exactPctByVenue(),
      onFailure: (what, cause) => logger.warn({ err: cause }, `tracking failed to ${what}`),
    });
    closers.push(() => tracker.close());
    tracker.start();
    closers.push(() => accuracy.close());
    await accuracy.start(tracker);
    const alerting = openAlerting(config, { store: database, markets: tracker, log: logger });
    closers.push(alerting.close);
    await alerting.start();
    const app = await buildApp({
      markets: tracker,
      users,
      accuracy,
      watchlist: alerting.watchlist,
      feed: alerting.feed,
      channels: alerting.channels,
      publicUrl: config.publicUrl,
      readiness: () => readinessOf(database, tracker),
      nowMs: systemNowMs,
      logger,
      trustProxyHops: config.trustProxyHops,
      service: {
        origin: chain.source.origin,
        examples: chain.examples,
        venues: VENUES.map(({ id, family, kind }) => ({ id, family, kind })),
        version: manifest.version,
      },
      dashboard: {
        directory: join(import.meta.dirname, "..", "web", "dist"),
        pages: DASHBOARD_PAGES,
        isBehindTls: config.publicUrl.startsWith("https:"),
      },
    });
    closers.push(() => app.close());
    const url = await app.listen({ host: config.host, port: config.port });
    return { url, examples: chain.examples, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Sign-in, keys, sessions and limits, on the configured database and mail. */
function openUsers(config: Config, store: Database, log: Logger): Promise<Users> {
  const nowMs = systemNowMs;
  return createUsers({
    ...config,
    store,
    mailer: createMailer({ ...config, nowMs, log }),
    authSecret: loadAuthSecret(config),
    nowMs,
    log,
  });
}

/** Watchlists, the rules over them, and the channels through which alerts go out. */
function openAlerting(
  config: Config,
  parts: { readonly store: Database; readonly markets: Tracker; readonly log: Logger },
): Alerting {
  const nowMs = systemNowMs;
  return createAlerting({
    ...config,
    ...parts,
    mailer: createMailer({ ...config, nowMs, log: parts.log }),
    authSecret: loadAuthSecret(config),
    nowMs,
    random: cryptoRandom,
  });
}

async function readinessOf(database: Database, tracker: Tracker): Promise<Readiness> {
  const { chainAgeMs, slotLag } = tracker.health();
  const chainAgeSeconds = chainAgeMs === null ? null : chainAgeMs / 1_000;
  const isDatabaseOk = await database.db
    .selectFrom("users")
    .select("id")
    .limit(1)
    .execute()
    .then(
      () => true,
      () => false,
    );
  return {
    isReady:
      isDatabaseOk && (chainAgeSeconds === null || chainAgeSeconds < READY_CHAIN_AGE_SECONDS),
    database: isDatabaseOk ? "ok" : "failing",
    chainAgeSeconds,
    slotLag,
  };
}

function cryptoRandom(): number {
  return randomInt(2 ** 32) / 2 ** 32;
}
