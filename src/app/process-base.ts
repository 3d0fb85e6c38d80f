import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import type { Logger } from "pino";
import { createMessaging, type Messaging, type SendingDeps } from "#src/alerts/alerting.ts";
import { Admission } from "#src/api/admission.ts";
import { RequestCounts } from "#src/api/request-counts.ts";
import { type Readiness, readinessOf } from "#src/api/service/health.ts";
import { type ApiParts, apiMetrics } from "#src/metrics/api-metrics.ts";
import type { ApiCounts, MetricsSources } from "#src/metrics/metrics.ts";
import { systemClock } from "#src/platform/clock.ts";
import { LoopDelay } from "#src/platform/loop-delay.ts";
import { type Database, openDatabase } from "#src/store/connection/database.ts";
import { migrate } from "#src/store/connection/migrate.ts";
import { freeDiskBytes, storageError } from "#src/store/connection/storage-fault.ts";
import { refuseHalfMoved } from "#src/store/move/move-progress.ts";
import { probeWrite } from "#src/store/usage.ts";
import type { TrackerHealth } from "#src/track/tracker-health.ts";
import { loadAuthSecret } from "#src/users/auth-secret.ts";
import { AuthSecretWatch } from "#src/users/auth-secret-watch.ts";
import { createMailer } from "#src/users/users.ts";
import manifest from "../../package.json" with { type: "json" };
import type { Closers } from "./closers.ts";
import type { Config } from "./config.ts";
import { cryptoRandom } from "./open-tracking.ts";
import { sharedUrls } from "./roles.ts";
import type { TrackerFacts } from "./tracker-role.ts";

/** What every process opens, whatever its role. */
export type ProcessBase = {
  readonly config: Config;
  readonly logger: Logger;
  readonly database: Database;
  readonly closers: Closers;
  /** Null in a process that shares its database with no other. */
  readonly authSecretWatch: AuthSecretWatch | null;
};

/** The same where requests are answered. */
export type ServingBase = ProcessBase & RequestCounters;

type RequestCounters = {
  /** Counts of the requests that this process answered. */
  readonly requests: RequestCounts;
  readonly admission: Admission;
  /** Of the thread that answers requests. */
  readonly loopDelay: LoopDelay;
};

/** What a process of any role serves. */
export type Served = {
  readonly app: RequestServer;
  readonly examples: () => TrackerFacts["examples"];
  readonly sources: MetricsSources;
};

/** Answers requests, in this thread or in another one. */
export type RequestServer = {
  readonly listen: (place: { readonly host: string; readonly port: number }) => Promise<string>;
  /** Finishes running requests, and refuses new ones. */
  readonly close: () => Promise<unknown>;
};

/** Opens the database, and migrates it. */
export async function openBase(
  config: Config,
  logger: Logger,
  closers: Closers,
): Promise<ProcessBase> {
  const { databaseUrl, dataDir } = config;
  const database = openDatabase({
    databaseUrl,
    dataDir,
    log: logger,
    hasCheckpointThread: true,
  });
  closers.push(database.close);
  await prepare(database, databaseUrl === null ? resolve(dataDir) : "the database");
  const authSecretWatch = await watchAuthSecret(database, { config, logger, closers });
  return { config, logger, database, closers, authSecretWatch };
}

/** The same for a thread of a process that has opened it: with a connection of its own to the same database. */
export function openBeside(config: Config, logger: Logger, closers: Closers): ServingBase {
  const { databaseUrl, dataDir } = config;
  const database = openDatabase({ databaseUrl, dataDir, log: logger, access: "thread" });
  closers.push(database.close);
  return watchRequests({ config, logger, database, closers, authSecretWatch: null });
}

/** Counts requests from now on, and watches the event loop that answers them. */
export function watchRequests(base: ProcessBase): ServingBase {
  const { database, closers } = base;
  const admission = new Admission();
  admission.watchQueue(database.queue);
  closers.push(admission.watch());
  const loopDelay = new LoopDelay();
  closers.push(loopDelay.close);
  return { ...base, requests: new RequestCounts(), admission, loopDelay };
}

