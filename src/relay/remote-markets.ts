import { randomUUID } from "node:crypto";
import { AppError } from "#src/platform/app-error.ts";
import { chunksOf } from "#src/platform/chunks.ts";
import type { WallClock } from "#src/platform/clock.ts";
import { Listeners } from "#src/platform/listeners.ts";
import { Poller } from "#src/platform/poller.ts";
import { SingleFlight } from "#src/platform/single-flight.ts";
import type { AnswerAt } from "#src/track/history/stored-answers.ts";
import type { MarketSnapshot } from "#src/track/market-snapshot.ts";
import type { Markets } from "#src/track/markets.ts";
import { type AssessedSnapshot, agedAssessment } from "#src/track/snapshot-text.ts";
import { NOTHING_TRACKED, type TrackerHealth } from "#src/track/tracker-health.ts";
import type { Address } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { HeldSnapshots } from "./held-snapshots.ts";
import { type RelayLink, RelayUnavailable } from "./relay-link.ts";
import {
  type AnswerOf,
  type AskedOf,
  type Heartbeat,
  messageText,
  parseMessage,
  parseNews,
  type RelayTopics,
  TRACKER_SILENT_MS,
  type TrackerMessage,
  type TrackerReply,
  type TrackerRequest,
  type TrackerRequestKind,
} from "./relay-messages.ts";
import { TrackerBug, UnansweredRequests } from "./unanswered-requests.ts";

const TOUCH_EVERY_MS = 250;
const TIDY_EVERY_MS = 60_000;
/** Maximum number of tokens in one message to the tracker. */
const MINTS_PER_MESSAGE = 1_000;
/** After a start, the first requests wait so long for the first heartbeat. */
const FIRST_HEARTBEAT_MS = 2_000;

export type RemoteMarketsDeps<Facts> = {
  readonly link: Pick<RelayLink, "publish" | "subscribe" | "subscribeSharded" | "onRestored">;
  readonly topics: RelayTopics;
  /** Recorded accounts: assessments do not age. */
  readonly isFrozen: boolean;
  /** The last stored assessment, used while there is no tracker. */
  readonly storedAnswer: (mint: Address) => Promise<AssessedSnapshot | null>;
  /** The state stored at a slot, from the database that all processes share. */
  readonly storedState: (mint: Address, slot: bigint) => Promise<AnswerAt>;
  readonly clock: WallClock;
  /** Gets the service facts of each heartbeat. */
  readonly onFacts?: (facts: Facts) => void;
};

/**
 * The markets of a tracker in another process or thread. After a token's first request the tracker publishes its
 * snapshots on the token's topic. They are held here and served at once, until the token was not used for a
 * quarter of an hour. They age by the same rule as in the tracker, with or without new messages. Messages of
 * a tracker are ignored once its successor has sent one, and an older state of the successor does not
 * replace a newer one held here.
 */
