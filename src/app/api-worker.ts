import { parentPort, workerData } from "node:worker_threads";
import { deliveryFailures, deliveryMetrics } from "#src/metrics/message-metrics.ts";
import { systemClock } from "#src/platform/clock.ts";
import { createLogger } from "#src/platform/logger.ts";
import { ThreadLink } from "#src/relay/thread-link.ts";
import {
  ALERT_TOPICS,
  type ApiThreadPlan,
  type FromApiThread,
  THREAD_TOPICS,
  type ToApiThread,
} from "./api-thread.ts";
import { Closers } from "./closers.ts";
import { apiCounts, openBeside, openMessaging, type ServingBase } from "./process-base.ts";
import { openRelayedApi } from "./relayed-api.ts";
import type { TrackerFacts } from "./tracker-role.ts";

const HUNG_AFTER_MS = 30_000;

/**
 * The thread of ApiThread: it listens, reads its markets from the tracker in the main thread, and sends what
 * that has recorded.
 */
const { config, place, port } = workerData as ApiThreadPlan;
const closers = new Closers();
const send = (message: FromApiThread): void => parentPort?.postMessage(message);
try {
  send({ kind: "listening", url: await listen() });
} catch (cause) {
  await closers.close();
  throw cause;
}

async function listen(): Promise<string> {
  const opened = openBeside(config, createLogger(config.logLevel), closers);
  let tracker: TrackerFacts = { examples: [] };
  const storageFault = () => opened.database.storageFault() ?? tracker.storageFault ?? null;
  const base: ServingBase = { ...opened, database: { ...opened.database, storageFault } };
  const messaging = await openMessaging(base);
  const link = new ThreadLink(port);
  closers.push(() => link.close());
  const relay = { link, topics: THREAD_TOPICS };
  const { app, users } = await openRelayedApi(base, relay, {
    alerts: messaging,
    hungAfterMs: HUNG_AFTER_MS,
    onFacts: (facts) => {
      tracker = facts;
    },
  });
  link.subscribe(ALERT_TOPICS.recording, () => messaging.notices.onRecording());
  link.subscribe(ALERT_TOPICS.recorded, () => messaging.notices.onRecorded());
  link.start();
  closers.push(async () => void (await app.close()));

  const failures = deliveryFailures(base.logger);
  async function sendCounts(id: number): Promise<void> {
    const { metrics } = apiCounts(base, users.outbox);
    const delivery = await deliveryMetrics(messaging.outbox, { clock: systemClock, failures });
    const databaseFailures = { ...opened.database.failures };
    send({ kind: "counts", id, counts: { metrics: [...metrics, ...delivery], databaseFailures } });
  }
  parentPort?.on("message", (message: ToApiThread) => {
    if (message.kind === "close") void close();
    else void sendCounts(message.id);
  });
  return app.listen(place);
}

async function close(): Promise<void> {
  await closers.close();
  process.exit(0);
}
