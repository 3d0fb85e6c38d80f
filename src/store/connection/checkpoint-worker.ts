import { parentPort, workerData } from "node:worker_threads";
import Sqlite from "better-sqlite3";
import type { CheckpointPlan, CheckpointResult } from "./checkpoint-thread.ts";

/** The thread that copies the log into the database: its reads, writes and syncs do not block the main thread. */
const { file, everyMs } = workerData as CheckpointPlan;
const connection = new Sqlite(file, { timeout: 0 });
const send = (result: CheckpointResult): void => parentPort?.postMessage(result);
const timer = setInterval(() => {
  try {
    connection.pragma("wal_checkpoint(PASSIVE)");
    send({ failure: null });
  } catch (cause) {
    send({ failure: (cause as Error).message });
  }
}, everyMs);
// The only message is the request to end.
parentPort?.once("message", () => {
  clearInterval(timer);
  connection.close();
});
