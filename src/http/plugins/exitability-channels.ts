import type { Profile } from "#src/measure/assessment.ts";
import { mapSome } from "#src/platform/map-some.ts";
import type { Markets } from "#src/track/markets.ts";
import type { Address } from "#src/units/address.ts";
import {
  type ExitabilityBody,
  exitabilityBody,
  type RequestedSize,
} from "#src/wire/exitability.ts";
import { hasMoved } from "#src/wire/exitability-change.ts";
import type { Language } from "#src/wire/notice.ts";

/** Tokens that are streamed count as asked for. */
const LOOK_EVERY_MS = 10_000;
/** Whoever measures tells of each token about every ten seconds: one it is silent about ages by a look. */
const SILENT_MS = 20_000;
/** Tokens that had no answer are loaded so many at a time, and leave room for whoever asks. */
const SOUGHT_AT_ONCE = 4;
/** A question that nobody follows is remembered so long, for readers who come back. */
const REMEMBERED_MS = 300_000;

export type ChannelQuestion = {
  readonly mint: Address;
  readonly profile: Profile;
  readonly size: RequestedSize;
  readonly language: Language;
};

export type Channel = {
  readonly question: ChannelQuestion;
  /** Null: it had no answer yet. */
  readonly body: ExitabilityBody | null;
  /** The event at which what it says last became what it is now, its time apart. */
  readonly changedAt: number;
};

type OpenChannel = {
  readonly question: ChannelQuestion;
  body: ExitabilityBody | null;
  changedAt: number;
  readonly followers: Set<(channel: Channel) => void>;
  leftAtMs: number;
};

/** The channels of one token. */
type OpenToken = {
  readonly channels: Map<string, OpenChannel>;
  /** When an answer about it was last told. */
  toldAtMs: number;
  /** Whether it is to be loaded: it could not be when somebody began to follow it. */
  isSought: boolean;
};

type Snapshot = Parameters<Parameters<Markets["onSnapshot"]>[0]>[0];

export type ChannelMarkets = Pick<Markets, "latest" | "touch" | "snapshot" | "onSnapshot">;

/**
 * One answer for each question that somebody follows, made once however many follow it, and numbered
 * through by its changes, so that a reader who comes back is told only what changed meanwhile.
 */
export class ExitabilityChannels {
  readonly #markets: ChannelMarkets;
  readonly #nowMs: () => number;
  readonly #byMint = new Map<Address, OpenToken>();
  #events = 0;
  #isSeeking = false;
  #stop: (() => void) | null = null;

  constructor(markets: ChannelMarkets, nowMs: () => number) {
    this.#markets = markets;
    this.#nowMs = nowMs;
  }

  /** The number of the newest change anywhere. */
  get events(): number {
    return this.#events;
  }

  /**
   * Tells `onNews` of each new answer from now on; the first one too, where there is none yet. A
   * token that `isSought` is loaded as soon as it can be.
   */
  follow(
    question: ChannelQuestion,
    onNews: (channel: Channel) => void,
    { isSought = false }: { readonly isSought?: boolean } = {},
  ): { readonly channel: Channel; readonly stop: () => void } {
    this.#start();
    const { mint, profile, size, language } = question;
    const token = this.#byMint.get(mint) ?? { channels: new Map(), toldAtMs: 0, isSought };
    this.#byMint.set(mint, token);
    token.isSought ||= isSought;
    const { channels } = token;
    const key = `${profile} ${size.requested} ${language}`;
    const fresh = { question, body: null, changedAt: 0, followers: new Set<never>(), leftAtMs: 0 };
    const channel: OpenChannel = channels.get(key) ?? fresh;
    channels.set(key, channel);
    channel.followers.add(onNews);
    this.#look(mint);
    const stop = () => {
      channel.followers.delete(onNews);
      channel.leftAtMs = this.#nowMs();
    };
    return { channel, stop };
  }

  close(): void {
    this.#stop?.();
    this.#stop = null;
    this.#byMint.clear();
  }

  #start(): void {
    if (this.#stop !== null) return;
    const stop = this.#markets.onSnapshot((snapshot) => this.#publish(snapshot));
    const timer = setInterval(() => this.#lookAround(), LOOK_EVERY_MS);
    timer.unref();
    this.#stop = () => {
      clearInterval(timer);
      stop();
    };
  }

  #lookAround(): void {
    const nowMs = this.#nowMs();
    for (const [mint, { channels, toldAtMs }] of this.#byMint) {
      const isHeld = this.#markets.touch(mint);
      if (isHeld && nowMs - toldAtMs > SILENT_MS) this.#look(mint);
      for (const [key, { followers, leftAtMs }] of channels) {
        if (followers.size === 0 && nowMs - leftAtMs > REMEMBERED_MS) channels.delete(key);
      }
      if (channels.size === 0) this.#byMint.delete(mint);
    }
    void this.#seek();
  }

  /** Loads what could not be loaded before; what still can't be is sought again at the next look. */
  async #seek(): Promise<void> {
    const mints = [...this.#byMint].flatMap(([mint, { isSought }]) => (isSought ? mint : []));
    if (this.#isSeeking || mints.length === 0) return;
    this.#isSeeking = true;
    await mapSome(mints, SOUGHT_AT_ONCE, (mint) => this.#load(mint));
    this.#isSeeking = false;
  }

  async #load(mint: Address): Promise<void> {
    const found = await this.#markets.snapshot(mint).catch(() => null);
    const token = this.#byMint.get(mint);
    if (token === undefined) return;
    // A search that found nothing is not repeated: the token is told of once somebody finds it.
    if (found?.kind === "not-found") token.isSought = false;
    if (found?.kind === "assessed") this.#publish(found);
  }

  #look(mint: Address): void {
    const latest = this.#markets.latest(mint);
    if (latest?.kind === "assessed") this.#publish(latest);
  }

  #publish({ assessment, trend, isDeteriorating }: Snapshot): void {
    const token = this.#byMint.get(assessment.mint);
    if (token === undefined) return;
    token.toldAtMs = this.#nowMs();
    token.isSought = false;
    for (const channel of token.channels.values()) {
      const body = exitabilityBody({ assessment, trend, isDeteriorating, ...channel.question });
      if (channel.body === null || hasMoved(channel.body, body, 0)) {
        channel.changedAt = ++this.#events;
      }
      const isNews =
        channel.body?.updated_at !== body.updated_at || channel.changedAt === this.#events;
      channel.body = body;
      if (isNews) for (const onNews of channel.followers) onNews(channel);
    }
  }
}
