import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";
import type { Config } from "./config.ts";
import { openTracking, type Tracking } from "./open-tracking.ts";
import { systemNowMs } from "./platform/clock.ts";
import { MarketPublisher } from "./relay/market-publisher.ts";
import type { RedisLink } from "./relay/redis-link.ts";
import type { RelayChannels } from "./relay/relay-messages.ts";
import type { Database } from "./store/database.ts";
import { type Leadership, standForLeadership } from "./store/leadership.ts";
import { parseUserId } from "./store/user-id.ts";
import { createJudging, type Judging } from "./watchlist/alerting.ts";

/** After tracking failed: others that stand by get their turn, and a node that is away is not pressed. */
const AGAIN_AFTER_MS = 2_000;

export type TrackerDutyDeps = {
  readonly config: Config & { readonly databaseUrl: string };
  readonly link: RedisLink;
  readonly channels: RelayChannels;
  readonly logger: Logger;
};

/** What the tracker says of the service with each beat. */
export type TrackerFacts = {
  readonly examples: readonly {
    readonly mint: string;
    readonly name: string;
    readonly symbol: string;
    readonly story: { readonly en: string; readonly es: string };
  }[];
};

/** What works while this process leads. */
export type Led = Pick<Tracking, "tracker" | "accuracy"> &
  Pick<Judging, "rules"> & { readonly database: Database };

/**
 * Stands by as the tracker, and tracks while this process leads: follows the chain, judges watched
 * tokens, and tells the processes that answer. Leading lost, it stands by again.
 */
export class TrackerDuty {
  readonly #deps: TrackerDutyDeps;
  readonly #stopping = new AbortController();
  readonly #done: Promise<void>;
  #led: Led | null = null;

  constructor(deps: TrackerDutyDeps) {
    this.#deps = deps;
    this.#done = this.#run();
  }

  /** Null while this process stands by. */
  get led(): Led | null {
    return this.#led;
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    await this.#done;
  }

  async #run(): Promise<void> {
    const { config, logger } = this.#deps;
    while (!this.#stopping.signal.aborted) {
      const leadership = await standForLeadership({
        databaseUrl: config.databaseUrl,
        dataDir: config.dataDir,
        nowMs: () => performance.now(),
        signal: this.#stopping.signal,
        onFailure: (what, err) => logger.warn({ err }, `failed to ${what}`),
      });
      if (leadership === null) return;
      const log = logger.child({ term: String(leadership.term) });
      log.info("this process tracks");
      const hasFailed = await this.#lead(leadership, log).then(
        () => false,
        (err: unknown) => {
          log.error({ err }, "tracking failed");
          return true;
        },
      );
      log.info("this process tracks no more");
      const { signal } = this.#stopping;
      if (hasFailed) await delay(AGAIN_AFTER_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  async #lead(leadership: Leadership, log: Logger): Promise<void> {
    const { config, link, channels } = this.#deps;
    const { database, term } = leadership;
    const nowMs = systemNowMs;
    const closers: (() => void | Promise<void>)[] = [
      () => database.close(),
      () => leadership.resign(),
    ];
    try {
      const { chain, tracker, accuracy, close } = await openTracking(config, {
        database,
        logger: log,
      });
      closers.push(close);
      const judging = createJudging({
        store: database,
        markets: tracker,
        // Other processes look for what is due by themselves.
        onRecorded: () => undefined,
        nowMs,
        log,
      });
      const facts: TrackerFacts = { examples: chain.examples };
      const publisher = new MarketPublisher({
        link,
        channels,
        markets: tracker,
        term,
        facts,
        accuracyReport: () => accuracy.report(),
        onWatchlistChange: (text) => {
          const userId = parseUserId(text);
          if (userId !== null) void judging.rules.reload(userId);
        },
        nowMs,
        log,
      });
      closers.push(() => publisher.close());
      publisher.start();
      closers.push(() => judging.close());
      await judging.start();
      this.#led = { tracker, accuracy, rules: judging.rules, database };
      await Promise.race([leadership.lost, aborted(this.#stopping.signal)]);
    } finally {
      this.#led = null;
      // Last opened first; what a database that is another's by now refuses is its to find again.
      for (const close of closers.toReversed())
        await Promise.resolve(close()).catch((err: unknown) =>
          log.warn({ err }, "stopping to track"),
        );
    }
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
