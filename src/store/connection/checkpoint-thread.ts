import { Worker } from "node:worker_threads";
import type Sqlite from "better-sqlite3";
import { FailureLog, type FailureLogger } from "#src/platform/failure-log.ts";

export type CheckpointPlan = { readonly file: string; readonly everyMs: number };
/** The thread's message about each checkpoint; null: it succeeded. */
export type CheckpointResult = { readonly failure: string | null };

const EVERY_MS = 1_000;
/** Pages of the log at which SQLite makes a checkpoint within a commit: without the thread, and with it, if the thread is far behind. */
const PAGES = 1_000;
const PAGES_BEHIND = 50_000;

/** Leaves the checkpoints to the thread of another connection, unless that is far behind. */
export function leaveCheckpoints(connection: Sqlite.Database): void {
  connection.pragma(`wal_autocheckpoint = ${PAGES_BEHIND}`);
}

/** Starts a thread that makes the checkpoints of a connection's database, until it is stopped or fails. */
export function startCheckpoints(
  connection: Sqlite.Database,
  options: { readonly file: string; readonly everyMs?: number; readonly log: FailureLogger | null },
): { readonly stop: () => Promise<void> } {
  const { file, everyMs = EVERY_MS, log } = options;
  const plan: CheckpointPlan = { file, everyMs };
  const failures = new FailureLog({
    log,
    what: "copy the database's log into the database",
    next: "trying again every second; the log grows until it succeeds",
    context: { file },
  });
  const worker = new Worker(new URL("./checkpoint-worker.ts", import.meta.url), {
    workerData: plan,
  });
  worker.unref();
  const ended = new Promise((resolve) => worker.once("exit", resolve));
  const setPages = (pages: number): void => {
    if (connection.open) connection.pragma(`wal_autocheckpoint = ${pages}`);
  };
  setPages(PAGES_BEHIND);
  worker.on("message", ({ failure }: CheckpointResult) => {
    if (failure === null) failures.succeeded();
    else failures.failed(new Error(failure));
  });
  worker.on("error", (cause) => {
    failures.failed(cause);
    setPages(PAGES);
  });
  return {
    async stop() {
      // Asked, not terminated: a thread terminated while it loads SQLite's addon aborts the process.
      worker.ref();
      worker.postMessage("end");
      await ended;
      setPages(PAGES);
    },
  };
}
