import type { ExitQuery } from "#src/measure/questions/exit-at.ts";
import { AppError } from "#src/platform/app-error.ts";
import { assertNever } from "#src/platform/assert-never.ts";
import type { WallClock } from "#src/platform/clock.ts";
import { FailureLog, type FailureLogger, isOwnBug } from "#src/platform/failure-log.ts";
import { Poller } from "#src/platform/poller.ts";
import { TaskQueue } from "#src/platform/task-queue.ts";
import type { MarketSnapshot } from "#src/track/market-snapshot.ts";
import type { Markets } from "#src/track/markets.ts";
import { type AssessedSnapshot, renewalOf } from "#src/track/snapshot-text.ts";
import type { Address } from "#src/units/address.ts";
import { type RelayLink, RelayUnavailable } from "./relay-link.ts";
import {
  HEARTBEAT_EVERY_MS,
  messageText,
  type News,
  newsText,
  parseMessage,
  type RelayTopics,
  type TrackerMessage,
  type TrackerReply,
  type TrackerRequest,
} from "./relay-messages.ts";

/** A token without a touch for this time is no longer published; the tracker drops it after the same time. */
const WANTED_FOR_MS = 15 * 60_000;
const TIDY_EVERY_MS = 60_000;
/** Tokens loaded at once for processes that hold them from an earlier tracker. */
const MAX_LOADS = 8;
/**
 * The asker of those loads: a touch names no caller, and many callers may use the token. They have one turn of
 * their own, so that no caller's loads refuse them. At most `MAX_LOADS` of them wait.
 */
const REPLICAS = "replicas";
/** Snapshots published again in one turn; 10,000 a second, since Redis disconnects a process that reads too slowly. */
const REPUBLISHED_AT_ONCE = 100;
const REPUBLISH_EVERY_MS = 10;
/** Touched or missed tokens are measured for at most this time in one turn. */
const LONGEST_TURN_MS = 10;

export type MarketPublisherDeps = {
  readonly link: Pick<RelayLink, "publish" | "publishSharded" | "subscribe" | "onRestored">;
  readonly topics: RelayTopics;
  readonly markets: Markets;
  readonly term: bigint;
  /** Facts about the service, which its API publishes. */
  readonly facts: () => unknown;
  readonly accuracyReport: () => unknown;
  readonly proofOf: (mint: Address, sale: ExitQuery) => Promise<unknown>;
  readonly onWatchlistChange: (userId: string) => void;
  readonly clock: WallClock;
  readonly log: FailureLogger;
};

/** A touch of a token. Each touch is a new object, so that two touches can be distinguished by identity. */
type Touch = { readonly atMs: number };

/** A request about one token. */
type LoadingRequest = {
  readonly replica: string;
  readonly asked: readonly [mint: Address, ...rest: unknown[]];
};

type Published = { readonly edition: number; readonly snapshot: AssessedSnapshot };

/**
 * The tracker's side of the relay: publishes each new snapshot of a token that another process holds, and
 * replies to requests. A snapshot is serialised once, for all processes; one that was only carried on to a later
 * slot is published as a renewal of the one before.
 */
