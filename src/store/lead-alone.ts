import { aborted } from "#src/platform/aborted.ts";
import { FailureLog, type FailureLogger } from "#src/platform/failure-log.ts";
import { type Database, openDatabase } from "./connection/database.ts";
import {
  enterTerm,
  type Leadership,
  type LeadershipSettings,
  waitForLeadership,
} from "./leadership.ts";

/** Longer than a dead leader keeps the lock, and than a stopping leader takes to release it. */
const WAITS_MS = 12_000;

/** Another process is the tracker of the same database. */
export class AlreadyTrackedError extends Error {
  constructor() {
    super(
      "another process is the tracker of the database in DATABASE_URL. Stop it, or use another " +
        "database. Several processes can share one if all of them have the same REDIS_URL.",
    );
    this.name = "AlreadyTrackedError";
  }
}

export type LoneTracker = {
  /** For what only the tracker writes; Postgres refuses it while another process leads. */
  readonly database: Database;
  readonly close: () => Promise<void>;
};

/**
 * Leads while the process lives: for a single process without REDIS_URL, which cannot be a standby.
 * After a loss of Postgres it leads again, unless another process does.
 *
 * @throws AlreadyTrackedError if another process still leads after `waitsMs`
 */
export async function leadAlone(
  settings: Omit<LeadershipSettings, "signal"> & { readonly log: FailureLogger },
  waitsMs = WAITS_MS,
): Promise<LoneTracker> {
  const stopping = new AbortController();
  const waited = AbortSignal.timeout(waitsMs);
  const first = await waitForLeadership({ ...settings, signal: waited });
  if (first === null) throw new AlreadyTrackedError();
  let leading: Leadership = first;
  const { databaseUrl, dataDir, log } = settings;
  const losses = new FailureLog({
    log,
    what: "keep the tracker role",
    next: "the tracker's writes fail until it is regained",
  });
  const database = openDatabase({
    databaseUrl,
    dataDir,
    log,
    onConnect: (client) => enterTerm(client, leading.term),
  });
  const stopped = aborted(stopping.signal);
  const leadingLoop = (async () => {
    for (;;) {
      await Promise.race([leading.lost, stopped]);
      await leading.database.close();
      if (stopping.signal.aborted) return;
      losses.failed(new Error("the leader's connection to the database ended"));
      const next = await waitForLeadership({ ...settings, signal: stopping.signal });
      if (next === null) return;
      leading = next;
      losses.succeeded();
    }
  })();
  return {
    database,
    async close() {
      await database.close();
      stopping.abort();
      await leadingLoop;
      await leading.resign();
    },
  };
}
