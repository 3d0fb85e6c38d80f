import { MessageChannel } from "node:worker_threads";
import { systemClock } from "#src/platform/clock.ts";
import { MarketPublisher } from "#src/relay/market-publisher.ts";
import { ThreadLink } from "#src/relay/thread-link.ts";
import { ApiThread, THREAD_TOPICS } from "./api-thread.ts";
import { openFollowing } from "./following.ts";
import type { ProcessBase, Served } from "./process-base.ts";
import { relayedProof } from "./relayed-proof.ts";
import { reloadWatchlist, type TrackerFacts } from "./tracker-role.ts";

/**
 * The only process of a service, with its API in a thread of its own: it answers while the tracker's heap is
 * marked or many tokens are measured.
 */
export async function openThreaded(base: ProcessBase): Promise<Served> {
  const { config, logger: log, database, closers } = base;
  const { tracking, alerting, examples, sources } = await openFollowing(base);
  const { port1, port2 } = new MessageChannel();
  const link = new ThreadLink(port1);
  closers.push(() => link.close());
  const facts = (): TrackerFacts => ({
    examples: examples(),
    storageFault: database.storageFault(),
  });
  const publisher = new MarketPublisher({
    ...{ link, topics: THREAD_TOPICS, markets: tracking.tracker, term: 1n, facts },
    accuracyReport: tracking.accuracyReport,
    proofOf: relayedProof(tracking.proofOf),
    onWatchlistChange: reloadWatchlist(alerting.recorder),
    clock: systemClock,
    log,
  });
  closers.push(() => publisher.close());
  publisher.start();
  const app = new ApiThread({ config, port: port2 });
  return { app, examples, sources: { ...sources, api: () => app.counts() } };
}
