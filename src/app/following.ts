import { createJudging, type Judging } from "#src/alerts/alerting.ts";
import type { AlertNotices } from "#src/alerts/finding-writer.ts";
import type { LedSources } from "#src/metrics/metrics.ts";
import { systemClock } from "#src/platform/clock.ts";
import { failureReporter } from "#src/platform/failure-reporter.ts";
import type { Database } from "#src/store/connection/database.ts";
import { leadAlone } from "#src/store/lead-alone.ts";
import { deploymentName } from "#src/store/leadership.ts";
import { openTracking, type Tracking } from "./open-tracking.ts";
import { baseSources, type ProcessBase, type Served } from "./process-base.ts";

/** What the only process of a service runs besides its API and the sending of alerts. */
export type FollowingParts = {
  readonly tracking: Tracking;
  readonly recorder: Judging["recorder"];
  /** The database over which both write. */
  readonly writer: Database;
  readonly examples: Served["examples"];
  readonly sources: Omit<Served["sources"], "api">;
};

/** Follows the chain and judges watched tokens. */
export async function openFollowing(
  base: ProcessBase,
  notices: AlertNotices,
): Promise<FollowingParts> {
  const { config, logger: log, closers } = base;
  const writer = await openWriter(base);
  const tracking = await openTracking(config, { database: writer, logger: log });
  closers.push(tracking.close);
  const { chain, tracker, accuracy } = tracking;
  const judging = createJudging({
    ...{ store: writer, markets: tracker, notices },
    ...{ clock: systemClock, log },
  });
  closers.push(judging.close);
  await tracking.start();
  await judging.start();
  const { recorder } = judging;
  const led: LedSources = { tracker, accuracy, recorder, database: writer, node: chain.node };
  return {
    ...{ tracking, recorder, writer },
    examples: () => chain.examples,
    sources: { ...baseSources(base), health: () => tracker.health(), led: () => led },
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
