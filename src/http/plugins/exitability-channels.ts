import type { Profile } from "#src/measure/assessment.ts";
import type { Markets } from "#src/track/markets.ts";
import type { Address } from "#src/units/address.ts";
import {
  type ExitabilityBody,
  exitabilityBody,
  type RequestedSize,
} from "#src/wire/exitability.ts";
import { hasMoved } from "#src/wire/exitability-change.ts";
import type { Language } from "#src/wire/notice.ts";

/** Tokens that are streamed count as asked for, and age even where nothing happens in their pools. */
const LOOK_EVERY_MS = 10_000;
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

type Snapshot = Parameters<Parameters<Markets["onSnapshot"]>[0]>[0];

/**
 * One answer for each question that somebody follows, made once however many follow it, and numbered
 * through by its changes, so that a reader who comes back is told only what changed meanwhile.
 */
export class ExitabilityChannels {
  readonly #markets: Pick<Markets, "latest" | "onSnapshot">;
  readonly #nowMs: () => number;
  readonly #byMint = new Map<Address, Map<string, OpenChannel>>();
  #events = 0;
  #stop: (() => void) | null = null;

  constructor(markets: Pick<Markets, "latest" | "onSnapshot">, nowMs: () => number) {
    this.#markets = markets;
    this.#nowMs = nowMs;
  }

  /** The number of the newest change anywhere. */
  get events(): number {
    return this.#events;
  }

  /** Tells `onNews` of each new answer from now on. */
  follow(
    question: ChannelQuestion,
    onNews: (channel: Channel) => void,
  ): { readonly channel: Channel; readonly stop: () => void } {
    this.#start();
    const { mint, profile, size, language } = question;
    const channels = this.#byMint.get(mint) ?? new Map<string, OpenChannel>();
    this.#byMint.set(mint, channels);
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
    for (const [mint, channels] of this.#byMint) {
      this.#look(mint);
      for (const [key, { followers, leftAtMs }] of channels) {
        if (followers.size === 0 && this.#nowMs() - leftAtMs > REMEMBERED_MS) channels.delete(key);
      }
      if (channels.size === 0) this.#byMint.delete(mint);
    }
  }

  #look(mint: Address): void {
    const latest = this.#markets.latest(mint);
    if (latest?.kind === "assessed") this.#publish(latest);
  }

  #publish({ assessment, trend, isDeteriorating }: Snapshot): void {
    const channels = this.#byMint.get(assessment.mint);
    if (channels === undefined) return;
    for (const channel of channels.values()) {
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
