import { parentPort, workerData } from "node:worker_threads";
import { deliveryMetrics } from "#src/metrics/message-metrics.ts";
import { systemClock } from "#src/platform/clock.ts";
import { createLogger } from "#src/platform/logger.ts";
import { ThreadLink } from "#src/relay/thread-link.ts";
import {
  ALERTS_RECORDED,
  type ApiThreadPlan,
  type FromApiThread,
  THREAD_TOPICS,
  type ToApiThread,
} from "./api-thread.ts";
import { Closers } from "./closers.ts";
import { apiCounts, openBeside, openMessaging, type ProcessBase } from "./process-base.ts";
import { openRelayedApi } from "./relayed-api.ts";
import type { TrackerFacts } from "./tracker-role.ts";

/**
 * The thread of ApiThread: it listens, reads its markets from the tracker in the main thread, and sends what
 * that has recorded.
 */
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
const messaging = await openMessaging(base);
const link = new ThreadLink(port);
closers.push(() => link.close());
const api = await openRelayedApi(
  base,
  { link, topics: THREAD_TOPICS },
  {
    alerts: messaging,
    onFacts: (facts) => {
      tracker = facts;
    },
  },
);
link.subscribe(ALERTS_RECORDED, () => messaging.onRecorded());
closers.push(() => api.app.close());

const send = (message: FromApiThread): void => parentPort?.postMessage(message);
parentPort?.on("message", ({ kind }: ToApiThread) => {
  if (kind === "close") void close();
  else void sendCounts();
});
send({ kind: "listening", url: await api.app.listen(place) });

async function sendCounts(): Promise<void> {
  const log = base.logger;
  const { metrics } = apiCounts(base, api.users.outbox);
  const delivery = await deliveryMetrics(messaging.outbox, { clock: systemClock, log });
  const databaseFailures = { ...opened.database.failures };
  send({ kind: "counts", counts: { metrics: [...metrics, ...delivery], databaseFailures } });
}

async function close(): Promise<void> {
  await closers.close();
  process.exit(0);
}
