import { type Alerting, createAlerting } from "#src/alerts/alerting.ts";
import type { LedSources } from "#src/metrics/metrics.ts";
import { failureReporter } from "#src/platform/failure-reporter.ts";
import type { Database } from "#src/store/database.ts";
import { leadAlone } from "#src/store/lead-alone.ts";
import { deploymentName } from "#src/store/leadership.ts";
import { cryptoRandom, openTracking, type Tracking } from "./open-tracking.ts";
import { baseSources, type ProcessBase, type Served, sendingDeps } from "./process-base.ts";

/** What the only process of a service runs besides its API. */
export type FollowingParts = {
  readonly tracking: Tracking;
  readonly alerting: Alerting;
  readonly examples: Served["examples"];
  readonly sources: Served["sources"];
};

/** Follows the chain, judges watched tokens and sends alerts. */
export async function openFollowing(base: ProcessBase): Promise<FollowingParts> {
  const { config, logger, database, closers } = base;
  const writer = await openWriter(base);
  const tracking = await openTracking(config, { database: writer, logger });
  closers.push(tracking.close);
  const { chain, tracker, accuracy } = tracking;
  const alerting = createAlerting({
    ...sendingDeps(base),
    store: database,
    judgingStore: writer,
    markets: tracker,
    random: cryptoRandom,
  });
  closers.push(alerting.close);
  await tracking.start();
  await alerting.start();
  const { recorder, outbox } = alerting;
  const led: LedSources = { tracker, accuracy, recorder, database, node: chain.node };
  return {
    ...{ tracking, alerting },
    examples: () => chain.examples,
    sources: {
      ...baseSources(base),
      health: () => tracker.health(),
      led: () => led,
      delivery: outbox,
    },
  };
}

/**
 * The database for the tracker's writes. The directory of an embedded database is locked against
 * other processes; on Postgres the leader may write.
 */
async function openWriter({ config, logger, database, closers }: ProcessBase): Promise<Database> {
  const { databaseUrl, dataDir } = config;
  if (databaseUrl === null) return database;
  await deploymentName(database.db);
  const lone = await leadAlone({
    databaseUrl,
    dataDir,
    clock: { nowMs: () => performance.now() },
    onFailure: failureReporter(logger),
    log: logger,
  });
  closers.push(lone.close);
  return lone.database;
}
