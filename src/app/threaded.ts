import { MessageChannel } from "node:worker_threads";
import { systemClock } from "#src/platform/clock.ts";
import { MarketPublisher } from "#src/relay/market-publisher.ts";
import { ThreadLink } from "#src/relay/thread-link.ts";
import { probeWrite } from "#src/store/usage.ts";
import { ALERT_TOPICS, ApiThread, THREAD_TOPICS } from "./api-thread.ts";
import { openFollowing } from "./following.ts";
import type { ProcessBase, Served } from "./process-base.ts";
import { reloadWatchlist, type TrackerFacts } from "./tracker-role.ts";

/**
 * The only process of a service, with a thread of its own for the API and the sending of alerts: they go on
 * while the tracker's heap is marked or many tokens are measured.
 */
export async function openThreaded(base: ProcessBase): Promise<Served> {
  const { config, logger: log, closers } = base;
  const { port1, port2 } = new MessageChannel();
  const link = new ThreadLink(port1);
  closers.push(() => link.close());
  const notices = {
    onRecording: () => void link.publish(ALERT_TOPICS.recording, ""),
    onRecorded: () => void link.publish(ALERT_TOPICS.recorded, ""),
  };
  const { tracking, recorder, writer, examples, sources } = await openFollowing(base, notices);
  const facts = (): TrackerFacts => {
    const storageFault = writer.storageFault();
    // Only a successful write ends the fault, and this connection may have no other write for a long time.
    if (storageFault !== null) void probeWrite(writer.db).catch(() => undefined);
    return { examples: examples(), storageFault };
  };
  const publisher = new MarketPublisher({
    ...{ link, topics: THREAD_TOPICS, markets: tracking.tracker, term: 1n, facts },
    accuracyReport: tracking.accuracyReport,
    proofOf: tracking.proofOf,
    onWatchlistChange: reloadWatchlist(recorder),
    clock: systemClock,
    log,
  });
  closers.push(() => publisher.close());
  publisher.start();
  link.start();
  const app = new ApiThread({ config, port: port2 });
  return { app, examples, sources: { ...sources, api: () => app.counts() } };
}
