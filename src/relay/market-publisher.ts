import type { BaseLogger } from "pino";
import type { NowMs } from "#src/platform/clock.ts";
import type { Markets } from "#src/track/markets.ts";
import { type AssessedSnapshot, snapshotText } from "#src/track/snapshot-text.ts";
import type { Address } from "#src/units/address.ts";
import { type RedisLink, RedisUnavailable } from "./redis-link.ts";
import {
  type Ask,
  BEAT_EVERY_MS,
  messageText,
  newsText,
  parseMessage,
  type RelayChannels,
  type Reply,
  type ToTracker,
} from "./relay-messages.ts";

/** A token that nobody touched for so long is told of no more: as long as the tracker follows it. */
const WANTED_FOR_MS = 15 * 60_000;
const TIDY_EVERY_MS = 60_000;
/** Tokens loaded at once for processes that answered with them under an earlier tracker. */
const LOADS_AT_ONCE = 8;

export type MarketPublisherDeps = {
  readonly link: Pick<RedisLink, "publish" | "subscribe" | "onRestored">;
  readonly channels: RelayChannels;
  readonly markets: Markets;
  readonly term: bigint;
  /** What every process says of the service. */
  readonly facts: unknown;
  readonly accuracyReport: () => unknown;
  readonly onWatchlistChange: (userId: string) => void;
  readonly nowMs: NowMs;
  readonly log: Pick<BaseLogger, "warn">;
};

/** The tracker's side of the relay: it tells all of each new answer, and answers who asks. */
export class MarketPublisher {
  readonly #deps: MarketPublisherDeps;
  readonly #wanted = new Map<Address, number>();
  readonly #toLoad = new Set<Address>();
  #loading = 0;
  #connections = 0;
  #stops: readonly (() => void)[] = [];

  constructor(deps: MarketPublisherDeps) {
    this.#deps = deps;
  }

  start(): void {
    const { link, channels, markets } = this.#deps;
    const beating = setInterval(() => this.#beat(), BEAT_EVERY_MS);
    const tidying = setInterval(() => this.#tidy(), TIDY_EVERY_MS);
    this.#stops = [
      () => clearInterval(beating),
      () => clearInterval(tidying),
      link.subscribe(channels.tracker, (text) => this.#hear(text)),
      markets.onSnapshot((snapshot) => this.#tell(snapshot)),
      link.onRestored(() => {
        this.#connections++;
        this.#beat();
      }),
    ];
  }

  close(): void {
    for (const stop of this.#stops) stop();
    this.#stops = [];
    this.#toLoad.clear();
  }

  #beat(): void {
    const { channels, term, markets, facts } = this.#deps;
    const connections = this.#connections;
    this.#send(channels.beats, messageText({ term, connections, health: markets.health(), facts }));
  }

  #hear(text: string): void {
    const message = parseMessage<ToTracker>(text);
    if (message === null) return;
    if (message.kind === "touched") this.#touch(message.mints);
    else if (message.kind === "kept") this.#keep(message.mints);
    else if (message.kind === "watchlist") this.#deps.onWatchlistChange(message.userId);
    else void this.#answer(message);
  }

  /** Measured anew where it is due, as by a request here; what is new is told by `onSnapshot`. */
  #touch(mints: readonly Address[]): void {
    const { markets, nowMs } = this.#deps;
    for (const mint of mints) {
      this.#wanted.set(mint, nowMs());
      if (markets.latest(mint) === null) this.#toLoad.add(mint);
    }
    this.#load();
  }

  #keep(mints: readonly Address[]): void {
    const { markets, nowMs } = this.#deps;
    for (const mint of mints) {
      this.#wanted.set(mint, nowMs());
      if (!markets.touch(mint)) this.#toLoad.add(mint);
    }
    this.#load();
  }

  #load(): void {
    for (const mint of this.#toLoad) {
      if (this.#loading >= LOADS_AT_ONCE) return;
      this.#toLoad.delete(mint);
      this.#loading++;
      this.#deps.markets
        .snapshot(mint)
        .then((snapshot) => {
          if (snapshot.kind === "assessed") this.#tell(snapshot);
        })
        .catch((err: unknown) => this.#deps.log.warn({ err }, "a touched token was not loaded"))
        .finally(() => {
          this.#loading--;
          this.#load();
        });
    }
  }

  #tell(snapshot: AssessedSnapshot): void {
    const { mint } = snapshot.assessment;
    if (!this.#wanted.has(mint)) return;
    const { channels, term } = this.#deps;
    this.#send(channels.news, newsText({ term, mint, snapshot: snapshotText(snapshot) }));
  }

  async #answer(ask: Ask): Promise<void> {
    const { channels, term, log } = this.#deps;
    const reply = (answered: Pick<Reply, "answer">) =>
      this.#send(channels.replica(ask.replica), messageText({ term, id: ask.id, ...answered }));
    try {
      reply({ answer: await this.#answerOf(ask) });
    } catch (err) {
      log.warn({ err, kind: ask.kind }, "a question from another process failed");
      reply({});
    }
  }

  #answerOf(ask: Ask): unknown {
    const { markets, nowMs, accuracyReport } = this.#deps;
    switch (ask.kind) {
      case "snapshot":
        this.#wanted.set(ask.asked.mint, nowMs());
        return markets.snapshot(ask.asked.mint);
      case "exit":
        return this.#loaded(ask.asked.mint).then(() =>
          markets.exit(ask.asked.mint, ask.asked.sale),
        );
      case "stressed":
        return this.#loaded(ask.asked.mint).then(() => markets.stressed(ask.asked.mint));
      case "history":
        return markets.history(ask.asked.mint, ask.asked.query);
      case "alertsWithin":
        return markets.alerts(ask.asked.mint, ask.asked.begun);
      case "accuracy":
        return accuracyReport();
      default: {
        const unreachable: never = ask;
        throw new Error(`no such question: ${String(unreachable)}`);
      }
    }
  }

  /** A successor has not loaded all that its predecessor tracked: what is asked of first is loaded first. */
  async #loaded(mint: Address): Promise<void> {
    const { markets } = this.#deps;
    if (markets.latest(mint) === null) await markets.snapshot(mint);
  }

  #tidy(): void {
    const before = this.#deps.nowMs() - WANTED_FOR_MS;
    for (const [mint, touchedAtMs] of this.#wanted)
      if (touchedAtMs < before) this.#wanted.delete(mint);
  }

  /** What Redis does not take is lost: whoever missed it asks again, or grows stale and says so. */
  #send(channel: string, text: string): void {
    this.#deps.link.publish(channel, text).catch((err: unknown) => {
      if (!(err instanceof RedisUnavailable)) throw err;
    });
  }
}