export class MarketPublisher {
  readonly #deps: MarketPublisherDeps;
  readonly #wanted = new Map<Address, Touch>();
  /** The last snapshot of each wanted token that was published whole: the renewals of its edition renew it. */
  readonly #published = new Map<Address, Published>();
  #editions = 0;
  readonly #touched = new Set<Address>();
  #measuring: NodeJS.Immediate | null = null;
  readonly #toLoad = new Set<Address>();
  readonly #toRepublish = new Set<Address>();
  #republishing: NodeJS.Timeout | null = null;
  #publications = 0;
  readonly #loads = new TaskQueue({
    maxActive: MAX_LOADS,
    maxWaiting: Infinity,
    overloadedMessage: "",
  });
  readonly #loadFailures: FailureLog;
  readonly #requestFailures: FailureLog;
  #connections = 0;
  #stops: readonly (() => void)[] = [];

  constructor(deps: MarketPublisherDeps) {
    this.#deps = deps;
    const { log } = deps;
    this.#loadFailures = new FailureLog({
      log,
      what: "load a touched token",
      next: "it is loaded at its next touch",
    });
    this.#requestFailures = new FailureLog({
      log,
      what: "answer a request for markets",
      next: "the API gets no answer; its request fails unless an answer is stored",
    });
  }

  start(): void {
    const { link, topics, markets } = this.#deps;
    const polled = [
      { run: () => this.#sendHeartbeat(), everyMs: HEARTBEAT_EVERY_MS },
      { run: () => this.#removeUnwanted(), everyMs: TIDY_EVERY_MS },
    ];
    const pollers = polled.map((each) => new Poller({ ...each, failures: null }));
    for (const poller of pollers) poller.start();
    this.#stops = [
      ...pollers.map((poller) => () => poller.stop()),
      link.subscribe(topics.tracker, (text) => this.#receive(text)),
      markets.onSnapshot((snapshot) => this.#publish(snapshot)),
      link.onRestored(() => {
        this.#connections++;
        this.#sendHeartbeat();
      }),
    ];
  }

  close(): void {
    for (const stop of this.#stops) stop();
    this.#stops = [];
    this.#toLoad.clear();
    this.#toRepublish.clear();
    this.#touched.clear();
    clearImmediate(this.#measuring ?? undefined);
    clearTimeout(this.#republishing ?? undefined);
  }

  #sendHeartbeat(): void {
    const { topics, term, markets, facts } = this.#deps;
    const connections = this.#connections;
    this.#send(
      topics.heartbeats,
      messageText({ term, connections, health: markets.health(), facts: facts() }),
    );
  }

  #receive(text: string): void {
    const message = parseMessage<TrackerMessage>(text);
    if (message === null) return;
    if (message.kind === "touched") this.#touch(message.mints);
    else if (message.kind === "kept") this.#keep(message.mints);
    else if (message.kind === "missed") this.#republish(message.mints);
    else if (message.kind === "watchlist") this.#deps.onWatchlistChange(message.userId);
    else void this.#answer(message);
  }

  #touch(mints: readonly Address[]): void {
    for (const mint of mints) {
      this.#want(mint);
      this.#touched.add(mint);
    }
    if (this.#measuring === null) this.#measureSome();
  }

  /**
   * Re-measures stale tokens, as a local request would, some in each turn: new snapshots are published through
   * `onSnapshot`.
   */
  #measureSome(): void {
    const { clock } = this.#deps;
    const startMs = clock.nowMs();
    for (const mint of this.#touched) {
      this.#touched.delete(mint);
      if (this.#latest(mint) === null) this.#toLoad.add(mint);
      if (clock.nowMs() - startMs >= LONGEST_TURN_MS) break;
    }
    this.#load();
    this.#measuring = this.#touched.size === 0 ? null : setImmediate(() => this.#measureSome());
  }

  #keep(mints: readonly Address[]): void {
    const { markets } = this.#deps;
    for (const mint of mints) {
      this.#want(mint);
      if (!markets.touch(mint)) this.#toLoad.add(mint);
    }
    this.#load();
  }

  /** Publishes the newest snapshots, also those published before, some at a time. */
  #republish(mints: readonly Address[]): void {
    for (const mint of mints) {
      this.#want(mint);
      this.#toRepublish.add(mint);
    }
    if (this.#republishing === null) this.#republishSome();
  }

  #republishSome(): void {
    const { clock } = this.#deps;
    const startMs = clock.nowMs();
    let left = REPUBLISHED_AT_ONCE;
    for (const mint of this.#toRepublish) {
      this.#toRepublish.delete(mint);
      this.#published.delete(mint);
      const before = this.#publications;
      const latest = this.#latest(mint);
      if (latest === null) this.#toLoad.add(mint);
      // `latest` publishes the snapshot itself if it measured the token just now.
      else if (latest.kind === "assessed" && this.#publications === before) this.#publish(latest);
      if (--left === 0 || clock.nowMs() - startMs >= LONGEST_TURN_MS) break;
    }
    this.#load();
    this.#republishing =
      this.#toRepublish.size === 0
        ? null
        : setTimeout(() => this.#republishSome(), REPUBLISH_EVERY_MS);
  }

  /** Null also where a bug of ours stops the measurement: its load then fails as well, and is logged. */
  #latest(mint: Address): MarketSnapshot | null {
    try {
      return this.#deps.markets.latest(mint);
    } catch {
      return null;
    }
  }

  #want(mint: Address): void {
    this.#wanted.set(mint, { atMs: this.#deps.clock.nowMs() });
  }

  #load(): void {
    while (this.#toLoad.size > 0 && this.#loads.active < MAX_LOADS) {
      const [mint] = this.#toLoad;
      if (mint === undefined) return;
      this.#toLoad.delete(mint);
      void this.#loads.run(() => this.#loadOne(mint)).then(() => this.#load());
    }
  }

  async #loadOne(mint: Address): Promise<void> {
    try {
      const snapshot = await this.#deps.markets.snapshot(mint, REPLICAS);
      this.#loadFailures.succeeded();
      if (snapshot.kind === "assessed") this.#publish(snapshot);
    } catch (cause) {
      this.#loadFailures.failed(cause, { mint });
    }
  }

  #publish(snapshot: AssessedSnapshot): void {
    const { mint } = snapshot.assessment;
    const wanted = this.#wanted.get(mint);
    if (wanted === undefined) return;
    this.#publications++;
    const { link, topics } = this.#deps;
    link
      .publishSharded(topics.news(mint), newsText(this.#newsOf(snapshot)))
      .then((receivers) => {
        // If it was touched since, the next snapshot has a receiver, which subscribed before its touch.
        if (receivers === 0 && this.#wanted.get(mint) === wanted) this.#unwant(mint);
      })
      .catch(ignoreUnavailable);
  }

  /** A renewal of the edition that was published before, or the snapshot as a new edition. */
  #newsOf(snapshot: AssessedSnapshot): News {
    const { term } = this.#deps;
    const { mint } = snapshot.assessment;
    const published = this.#published.get(mint);
    const renewal = published === undefined ? null : renewalOf(published.snapshot, snapshot);
    if (published !== undefined && renewal !== null)
      return { term, edition: published.edition, kind: "renewal", renewal };
    const edition = ++this.#editions;
    this.#published.set(mint, { edition, snapshot });
    return { term, edition, kind: "snapshot", snapshot };
  }

  async #answer(request: TrackerRequest): Promise<void> {
    const { topics, term } = this.#deps;
    const reply = (answered: Omit<TrackerReply, "term" | "id">) =>
      this.#send(
        topics.replica(request.replica),
        messageText({ term, id: request.id, ...answered }),
      );
    try {
      const answer = await this.#answerOf(request);
      // The caller will hold no edition: the next snapshot is published whole.
      if (request.kind === "snapshot") this.#published.delete(request.asked[0]);
      reply({ answer });
      this.#requestFailures.succeeded();
    } catch (cause) {
      const isRefusal = cause instanceof AppError;
      // Not logged without a cause: too many requests wait, or this exit has no proof.
      if (!isRefusal || cause.cause !== undefined)
        this.#requestFailures.failed(cause, { kind: request.kind });
      if (isRefusal) reply({ refusal: { code: cause.code, publicMessage: cause.publicMessage } });
      else reply(isOwnBug(cause) ? { isOwnBug: true } : {});
    }
  }

  #answerOf(request: TrackerRequest): unknown {
    const { markets, accuracyReport, proofOf } = this.#deps;
    switch (request.kind) {
      case "snapshot":
        this.#want(request.asked[0]);
        return markets.snapshot(...request.asked);
      case "exit":
        return this.#loaded(request).then(() => markets.exit(...request.asked));
      case "answerExit":
        return this.#loaded(request).then(() => markets.answerExit(...request.asked));
      case "curve":
        return this.#loaded(request).then(() => markets.curve(...request.asked));
      case "holdersFirst":
        return this.#loaded(request).then(() => markets.holdersFirst(...request.asked));
      case "stressed":
        return this.#loaded(request).then(() => markets.stressed(...request.asked));
      case "history":
        return markets.history(...request.asked);
      case "pastDay":
        return markets.pastDay(...request.asked);
      case "alerts":
        return markets.alerts(...request.asked);
      case "accuracyReport":
        return accuracyReport();
      case "proof":
        return this.#loaded(request).then(() => proofOf(...request.asked));
      default:
        return assertNever(request);
    }
  }

  /** A new tracker has not loaded all tokens of its predecessor yet: a requested token is loaded first. */
  async #loaded({ replica, asked }: LoadingRequest): Promise<void> {
    const { markets } = this.#deps;
    const [mint] = asked;
    // The request names no caller: the loads of each replica take turns.
    if (markets.latest(mint) === null) await markets.snapshot(mint, `replica:${replica}`);
  }

  #removeUnwanted(): void {
    const before = this.#deps.clock.nowMs() - WANTED_FOR_MS;
    for (const [mint, { atMs }] of this.#wanted) if (atMs < before) this.#unwant(mint);
  }

  #unwant(mint: Address): void {
    this.#wanted.delete(mint);
    this.#published.delete(mint);
  }

  #send(topic: string, text: string): void {
    this.#deps.link.publish(topic, text).catch(ignoreUnavailable);
  }
}

/** A message that can't be sent is lost: its reader requests it again, or its data ages visibly. */
function ignoreUnavailable(cause: unknown): void {
  if (!(cause instanceof RelayUnavailable)) throw cause;
}
