import { createAlerting } from "#src/alerts/alerting.ts";
import { failureReporter } from "#src/platform/failure-reporter.ts";
import type { Database } from "#src/store/database.ts";
import { leadAlone } from "#src/store/lead-alone.ts";
import { deploymentName } from "#src/store/leadership.ts";
import type { UserId } from "#src/store/user-id.ts";
import { openApi, openUsers } from "./api-part.ts";
import { cryptoRandom, openTracking } from "./open-tracking.ts";
import { baseSources, type ProcessBase, type Served, sendingDeps } from "./process-base.ts";

/** The only process of a service: it runs every part, and the parts call each other directly. */
export async function openAlone(base: ProcessBase): Promise<Served> {
  const { config, logger, database, closers } = base;
  const users = await openUsers(base);
  const writer = await openWriter(base);
  const tracking = await openTracking(config, { database: writer, logger });
  closers.push(tracking.close);
  const { chain, tracker, accuracy, accuracyReport, proofOf } = tracking;
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
  const examples = () => chain.examples;
  const view = {
    markets: tracker,
    examples,
    accuracyReport,
    proofOf,
    onWatchlistChange: (userId: UserId) => void alerting.recorder.reload(userId),
  };
  const { node } = chain;
  const led = { tracker, accuracy, recorder: alerting.recorder, database, node };
  return {
    app: await openApi(base, { tracker: view, users, alerts: alerting }),
    examples,
    sources: {
      ...baseSources(base),
      health: () => tracker.health(),
      led: () => led,
      delivery: alerting.outbox,
      signIn: users.outbox,
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
