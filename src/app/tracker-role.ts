import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";
import { createJudging, type Judging } from "#src/alerts/alerting.ts";
import type { ServiceFacts } from "#src/api/service/service-facts.ts";
import type { LedSources } from "#src/metrics/metrics.ts";
import { aborted } from "#src/platform/aborted.ts";
import { systemClock } from "#src/platform/clock.ts";
import { failureReporter } from "#src/platform/failure-reporter.ts";
import type { StorageFault } from "#src/platform/storage-fault.ts";
import { MarketPublisher } from "#src/relay/market-publisher.ts";
import type { RelayLink } from "#src/relay/relay-link.ts";
import type { RelayTopics } from "#src/relay/relay-messages.ts";
import { type Leadership, waitForLeadership } from "#src/store/leadership.ts";
import { parseUserId } from "#src/store/user-id.ts";
import { Closers } from "./closers.ts";
import type { Config } from "./config.ts";
import { openTracking } from "./open-tracking.ts";

/** The delay after tracking failed: another process can take over, and an unreachable node is not flooded. */
const RETRY_AFTER_MS = 2_000;

export type TrackerRoleDeps = {
  readonly config: Config & { readonly databaseUrl: string };
  readonly link: RelayLink;
  readonly topics: RelayTopics;
  readonly logger: Logger;
};

/** What the tracker publishes about the service with each heartbeat. */
export type TrackerFacts = {
  readonly examples: ReturnType<ServiceFacts["examples"]>;
  /** Why the last write to the database failed, where the API uses the same; null or absent: none did. */
  readonly storageFault?: StorageFault | null;
};

/**
 * Waits for the tracker leadership, and tracks while this process is the leader: follows the chain,
 * evaluates watched tokens, and publishes markets to the API processes. Waits again after losing it.
 */
export class TrackerRole {
  readonly #deps: TrackerRoleDeps;
  readonly #stopping = new AbortController();
  readonly #done: Promise<void>;
  #led: LedSources | null = null;

  constructor(deps: TrackerRoleDeps) {
    this.#deps = deps;
    this.#done = this.#run();
  }

  /** The parts that run while this process is the leader; null while it waits for that. */
  get led(): LedSources | null {
    return this.#led;
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    await this.#done;
  }

  async #run(): Promise<void> {
    const { config, logger } = this.#deps;
    const report = failureReporter(logger);
    while (!this.#stopping.signal.aborted) {
      const leadership = await waitForLeadership({
        databaseUrl: config.databaseUrl,
        dataDir: config.dataDir,
        clock: { nowMs: () => performance.now() },
        signal: this.#stopping.signal,
        onFailure: report,
        log: logger,
      });
      if (leadership === null) return;
      const log = logger.child({ term: String(leadership.term) });
      log.info("tracker leadership acquired");
      let hasFailed = false;
      try {
        await this.#lead(leadership, log);
      } catch (err) {
        hasFailed = true;
        log.error({ err, retryAfterMs: RETRY_AFTER_MS }, "tracking failed; retrying");
      }
      log.info("tracker leadership released");
      const { signal } = this.#stopping;
      if (hasFailed) await delay(RETRY_AFTER_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  async #lead(leadership: Leadership, log: Logger): Promise<void> {
    const { config, link, topics } = this.#deps;
    const { database, term } = leadership;
    const clock = systemClock;
    const closers = new Closers();
    closers.push(() => database.close());
    closers.push(() => leadership.resign());
    try {
      const { chain, tracker, accuracy, accuracyReport, proofOf, start, close } =
        await openTracking(config, {
          database,
          logger: log,
        });
      closers.push(close);
      const judging = createJudging({
        store: database,
        markets: tracker,
        // Other processes poll the outbox themselves.
        notices: { onRecording: () => undefined, onRecorded: () => undefined },
        clock,
        log,
      });
      await start();
      const facts: TrackerFacts = { examples: chain.examples };
      const publisher = new MarketPublisher({
        link,
        topics,
        markets: tracker,
        term,
        facts: () => facts,
        accuracyReport,
        proofOf,
        onWatchlistChange: reloadWatchlist(judging.recorder),
        clock,
        log,
      });
      closers.push(() => publisher.close());
      publisher.start();
      closers.push(() => judging.close());
      await judging.start();
      const { node } = chain;
      this.#led = { tracker, accuracy, recorder: judging.recorder, database, node };
      await Promise.race([leadership.lost, aborted(this.#stopping.signal)]);
    } finally {
      this.#led = null;
      // Writes that fail because another process leads by now are repeated by that process.
      await closers.closeReporting((error) =>
        log.warn({ reason: messageOf(error) }, "failed to close a part of the tracker"),
      );
    }
  }
}

/** Reloads the watchlist of the user whom a message names. */
export function reloadWatchlist(recorder: Judging["recorder"]): (userId: string) => void {
  return (text) => {
    const userId = parseUserId(text);
    if (userId !== null) void recorder.reload(userId);
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
