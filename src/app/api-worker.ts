import { parentPort, workerData } from "node:worker_threads";
import { createSending } from "#src/alerts/alerting.ts";
import { createLogger } from "#src/platform/logger.ts";
import { ThreadLink } from "#src/relay/thread-link.ts";
import {
  type ApiThreadPlan,
  type FromApiThread,
  THREAD_TOPICS,
  type ToApiThread,
} from "./api-thread.ts";
import { Closers } from "./closers.ts";
import { apiCounts, openBeside, type ProcessBase, sendingDeps } from "./process-base.ts";
import { openRelayedApi } from "./relayed-api.ts";
import type { TrackerFacts } from "./tracker-role.ts";

/** The thread of ApiThread: it listens, and reads its markets from the tracker in the main thread. */
const { config, place, port } = workerData as ApiThreadPlan;
const closers = new Closers();
const opened = openBeside(config, createLogger(config.logLevel), closers);
let tracker: TrackerFacts = { examples: [] };
const base: ProcessBase = {
  ...opened,
  database: {
    ...opened.database,
    storageFault: () => opened.database.storageFault() ?? tracker.storageFault ?? null,
  },
};
const sending = createSending(sendingDeps(base));
closers.push(() => sending.close());
const link = new ThreadLink(port);
closers.push(() => link.close());
const api = await openRelayedApi(
  base,
  { link, topics: THREAD_TOPICS },
  {
    sending,
    onFacts: (facts) => {
      tracker = facts;
    },
  },
);
closers.push(() => api.app.close());

const send = (message: FromApiThread): void => parentPort?.postMessage(message);
parentPort?.on("message", ({ kind }: ToApiThread) => {
  if (kind === "close") void close();
  else
    send({
      kind: "counts",
      counts: {
        ...apiCounts(base, api.users.outbox),
        databaseFailures: { ...opened.database.failures },
      },
    });
});
send({ kind: "listening", url: await api.app.listen(place) });

async function close(): Promise<void> {
  await closers.close();
  process.exit(0);
}
