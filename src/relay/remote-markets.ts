import { randomUUID } from "node:crypto";
import type { ExitAt } from "#src/measure/exit-at.ts";
import type { StressedExit } from "#src/measure/stress.ts";
import { AppError } from "#src/platform/app-error.ts";
import type { NowMs } from "#src/platform/clock.ts";
import type { StoredAlert, TimeRange } from "#src/store/alerts.ts";
import type { HistoryPoint, HistoryQuery } from "#src/track/history.ts";
import type { MarketSnapshot } from "#src/track/market-snapshot.ts";
import type { Markets, Sale } from "#src/track/markets.ts";
import { type AssessedSnapshot, agedAssessment, parseSnapshot } from "#src/track/snapshot-text.ts";
import type { StateAt } from "#src/track/token-states.ts";
import { NOTHING_TRACKED, type TrackerHealth } from "#src/track/tracker-health.ts";
import { type Address, parseAddress } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { type RedisLink, RedisUnavailable } from "./redis-link.ts";
import {
  type Ask,
  type Beat,
  messageText,
  parseMessage,
  parseNews,
  type QuestionKind,
  type Questions,
  type RelayChannels,
  type Reply,
  type ToTracker,
  TRACKER_SILENT_MS,
} from "./relay-messages.ts";

/** As the tracker measures anew after this, so an answer is judged anew here. */
const JUDGED_FOR_MS = 1_000;
const TOUCH_EVERY_MS = 250;
/** A token that nobody asked for in this time is let go. */
const UNASKED_MS = 15 * 60_000;
const TIDY_EVERY_MS = 60_000;
/** As long as loading a token from a slow node may take. */
const ANSWER_WITHIN_MS = 15_000;
const MOST_WAITING = 5_000;
/** A process that has just started has not heard the tracker yet: its first askers wait for a beat. */
const FIRST_BEAT_MS = 2_000;

export type RemoteMarketsDeps<Facts> = {
  readonly link: Pick<RedisLink, "publish" | "subscribe" | "onRestored">;
  readonly channels: RelayChannels;
  /** Recorded accounts stand still, and answers from them with them. */
  readonly standsStill: boolean;
  /** The last answer that was stored, for when no tracker answers. */
  readonly storedAnswer: (mint: Address) => Promise<AssessedSnapshot | null>;
  /** What was stored at a slot: the tracker's database is this process's own. */
  readonly storedState: (mint: Address, slot: bigint) => Promise<StateAt>;
  readonly nowMs: NowMs;
  /** Told of what the tracker says of the service, with each beat. */
  readonly onFacts?: (facts: Facts) => void;
};

type Held = {
  snapshot: AssessedSnapshot;
  /** Of the tracker that said so. */
  term: bigint;
  /** The snapshot as old as it was at `judgedAtMs`. */
  judged: AssessedSnapshot;
  judgedAtMs: number;
  askedAtMs: number;
};

type Waiting = {
  /** The question as it was asked, for a successor of who was asked. */
  readonly text: string;
  readonly resolve: (reply: { readonly answer: unknown; readonly term: bigint }) => void;
  readonly reject: (error: Error) => void;
};

/**
 * The markets of a tracker in another process. Answers that were asked for once are pushed here from
 * then on, and served at once; they grow old by the same rule as the tracker's own, whether or not
 * anything still comes. What an earlier tracker says after its successor has spoken is not heard, and
 * what a successor says of an older state than the one held does not take its place.
 */
export class RemoteMarkets<Facts> implements Markets {
  readonly #deps: RemoteMarketsDeps<Facts>;
  readonly #replica = randomUUID();
  readonly #held = new Map<Address, Held>();
  readonly #loading = new Map<Address, Promise<MarketSnapshot>>();
  readonly #listeners = new Set<(snapshot: AssessedSnapshot) => void>();
  readonly #waiting = new Map<number, Waiting>();
  readonly #touched = new Set<Address>();
  readonly #kept = new Set<Address>();
  #term = 0n;
  #beat: Beat<Facts> | null = null;
  #beatAtMs = 0;
  readonly #firstBeat = Promise.withResolvers<void>();
  #lastId = 0;
  #stops: readonly (() => void)[] = [];

  constructor(deps: RemoteMarketsDeps<Facts>) {
    this.#deps = deps;
  }

