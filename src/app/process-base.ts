import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import type { SendingDeps } from "#src/alerts/alerting.ts";
import { Admission } from "#src/api/admission.ts";
import { RequestCounts } from "#src/api/request-counts.ts";
import { type Readiness, readinessOf } from "#src/api/service/health.ts";
import type { MetricsSources } from "#src/metrics/metrics.ts";
import { systemClock } from "#src/platform/clock.ts";
import { type Database, openDatabase } from "#src/store/database.ts";
import { migrate } from "#src/store/migrate.ts";
import { refuseHalfMoved } from "#src/store/move/move-progress.ts";
import type { TrackerHealth } from "#src/track/tracker-health.ts";
import { loadAuthSecret } from "#src/users/auth-secret.ts";
import { createMailer } from "#src/users/users.ts";
import manifest from "../../package.json" with { type: "json" };
import type { Closers } from "./closers.ts";
import type { Config } from "./config.ts";
import type { TrackerFacts } from "./tracker-role.ts";

/** What every process opens, whatever its role. */
export type ProcessBase = {
  readonly config: Config;
  readonly logger: Logger;
  readonly database: Database;
  readonly closers: Closers;
  /** Counts of the requests that this process answered. */
  readonly requests: RequestCounts;
  readonly admission: Admission;
};

/** What a process of any role serves. */
export type Served = {
  readonly app: FastifyInstance;
  readonly examples: () => TrackerFacts["examples"];
  readonly sources: MetricsSources;
};

/** Opens the database, and migrates it. */
export async function openBase(
  config: Config,
  logger: Logger,
  closers: Closers,
): Promise<ProcessBase> {
  const { databaseUrl, dataDir } = config;
  const database = openDatabase({ databaseUrl, dataDir, log: logger });
  closers.push(database.close);
  await refuseHalfMoved(database);
  await migrate(database, systemClock.nowMs());
  const requests = new RequestCounts();
  const admission = new Admission();
  admission.watchQueue(database.queue);
  closers.push(admission.watch());
  return { config, logger, database, closers, requests, admission };
}

/** The metrics of every process; null for each part that a process may not run. */
export function baseSources(base: ProcessBase): MetricsSources {
  const { config, database, requests, admission } = base;
  const { role } = config;
  const none = { health: () => null, led: () => null, delivery: null, signIn: null };
  return { ...none, role, version: manifest.version, requests, admission, database };
}

/** The configured ways to send messages. */
export function sendingDeps({ config, logger: log }: ProcessBase): SendingDeps {
  const clock = systemClock;
  const mailer = createMailer({ ...config, clock, log });
  return { ...config, mailer, authSecret: loadAuthSecret(config), clock, log };
}

/** Whether the database answers and the chain is current. */
export async function readinessNow(
  { db }: Database,
  health: TrackerHealth | null,
): Promise<Readiness> {
  const query = db.selectFrom("users").select("id").limit(1).execute();
  const isDatabaseOk = await query.then(
    () => true,
    () => false,
  );
  return readinessOf(isDatabaseOk, health);
}
