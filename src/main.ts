import { randomInt } from "node:crypto";
import { join } from "node:path";
import type { Logger } from "pino";
import type { ChainSource } from "./chain/chain-source.ts";
import { createRpcSource } from "./chain/rpc-source.ts";
import type { ChainConfig, Config } from "./config.ts";
import { buildApp } from "./http/app.ts";
import type { Readiness } from "./http/routes/health.ts";
import { createLocalNode } from "./local-node/node.ts";
import { readRecordedAccounts } from "./local-node/recorded-accounts.ts";
import { type NowMs, systemNowMs } from "./platform/clock.ts";
import { type Database, openDatabase } from "./store/database.ts";
import { migrate } from "./store/migrate.ts";
import { createTracker, type Tracker } from "./track/tracker.ts";
import { loadAuthSecret } from "./users/auth-secret.ts";
import { createMailer, createUsers, type Users } from "./users/users.ts";
import { VENUES } from "./venues/all.ts";

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
  /** Finishes what is in flight, refuses what is new, and gives everything back, last opened first. */
  readonly close: () => Promise<void>;
};

export type OpenChain = {
  readonly source: ChainSource;
  readonly close: () => Promise<void>;
};

type Sources = { readonly nowMs: NowMs; readonly random: () => number };

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
    const chain = await openChain(config.chain, { nowMs: systemNowMs, random: cryptoRandom });
    closers.push(chain.close);
    const tracker = createTracker({
      source: chain.source,
      venues: VENUES,
      nowMs: systemNowMs,
      database,
      onFailure: (what, cause) => logger.warn({ err: cause }, `tracking failed to ${what}`),
    });
    closers.push(() => tracker.close());
    tracker.start();
    const app = await buildApp({
      markets: tracker,
      users,
      publicUrl: config.publicUrl,
      readiness: () => readinessOf(database, tracker),
      nowMs: systemNowMs,
      logger,
      trustProxyHops: config.trustProxyHops,
      isDemo: chain.source.origin === "demo",
      dashboard: {
        directory: join(import.meta.dirname, "..", "web", "dist"),
        pages: DASHBOARD_PAGES,
        isBehindTls: config.publicUrl.startsWith("https:"),
      },
    });
    closers.push(() => app.close());
    const url = await app.listen({ host: config.host, port: config.port });
    return { url, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The node that the configuration names: a remote one, or one in this process. */
export async function openChain(
  config: ChainConfig,
  { nowMs, random }: Sources,
): Promise<OpenChain> {
  if (config.kind === "rpc") {
    const source = createRpcSource({ ...config, origin: "live", nowMs, random });
    return { source, close: () => source.close() };
  }
  if (config.kind === "demo") throw new Error("the demo market is not here yet");
  const ledger = await readRecordedAccounts(config.directory, nowMs());
  const node = createLocalNode({ ledger });
  const source = createRpcSource({ ...(await node.listen()), origin: "recorded", nowMs, random });
  return {
    source,
    close: async () => {
      await source.close();
      await node.close();
    },
  };
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
