import { setTimeout as delay } from "node:timers/promises";
import { createClient } from "@redis/client";
import type { BaseLogger } from "pino";

const PING_EVERY_MS = 1_000;
/** An answer that takes longer does not come: a frozen server and a cut network say nothing. */
const ANSWER_WITHIN_MS = 1_000;
/** A server that took the connection and then says nothing is frozen, or behind a wall: asked anew. */
const GREET_WITHIN_MS = 2_000;
const LONGEST_WAIT_MS = 1_000;

export type RedisLinkOptions = {
  readonly url: string;
  /** 0 up to 1: spreads reconnects. */
  readonly random: () => number;
  readonly log: Pick<BaseLogger, "warn" | "info">;
};

/** Redis can't be asked now. */
export class RedisUnavailable extends Error {}

type Client = ReturnType<typeof openClient>;
type Listener = (text: string) => void;

/**
 * One connection to Redis that comes back by itself and never keeps a caller waiting: what can't be
 * sent now is refused now. Subscriptions stand again after every reconnect; what was published
 * meanwhile is lost, which is why whoever listens is told of each restoration.
 */
export class RedisLink {
  readonly #options: RedisLinkOptions;
  readonly #channels = new Map<string, Listener>();
  readonly #restored = new Set<() => void>();
  #client: Client;
  #pinging: NodeJS.Timeout;
  /** Runs while the server has taken a connection and not greeted yet. */
  #greeting: NodeJS.Timeout | undefined;
  #isUp = false;
  #isClosed = false;

  constructor(options: RedisLinkOptions) {
    this.#options = options;
    this.#client = this.#open();
    this.#pinging = setInterval(() => void this.#ping(), PING_EVERY_MS);
  }

  /** Called after each connection is made, the first included. */
  onRestored(listener: () => void): () => void {
    this.#restored.add(listener);
    if (this.#isUp) listener();
    return () => this.#restored.delete(listener);
  }

  /** Hears the channel from now on, and again after each reconnect. Returns what ends it. */
  subscribe(channel: string, listener: Listener): () => void {
    this.#channels.set(channel, listener);
    if (this.#isUp) void this.#listen(this.#client, channel, listener);
    return () => {
      if (!this.#channels.delete(channel) || !this.#isUp) return;
      this.#client.unsubscribe(channel).catch(() => undefined);
    };
  }

  /** Sends to whoever hears the channel. @throws RedisUnavailable */
  async publish(channel: string, text: string): Promise<void> {
    await this.#ask((client) => client.publish(channel, text));
  }

  /** Runs a script. @throws RedisUnavailable */
  async evaluate(
    script: string,
    options: { readonly keys: readonly string[]; readonly args: readonly string[] },
  ): Promise<unknown> {
    const { keys, args } = options;
    return this.#ask((client) => client.eval(script, { keys: [...keys], arguments: [...args] }));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#pinging);
    clearTimeout(this.#greeting);
    this.#client.destroy();
  }

  async #ask<Answer>(question: (client: Client) => Promise<Answer>): Promise<Answer> {
    if (!this.#isUp) throw new RedisUnavailable("there is no connection to Redis");
    const ended = new AbortController();
    const late = delay(ANSWER_WITHIN_MS, null, { signal: ended.signal, ref: false }).then(() => {
      throw new RedisUnavailable("Redis did not answer in time");
    });
    try {
      return await Promise.race([question(this.#client), late]);
    } catch (cause) {
      if (cause instanceof RedisUnavailable) throw cause;
      throw new RedisUnavailable("Redis refused or broke off", { cause });
    } finally {
      late.catch(() => undefined);
      ended.abort();
    }
  }

  #open(): Client {
    const { url, random, log } = this.#options;
    const client = openClient(url, random);
    const isCurrent = () => client === this.#client && !this.#isClosed;
    client.on("error", (error: Error) => {
      if (isCurrent()) this.#down(error.message);
    });
    client.on("reconnecting", () => {
      if (isCurrent()) this.#down("closed");
    });
    client.on("connect", () => {
      clearTimeout(this.#greeting);
      if (isCurrent())
        this.#greeting = setTimeout(() => this.#replace(client, "no greeting"), GREET_WITHIN_MS);
    });
    client.on("ready", () => void this.#up(client));
    client.connect().catch((error: unknown) => {
      if (isCurrent()) log.warn({ err: error }, "Redis can't be reached");
    });
    return client;
  }

  async #up(client: Client): Promise<void> {
    // The client subscribes again by itself; what was wanted while it was away is new to it.
    for (const [channel, listener] of this.#channels) await this.#listen(client, channel, listener);
    if (client !== this.#client || this.#isClosed || !client.isReady) return;
    clearTimeout(this.#greeting);
    this.#isUp = true;
    this.#options.log.info("connected to Redis");
    for (const listener of this.#restored) listener();
  }

  async #listen(client: Client, channel: string, listener: Listener): Promise<void> {
    // The same listener twice is one: subscribing again changes nothing.
    await client.subscribe(channel, listener).catch(() => undefined);
  }

  #down(reason: string): void {
    clearTimeout(this.#greeting);
    if (!this.#isUp || this.#isClosed) return;
    this.#isUp = false;
    this.#options.log.warn({ reason }, "the connection to Redis is lost");
  }

  /** A connection that is open and silent is left for a new one. */
  async #ping(): Promise<void> {
    if (!this.#isUp) return;
    const client = this.#client;
    try {
      await this.#ask(() => client.ping());
    } catch {
      this.#replace(client, "silent");
    }
  }

  #replace(client: Client, reason: string): void {
    if (client !== this.#client || this.#isClosed) return;
    this.#down(reason);
    this.#client = this.#open();
    client.destroy();
  }
}

function openClient(url: string, random: () => number) {
  return createClient({
    url,
    RESP: 3,
    disableOfflineQueue: true,
    socket: {
      connectTimeout: 2_000,
      reconnectStrategy: (retries) =>
        Math.min(LONGEST_WAIT_MS, 50 * 2 ** Math.min(retries, 6)) * (0.5 + 0.5 * random()),
    },
  });
}
