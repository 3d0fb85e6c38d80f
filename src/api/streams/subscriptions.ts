import type { WallClock } from "#src/platform/clock.ts";
import { FailureLog, type FailureLogger } from "#src/platform/failure-log.ts";
import { mapSome } from "#src/platform/map-some.ts";
import type { MarketSnapshot } from "#src/track/market-snapshot.ts";
import type { Markets } from "#src/track/markets.ts";
import type { Address } from "#src/units/address.ts";
import { type ExitabilityBody, exitabilityBody } from "../measuring/exitability-body.ts";
import { isNewer } from "./exitability-change.ts";
import type { ManyQuestion } from "./token-outcome.ts";

/** Interval in which each streamed token is marked as asked for. */
const ROUND_EVERY_MS = 10_000;
/** The tokens of a round are checked in so many parts: ten thousand at once block the event loop for half a second. */
const PARTS_PER_ROUND = 100;
/** The tracker publishes each token about every 10 s. After this time without news, it is re-read so that its age is updated. */
const SILENT_MS = 20_000;
/** Parallel loads of tokens that are not held; more would delay other requests. */
const LOADS_AT_ONCE = 4;
/** After so many failures in one round the node or the tracker is probably away: the others wait for the next round. */
const MOST_FAILURES = 20;

export type SubscribedQuestion = ManyQuestion & { readonly mint: Address };

export type StreamSubscription = {
  readonly question: SubscribedQuestion;
  /** Null: no answer yet. */
  readonly body: ExitabilityBody | null;
};

type OpenSubscription = {
  readonly question: SubscribedQuestion;
  body: ExitabilityBody | null;
  readonly followers: Set<(subscription: StreamSubscription) => void>;
};

/** The subscriptions to one token. */
type OpenToken = {
  readonly subscriptions: Map<string, OpenSubscription>;
  /** The newest follower's: its load takes that caller's turn. */
  asker: string;
  /** When an answer was last published. */
  publishedAtMs: number;
  /** Whether the last search found nothing. It is not repeated: an answer is published once the token is found. */
  isMissing: boolean;
};

type Snapshot = Parameters<Parameters<Markets["onSnapshot"]>[0]>[0];

export type StreamMarkets = Pick<Markets, "latest" | "touch" | "snapshot" | "onSnapshot">;

export type SubscriptionsDeps = {
  readonly markets: StreamMarkets;
  readonly clock: WallClock;
  readonly log: FailureLogger;
};

/** One answer for each subscribed question, computed once for all its followers. */
export class Subscriptions {
  readonly #markets: StreamMarkets;
  readonly #clock: WallClock;
  readonly #failures: FailureLog;
  readonly #byMint = new Map<Address, OpenToken>();
  /** Tokens to load because they are not held, in the order of their turns. */
  readonly #wanted = new Set<Address>();
  #isLoading = false;
  #stop: (() => void) | null = null;
  #part = 0;
  #round: IteratorObject<[Address, OpenToken]> = Iterator.from([]);

  constructor({ markets, clock, log }: SubscriptionsDeps) {
    this.#markets = markets;
    this.#clock = clock;
    const next = "other answers are published, and the next one of this token";
    this.#failures = new FailureLog({ log, what: "publish an answer to followers", next });
  }

  /**
   * Calls `onNews` with each new answer from now on, and with the first one if there is none yet. A
   * token without a live answer is loaded with the next round, unless it `isMissing`.
   */
  follow(
    question: SubscribedQuestion,
    onNews: (subscription: StreamSubscription) => void,
    {
      asker = "",
      isMissing = false,
    }: { readonly asker?: string; readonly isMissing?: boolean } = {},
  ): { readonly subscription: StreamSubscription; readonly stop: () => void } {
    this.#start();
    const { mint } = question;
    const token = this.#byMint.get(mint) ?? {
      subscriptions: new Map(),
      asker,
      publishedAtMs: 0,
      isMissing,
    };
    this.#byMint.set(mint, token);
    token.asker = asker;
    token.isMissing = isMissing;
    const { subscriptions } = token;
    const key = questionKey(question);
    const fresh = { question, body: null, followers: new Set<never>() };
    const subscription: OpenSubscription = subscriptions.get(key) ?? fresh;
    subscriptions.set(key, subscription);
    subscription.followers.add(onNews);
    if (this.#publishLatest(mint) === null && !token.isMissing) this.#wanted.add(mint);
    return { subscription, stop: () => void subscription.followers.delete(onNews) };
  }