/** Null in a process that shares its database with no other. */
async function watchAuthSecret(
  store: Database,
  { config, logger, closers }: Pick<ProcessBase, "config" | "logger" | "closers">,
): Promise<AuthSecretWatch | null> {
  if (sharedUrls(config) === null) return null;
  const watch = new AuthSecretWatch({
    store,
    authSecret: loadAuthSecret(config),
    processId: randomUUID(),
    clock: systemClock,
    log: logger,
  });
  closers.push(() => watch.close());
  await watch.start();
  return watch;
}

/** @throws StorageError if the storage is to blame: a rollback that fails would hide the cause */
async function prepare(database: Database, place: string): Promise<void> {
  try {
    await refuseHalfMoved(database);
    await migrate(database, systemClock.nowMs());
  } catch (cause) {
    const fault = database.storageFault();
    throw fault === null ? cause : storageError(place, fault, cause);
  }
}

/** The metrics of every process; null for each part that a process may not run. */
export function baseSources({ config, database }: ProcessBase): Omit<MetricsSources, "api"> {
  const { role, dataDir } = config;
  const none = { health: () => null, led: () => null, delivery: null };
  return {
    ...none,
    role,
    version: manifest.version,
    database,
    diskFreeBytes: () => freeDiskBytes(dataDir),
  };
}

/** @param signIn counts of sign-in mails; null: this process sends none */
export function apiCounts(
  { requests, admission, loopDelay }: RequestCounters,
  signIn: ApiParts["signIn"],
): ApiCounts {
  return {
    metrics: apiMetrics({ requests, admission, loopDelay, signIn }),
    databaseFailures: null,
  };
}

/** The configured ways to send messages. */
export function sendingDeps({ config, logger: log }: ProcessBase): SendingDeps {
  const clock = systemClock;
  const mailer = createMailer({ ...config, clock, log });
  return { ...config, mailer, authSecret: loadAuthSecret(config), clock, log };
}

/** Sends what was recorded from now on, and shows it to users. */
export async function openMessaging(base: ProcessBase): Promise<Messaging> {
  const { database: store, closers } = base;
  const messaging = createMessaging({ ...sendingDeps(base), store, random: cryptoRandom });
  closers.push(messaging.close);
  await messaging.start();
  return messaging;
}

/** Less is a full disk: the next writes of the database's log would fail. */
const LEAST_FREE_BYTES = 1_048_576;

/**
 * Whether the database answers and can be written, and the chain is current.
 *
 * @param redis whether Redis is reachable; null where none is configured
 */
export async function readinessNow(
  {
    database,
    config,
    authSecretWatch,
  }: Pick<ProcessBase, "database" | "config" | "authSecretWatch">,
  health: TrackerHealth | null,
  redis: Readiness["redis"] = null,
): Promise<Readiness> {
  const query = database.db.selectFrom("users").select("id").limit(1).execute();
  const isAnswering = await query.then(
    () => true,
    () => false,
  );
  const state = isAnswering ? await storageState(database, config) : "failing";
  const authSecret = authSecretWatch === null ? null : authSecretWatch.isSame ? "same" : "differs";
  return readinessOf({ database: state, redis, authSecret }, health);
}

async function storageState(
  database: Database,
  { databaseUrl, dataDir }: Pick<Config, "databaseUrl" | "dataDir">,
): Promise<Readiness["database"]> {
  // The disk of a Postgres is the server's own.
  const free = databaseUrl === null ? freeDiskBytes(dataDir) : null;
  if (free !== null && free < LEAST_FREE_BYTES) return "disk_full";
  // A write that failed is tried again here: without requests, no other write would notice the end of it.
  if (database.storageFault() !== null) await probeWrite(database.db).catch(() => undefined);
  return database.storageFault() ?? "ok";
}