  start(): void {
    const { link, channels } = this.#deps;
    const touching = setInterval(() => {
      if (this.hasTracker) this.#tellTouched();
      else this.#giveUp("the tracker fell silent");
    }, TOUCH_EVERY_MS);
    const tidying = setInterval(() => this.#tidy(), TIDY_EVERY_MS);
    const waiting = setTimeout(() => this.#firstBeat.resolve(), FIRST_BEAT_MS);
    this.#stops = [
      () => clearInterval(touching),
      () => clearInterval(tidying),
      () => clearTimeout(waiting),
      link.subscribe(channels.beats, (text) => this.#hearBeat(text)),
      link.subscribe(channels.news, (text) => this.#hearNews(text)),
      link.subscribe(channels.replica(this.#replica), (text) => this.#hearReply(text)),
      link.onRestored(() => this.#sayAgain()),
    ];
  }

  close(): void {
    for (const stop of this.#stops) stop();
    this.#giveUp("this process is stopping");
  }

  /** Whether a tracker spoke within the last seconds. */
  get hasTracker(): boolean {
    return this.#beat !== null && this.#deps.nowMs() - this.#beatAtMs < TRACKER_SILENT_MS;
  }

  latest(mint: Address): MarketSnapshot | null {
    const held = this.#held.get(mint);
    if (held === undefined) return null;
    const nowMs = this.#deps.nowMs();
    held.askedAtMs = nowMs;
    this.#touched.add(mint);
    return this.#judged(held, nowMs);
  }

  touch(mint: Address): boolean {
    const held = this.#held.get(mint);
    if (held === undefined) return false;
    held.askedAtMs = this.#deps.nowMs();
    this.#kept.add(mint);
    return true;
  }

  snapshot(mint: Address): Promise<MarketSnapshot> {
    if (mint === WSOL) return Promise.resolve({ kind: "not-found", mint });
    const loading =
      this.#loading.get(mint) ?? this.#load(mint).finally(() => this.#loading.delete(mint));
    this.#loading.set(mint, loading);
    return loading;
  }

  exit(mint: Address, sale: Sale): Promise<ExitAt | null> {
    return this.#askOrFail("exit", { mint, sale });
  }

  stressed(mint: Address): Promise<StressedExit | null> {
    return this.#askOrFail("stressed", { mint });
  }

  history(mint: Address, query: HistoryQuery): Promise<readonly HistoryPoint[]> {
    return this.#askOrFail("history", { mint, query });
  }

  alerts(mint: Address, begun: TimeRange): Promise<readonly StoredAlert[]> {
    return this.#askOrFail("alertsWithin", { mint, begun });
  }

  stateAt(mint: Address, slot: bigint): Promise<StateAt> {
    return this.#deps.storedState(mint, slot);
  }

  /** @throws AppError chain_unavailable */
  accuracyReport(): Promise<unknown> {
    return this.#askOrFail("accuracy", null);
  }

  onSnapshot(listener: (snapshot: AssessedSnapshot) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  health(): TrackerHealth {
    if (this.#beat === null) return NOTHING_TRACKED;
    const { health } = this.#beat;
    const { chainAgeMs } = health;
    if (chainAgeMs === null || this.#deps.standsStill) return health;
    return { ...health, chainAgeMs: chainAgeMs + this.#deps.nowMs() - this.#beatAtMs };
  }

  async #load(mint: Address): Promise<MarketSnapshot> {
    try {
      const snapshot = await this.#ask("snapshot", { mint });
      // Held since it was heard; what is held is newer where a successor knows less yet.
      return snapshot.kind === "assessed" ? (this.latest(mint) ?? snapshot) : snapshot;
    } catch (cause) {
      if (!(cause instanceof RedisUnavailable)) throw cause;
      const known = this.latest(mint) ?? (await this.#stored(mint));
      return known ?? { kind: "unavailable", mint };
    }
  }

  async #stored(mint: Address): Promise<MarketSnapshot | null> {
    const stored = await this.#deps.storedAnswer(mint);
    if (stored === null) return null;
    return { ...stored, assessment: agedAssessment(stored.assessment, this.#deps.nowMs()) };
  }

  /** @returns whether it took the place of what was held */
  #hold(snapshot: AssessedSnapshot, term: bigint): boolean {
    const nowMs = this.#deps.nowMs();
    const { mint, stateTimeMs } = snapshot.assessment;
    const held = this.#held.get(mint);
    const isOlder = held !== undefined && stateTimeMs < held.snapshot.assessment.stateTimeMs;
    // One tracker's states may step back, for a pool that was found late; its messages are in order.
    if (isOlder && held.term !== term) return false;
    const askedAtMs = held?.askedAtMs ?? nowMs;
    this.#held.set(mint, { snapshot, term, judged: snapshot, judgedAtMs: nowMs, askedAtMs });
    return true;
  }

  #judged(held: Held, nowMs: number): AssessedSnapshot {
    if (this.#deps.standsStill || nowMs - held.judgedAtMs < JUDGED_FOR_MS) return held.judged;
    const { snapshot } = held;
    held.judged = { ...snapshot, assessment: agedAssessment(snapshot.assessment, nowMs) };
    held.judgedAtMs = nowMs;
    return held.judged;
  }

  async #askOrFail<Kind extends QuestionKind>(
    kind: Kind,
    asked: Questions[Kind]["asked"],
  ): Promise<Questions[Kind]["answer"]> {
    try {
      return await this.#ask(kind, asked);
    } catch (cause) {
      if (!(cause instanceof RedisUnavailable)) throw cause;
      throw new AppError("chain_unavailable", {
        publicMessage: "What follows the chain can't be asked just now. Try again in some seconds.",
        retryable: true,
        cause,
      });
    }
  }

  async #ask<Kind extends QuestionKind>(
    kind: Kind,
    asked: Questions[Kind]["asked"],
  ): Promise<Questions[Kind]["answer"]> {
    const { link, channels } = this.#deps;
    if (this.#beat === null) await this.#firstBeat.promise;
    if (!this.hasTracker) throw new RedisUnavailable("no tracker is heard");
    if (this.#waiting.size >= MOST_WAITING) {
      throw new AppError("overloaded", { publicMessage: "Too many questions wait. Try again." });
    }
    const id = ++this.#lastId;
    const text = messageText({ kind, replica: this.#replica, id, asked } as unknown as Ask);
    const answered = Promise.withResolvers<unknown>();
    answered.promise.catch(() => undefined);
    const timer = setTimeout(
      () => answered.reject(new RedisUnavailable("the tracker did not answer in time")),
      ANSWER_WITHIN_MS,
    );
    this.#waiting.set(id, {
      text,
      resolve: ({ answer, term }) => {
        // At once, so that what is told next finds it held.
        if (kind === "snapshot") this.#take(answer as MarketSnapshot, term);
        answered.resolve(answer);
      },
      reject: answered.reject,
    });
    try {
      await link.publish(channels.tracker, text);
      return (await answered.promise) as Questions[Kind]["answer"];
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(id);
    }
  }

  #take(snapshot: MarketSnapshot, term: bigint): void {
    if (snapshot.kind === "assessed") this.#hold(snapshot, term);
  }

  #giveUp(reason: string): void {
    for (const { reject } of this.#waiting.values()) reject(new RedisUnavailable(reason));
    this.#waiting.clear();
  }

  #hearReply(text: string): void {
    const reply = parseMessage<Reply>(text);
    if (reply === null || !this.#hearTerm(reply.term)) return;
    const waiting = this.#waiting.get(reply.id);
    if (waiting === undefined) return;
    if ("answer" in reply) waiting.resolve({ answer: reply.answer, term: reply.term });
    else waiting.reject(new RedisUnavailable("the tracker failed"));
  }

  /** @returns whether who speaks is not over yet. */
  #hearTerm(term: bigint): boolean {
    if (term < this.#term) return false;
    if (term > this.#term) {
      this.#term = term;
      this.#sayAgain();
    }
    return true;
  }

  #hearBeat(text: string): void {
    const beat = parseMessage<Beat<Facts>>(text);
    if (beat === null || !this.#hearTerm(beat.term)) return;
    const wasCutOff = !this.hasTracker || beat.connections !== this.#beat?.connections;
    this.#beat = beat;
    this.#beatAtMs = this.#deps.nowMs();
    this.#firstBeat.resolve();
    this.#deps.onFacts?.(beat.facts);
    if (wasCutOff) this.#sayAgain();
  }

  #hearNews(text: string): void {
    const news = parseNews(text);
    const mint = news === null ? null : parseAddress(news.mint);
    if (news === null || mint === null || !this.#hearTerm(news.term)) return;
    if (!this.#held.has(mint)) return;
    const snapshot = parseSnapshot(news.snapshot);
    if (snapshot === null || !this.#hold(snapshot, news.term)) return;
    for (const listener of this.#listeners) listener(snapshot);
  }

  #tellTouched(): void {
    for (const kind of ["touched", "kept"] as const) {
      const told = kind === "touched" ? this.#touched : this.#kept;
      if (told.size === 0) continue;
      const { link, channels } = this.#deps;
      const mints = [...told];
      told.clear();
      link.publish(channels.tracker, messageText({ kind, mints })).catch(() => {
        for (const mint of mints) told.add(mint);
      });
    }
  }

  /** What either side said meanwhile is lost: the tracker, perhaps a new one, is asked for it again. */
  #sayAgain(): void {
    const { link, channels } = this.#deps;
    for (const mint of this.#held.keys()) this.#touched.add(mint);
    for (const { text } of this.#waiting.values())
      link.publish(channels.tracker, text).catch(() => undefined);
  }

  #tidy(): void {
    const before = this.#deps.nowMs() - UNASKED_MS;
    for (const [mint, { askedAtMs }] of this.#held) if (askedAtMs < before) this.#held.delete(mint);
  }
}

/** Says something to whoever tracks; lost where nobody hears it, so only what is found again anyway. */
export function tellTracker(
  { link, channels }: Pick<RemoteMarketsDeps<unknown>, "link" | "channels">,
  message: Exclude<ToTracker, Ask>,
): void {
  link.publish(channels.tracker, messageText(message)).catch(() => undefined);
}