  close(): void {
    this.#stop?.();
    this.#stop = null;
    this.#byMint.clear();
    this.#wanted.clear();
  }

  #start(): void {
    if (this.#stop !== null) return;
    const stop = this.#markets.onSnapshot((snapshot) => this.#publish(snapshot));
    const timer = setInterval(() => this.#checkPart(), ROUND_EVERY_MS / PARTS_PER_ROUND);
    timer.unref();
    this.#stop = () => {
      clearInterval(timer);
      stop();
    };
  }

  /** The first part of a round is due ten seconds after the start. */
  #checkPart(): void {
    this.#part = (this.#part + 1) % PARTS_PER_ROUND;
    if (this.#part === 0) {
      this.#round = this.#byMint.entries();
      void this.#loadWanted();
    }
    const nowMs = this.#clock.nowMs();
    const visits = Math.ceil(this.#byMint.size / PARTS_PER_ROUND);
    for (const [mint, token] of this.#round.take(visits)) this.#check(mint, token, nowMs);
  }

  #check(mint: Address, token: OpenToken, nowMs: number): void {
    const { subscriptions, publishedAtMs, isMissing } = token;
    const isHeld = this.#markets.touch(mint);
    if (isHeld && nowMs - publishedAtMs > SILENT_MS) this.#publishLatest(mint);
    // Its last answer is a stored one, and nothing newer is published of a token that is not held.
    if (!isHeld && !isMissing) this.#wanted.add(mint);
    for (const [key, { followers }] of subscriptions) {
      if (followers.size === 0) subscriptions.delete(key);
    }
    if (subscriptions.size > 0) return;
    this.#byMint.delete(mint);
    this.#wanted.delete(mint);
  }

  /** Loads tokens that are not held; failures are retried in the next round, behind the others. */
  async #loadWanted(): Promise<void> {
    if (this.#isLoading || this.#wanted.size === 0) return;
    this.#isLoading = true;
    let failures = 0;
    await mapSome([...this.#wanted], LOADS_AT_ONCE, async (mint) => {
      if (failures >= MOST_FAILURES || !this.#wanted.has(mint)) return;
      const isDone = await this.#load(mint).catch((cause: unknown) => {
        this.#failures.failed(cause, { mint });
        return false;
      });
      this.#wanted.delete(mint);
      if (isDone) return;
      failures++;
      if (this.#byMint.has(mint)) this.#wanted.add(mint);
    });
    this.#isLoading = false;
  }

  /** @returns whether the token needs no further load */
  async #load(mint: Address): Promise<boolean> {
    const asker = this.#byMint.get(mint)?.asker ?? "";
    const found = await this.#markets.snapshot(mint, asker).catch(() => null);
    const token = this.#byMint.get(mint);
    if (token === undefined) return true;
    token.isMissing = found?.kind === "not-found";
    if (found?.kind !== "assessed") return token.isMissing;
    this.#publish(found);
    // A stored answer leaves the token as it was: not held.
    return this.#markets.touch(mint);
  }

  #publishLatest(mint: Address): MarketSnapshot | null {
    const latest = this.#markets.latest(mint);
    if (latest?.kind === "assessed") this.#publish(latest);
    return latest;
  }

  #publish(snapshot: Snapshot): void {
    const { mint } = snapshot.assessment;
    const token = this.#byMint.get(mint);
    if (token === undefined) return;
    token.publishedAtMs = this.#clock.nowMs();
    token.isMissing = false;
    this.#wanted.delete(mint);
    for (const subscription of token.subscriptions.values()) {
      const body = exitabilityBody({ ...snapshot, ...subscription.question });
      const { body: earlier } = subscription;
      subscription.body = body;
      if (earlier === null || isNewer(earlier, body))
        for (const onNews of subscription.followers) this.#notify(onNews, subscription);
    }
  }

  /** A bug of ours in one follower stops neither the other followers nor the loads. */
  #notify(onNews: (news: StreamSubscription) => void, subscription: StreamSubscription): void {
    try {
      onNews(subscription);
    } catch (cause) {
      this.#failures.failed(cause, { mint: subscription.question.mint });
    }
  }
}

/** Streams with the same key send the same answer for each token. */
export function questionKey({ profile, size, language }: ManyQuestion): string {
  return `${profile} ${size.requested} ${size.used} ${language}`;
}