export class RemoteMarkets<Facts> implements Markets {
  readonly #deps: RemoteMarketsDeps<Facts>;
  readonly #replica = randomUUID();
  readonly #requests: UnansweredRequests;
  readonly #held: HeldSnapshots;
  /** For each token whose snapshots are received (it is held or being loaded), the function that unsubscribes. */
  readonly #received = new Map<Address, () => void>();
  readonly #loads = new SingleFlight<Address, MarketSnapshot>();
  readonly #listeners = new Listeners<AssessedSnapshot>();
  /** The tokens of the next message of each kind. */
  readonly #named = {
    missed: new Set<Address>(),
    touched: new Set<Address>(),
    kept: new Set<Address>(),
  };
  #term = 0n;
  #heartbeat: Heartbeat<Facts> | null = null;
  #heartbeatAtMs = 0;
  readonly #firstHeartbeat = Promise.withResolvers<void>();
  #nextHeartbeat: PromiseWithResolvers<void> | null = null;
  #stops: readonly (() => void)[] = [];

  constructor(deps: RemoteMarketsDeps<Facts>) {
    this.#deps = deps;
    this.#held = new HeldSnapshots(deps);
    this.#requests = new UnansweredRequests({ ...deps, replica: this.#replica });
  }

  start(): void {
    const { link, topics } = this.#deps;
    const sendNamed = () => {
      if (this.hasTracker) this.#sendNamed();
      // After a block of this thread its timers run first, then what has arrived meanwhile, then immediates.
      else setImmediate(() => this.#rejectWithoutTracker());
    };
    const polled = [
      { run: sendNamed, everyMs: TOUCH_EVERY_MS },
      { run: () => this.#removeUnused(), everyMs: TIDY_EVERY_MS },
    ];
    const pollers = polled.map((each) => new Poller({ ...each, failures: null }));
    for (const poller of pollers) poller.start();
    const waiting = setTimeout(() => this.#firstHeartbeat.resolve(), FIRST_HEARTBEAT_MS);
    this.#stops = [
      ...pollers.map((poller) => () => poller.stop()),
      () => clearTimeout(waiting),
      link.subscribe(topics.heartbeats, (text) => this.#receiveHeartbeat(text)),
      link.subscribe(topics.replica(this.#replica), (text) => this.#receiveReply(text)),
      link.onRestored(() => this.#resend()),
    ];
  }

  close(): void {
    for (const stop of this.#stops) stop();
    for (const mint of [...this.#received.keys()]) this.#stopReceiving(mint);
    this.#requests.rejectAll("this process is stopping");
  }

  /** Whether a tracker sent a heartbeat within the last seconds. */
  get hasTracker(): boolean {
    return (
      this.#heartbeat !== null && this.#deps.clock.nowMs() - this.#heartbeatAtMs < TRACKER_SILENT_MS
    );
  }

  /** Resolves when a tracker has sent a heartbeat within the last `ms`: at once, or with its next one. */
  async heardWithin(ms: number): Promise<void> {
    if (this.#deps.clock.nowMs() - this.#heartbeatAtMs < ms) return;
    this.#nextHeartbeat ??= Promise.withResolvers<void>();
    await this.#nextHeartbeat.promise;
  }

  latest(mint: Address): MarketSnapshot | null {
    const latest = this.#held.latest(mint);
    if (latest !== null) this.#named.touched.add(mint);
    return latest;
  }

  touch(mint: Address): boolean {
    const isHeld = this.#held.touch(mint);
    if (isHeld) this.#named.kept.add(mint);
    return isHeld;
  }

  snapshot(mint: Address, asker = ""): Promise<MarketSnapshot> {
    if (mint === WSOL) return Promise.resolve({ kind: "not-found", mint });
    return this.#loads.run(mint, () => this.#load(mint, asker));
  }

  readonly exit = this.#forwarded("exit");
  readonly answerExit = this.#forwarded("answerExit");
  readonly curve = this.#forwarded("curve");
  readonly holdersFirst = this.#forwarded("holdersFirst");
  readonly stressed = this.#forwarded("stressed");
  readonly history = this.#forwarded("history");
  readonly pastDay = this.#forwarded("pastDay");
  readonly alerts = this.#forwarded("alerts");
  /** @throws AppError proof_unavailable, chain_unavailable */
  readonly proof = this.#forwarded("proof");
  /** @throws AppError chain_unavailable */
  readonly accuracyReport = this.#forwarded("accuracyReport");

  answerAt(mint: Address, slot: bigint): Promise<AnswerAt> {
    return this.#deps.storedState(mint, slot);
  }

  onSnapshot(listener: (snapshot: AssessedSnapshot) => void): () => void {
    return this.#listeners.add(listener);
  }

  health(): TrackerHealth {
    if (this.#heartbeat === null) return NOTHING_TRACKED;
    const { health } = this.#heartbeat;
    const { chainAgeMs } = health;
    if (chainAgeMs === null || this.#deps.isFrozen) return health;
    return { ...health, chainAgeMs: chainAgeMs + this.#deps.clock.nowMs() - this.#heartbeatAtMs };
  }

  async #load(mint: Address, asker: string): Promise<MarketSnapshot> {
    try {
      await this.#trackerPresent();
      // Subscribe before the request, so that no snapshot after the reply is missed.
      this.#receive(mint);
      const asked: AskedOf<"snapshot"> = [mint, asker];
      // Held at once, so that a snapshot that is published next finds it.
      const snapshot = await this.#requests.send("snapshot", asked, (answer, term) => {
        if (answer.kind === "assessed") this.#held.hold(answer, { term, edition: null });
      });
      // Aged since it was received; the held one is newer while a successor knows less.
      return snapshot.kind === "assessed" ? (this.latest(mint) ?? snapshot) : snapshot;
    } catch (cause) {
      if (!isFailureOfTracker(cause)) throw cause;
      const known = this.latest(mint) ?? (await this.#stored(mint));
      if (known === null && !(cause instanceof RelayUnavailable)) throw cause;
      return known ?? { kind: "unavailable", mint };
    } finally {
      if (!this.#held.has(mint)) this.#stopReceiving(mint);
    }
  }

  #receive(mint: Address): void {
    if (this.#received.has(mint)) return;
    const { link, topics } = this.#deps;
    const receive = (text: string) => this.#receiveNews(mint, text);
    this.#received.set(mint, link.subscribeSharded(topics.news(mint), receive));
  }

  #stopReceiving(mint: Address): void {
    this.#received.get(mint)?.();
    this.#received.delete(mint);
  }

  async #stored(mint: Address): Promise<MarketSnapshot | null> {
    const stored = await this.#deps.storedAnswer(mint);
    if (stored === null) return null;
    return { ...stored, assessment: agedAssessment(stored.assessment, this.#deps.clock.nowMs()) };
  }

  /** The method that the tracker answers. */
  #forwarded<Kind extends TrackerRequestKind>(kind: Kind) {
    return (...asked: AskedOf<Kind>) => this.#requestOrFail(kind, asked);
  }

  async #requestOrFail<Kind extends TrackerRequestKind>(
    kind: Kind,
    asked: AskedOf<Kind>,
  ): Promise<AnswerOf<Kind>> {
    try {
      await this.#trackerPresent();
      return await this.#requests.send(kind, asked);
    } catch (cause) {
      if (!(cause instanceof RelayUnavailable)) throw cause;
      throw new AppError("chain_unavailable", {
        publicMessage: "Chain data is temporarily unavailable. Try again in a few seconds.",
        cause,
      });
    }
  }

  /** @throws RelayUnavailable */
  async #trackerPresent(): Promise<void> {
    if (this.#heartbeat === null) await this.#firstHeartbeat.promise;
    if (!this.hasTracker) throw new RelayUnavailable("there is no tracker");
  }

  #rejectWithoutTracker(): void {
    if (!this.hasTracker) this.#requests.rejectAll("the tracker sends no heartbeats");
  }

  #receiveReply(text: string): void {
    const reply = parseMessage<TrackerReply>(text);
    if (reply !== null && this.#acceptTerm(reply.term)) this.#requests.receive(reply);
  }

  /** @returns whether the message is of the current or a newer tracker */
  #acceptTerm(term: bigint): boolean {
    if (term < this.#term) return false;
    if (term > this.#term) {
      this.#term = term;
      this.#resend();
    }
    return true;
  }

  #receiveHeartbeat(text: string): void {
    const beat = parseMessage<Heartbeat<Facts>>(text);
    if (beat === null || !this.#acceptTerm(beat.term)) return;
    const wasCutOff = !this.hasTracker || beat.connections !== this.#heartbeat?.connections;
    this.#heartbeat = beat;
    this.#heartbeatAtMs = this.#deps.clock.nowMs();
    this.#firstHeartbeat.resolve();
    this.#nextHeartbeat?.resolve();
    this.#nextHeartbeat = null;
    this.#deps.onFacts?.(beat.facts);
    if (wasCutOff) this.#resend();
  }

  #receiveNews(mint: Address, text: string): void {
    const isOfUse = (term: bigint) => this.#acceptTerm(term) && this.#held.has(mint);
    const news = parseNews(text, isOfUse);
    if (news === null) return;
    if (news.kind === "renewal") {
      const { term, renewal } = news;
      const renewed = this.#held.renew(mint, renewal, news);
      if (renewed !== null) this.#listeners.emit(renewed);
      else if (!this.#held.isAhead(mint, renewal, term)) this.#named.missed.add(mint);
      return;
    }
    const { snapshot } = news;
    if (snapshot.assessment.mint !== mint) return;
    if (this.#held.hold(snapshot, news)) this.#listeners.emit(snapshot);
  }

  #sendNamed(): void {
    for (const kind of ["missed", "touched", "kept"] as const) {
      const named = this.#named[kind];
      for (const mints of chunksOf(named, MINTS_PER_MESSAGE)) this.#name(kind, mints);
      named.clear();
    }
  }

  #name(kind: "missed" | "touched" | "kept", mints: readonly Address[]): void {
    const { link, topics } = this.#deps;
    link.publish(topics.tracker, messageText({ kind, mints })).catch(() => {
      for (const mint of mints) this.#named[kind].add(mint);
    });
  }

  /** Messages in both directions were lost: sends requests again, and names every held token, perhaps to a new tracker. */
  #resend(): void {
    for (const mint of this.#held.mints()) this.#named.missed.add(mint);
    this.#requests.resend();
  }

  #removeUnused(): void {
    for (const mint of this.#held.removeUnused((held) => this.#loads.has(held)))
      this.#stopReceiving(mint);
  }
}

/** Fire-and-forget message to the tracker. It may be lost: use it only for state that is re-read periodically. */
export function notifyTracker(
  { link, topics }: Pick<RemoteMarketsDeps<unknown>, "link" | "topics">,
  message: Exclude<TrackerMessage, TrackerRequest>,
): void {
  link.publish(topics.tracker, messageText(message)).catch(() => undefined);
}

/** The tracker failed, refused the request or can't be reached; not a bug of this process. */
function isFailureOfTracker(cause: unknown): boolean {
  return (
    cause instanceof RelayUnavailable || cause instanceof TrackerBug || cause instanceof AppError
  );
}
