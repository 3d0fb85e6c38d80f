import { type Database, openDatabase } from "./database.ts";
import {
  enterTerm,
  type Leadership,
  type LeadershipSettings,
  standForLeadership,
} from "./leadership.ts";

/** Longer than a dead leader holds on, and than one that was told to stop takes to resign. */
const WAITS_MS = 12_000;

/** Another process tracks on the same database. */
export class AlreadyTrackedError extends Error {
  constructor() {
    super(
      "another process tracks on the database that DATABASE_URL names. Stop it, or name another " +
        "database; several processes share one with REDIS_URL, the same for each.",
    );
    this.name = "AlreadyTrackedError";
  }
}

export type LoneTracker = {
  /** For what only the process that tracks writes; while another one leads the database refuses it. */
  readonly database: Database;
  readonly close: () => Promise<void>;
};

/**
 * Leads for as long as the process lives: for one that does not share its work, and so can't stand
 * by. Where Postgres was away it leads again afterwards, unless another process does.
 *
 * @throws AlreadyTrackedError where another process leads, and goes on
 */
export async function leadAlone(
  settings: Omit<LeadershipSettings, "signal">,
  waitsMs = WAITS_MS,
): Promise<LoneTracker> {
  const stopping = new AbortController();
  const waited = AbortSignal.timeout(waitsMs);
  const first = await standForLeadership({ ...settings, signal: waited });
  if (first === null) throw new AlreadyTrackedError();
  let leading: Leadership = first;
  const { databaseUrl, dataDir, onFailure } = settings;
  const database = openDatabase({
    databaseUrl,
    dataDir,
    onConnect: (client) => enterTerm(client, leading.term),
  });
  const stopped = aborted(stopping.signal);
  const staying = (async () => {
    for (;;) {
      await Promise.race([leading.lost, stopped]);
      await leading.database.close();
      if (stopping.signal.aborted) return;
      onFailure("go on as the tracker: it stands by until it leads again", null);
      const next = await standForLeadership({ ...settings, signal: stopping.signal });
      if (next === null) return;
      leading = next;
    }
  })();
  return {
    database,
    async close() {
      await database.close();
      stopping.abort();
      await staying;
      await leading.resign();
    },
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
