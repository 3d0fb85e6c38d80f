import { setTimeout as delay } from "node:timers/promises";
import { createClient } from "@redis/client";
import { backOffMs } from "#src/platform/back-off.ts";
import { FailureLog, type FailureLogger, reasonOf } from "#src/platform/failure-log.ts";
import { Listeners } from "#src/platform/listeners.ts";
import { Poller } from "#src/platform/poller.ts";

const PING_EVERY_MS = 1_000;
/** A frozen server or a cut network never replies: a command without a reply for so long has failed. */
const ANSWER_WITHIN_MS = 1_000;
/** A connection without a greeting for so long is replaced. */
const GREET_WITHIN_MS = 2_000;
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 1_000;

export type RedisLinkOptions = {
  readonly url: string;
  /** 0 up to 1: spreads reconnects. */
  readonly random: () => number;
  readonly log: FailureLogger;
};

/** Redis is not reachable now. */
export class RedisUnavailable extends Error {}

type Client = ReturnType<typeof openClient>;
type TopicListener = (text: string) => void;

/**
 * One connection to Redis that reconnects automatically and never queues: a command that can't be sent now
 * fails now. Subscriptions are made again after every reconnect. Messages published meanwhile are lost, so
 * subscribers are notified of each restored connection.
 */
export class RedisLink {
  readonly #options: RedisLinkOptions;
  readonly #subscriptions = new Map<string, TopicListener>();
  readonly #restored = new Listeners<void>();
  readonly #failures: FailureLog;
  /** A connection that is open but silent is replaced by a new one. */
  readonly #pings: Poller;
  #client: Client;
  /** Runs between the TCP connection and the server's greeting. */
  #greeting: NodeJS.Timeout | undefined;
  #isUp = false;
  #isClosed = false;

  constructor(options: RedisLinkOptions) {
    this.#options = options;
    this.#failures = new FailureLog({
      log: options.log,
      what: "reach Redis",
      next: "reconnecting; limits are counted per process and no tracker is reachable until then",
      context: { host: URL.parse(options.url)?.host ?? null },
    });
    this.#client = this.#open();
    const run = () => this.#ping();
    const failures = null;
    this.#pings = new Poller({ run, everyMs: PING_EVERY_MS, failures, keepsProcessAlive: true });
    this.#pings.start();
  }

  /** Whether commands can be sent now. */
  get isUp(): boolean {
    return this.#isUp;
  }

  /** Calls the listener after each connection, including the first. */
  onRestored(listener: () => void): () => void {
    const remove = this.#restored.add(listener);
    if (this.#isUp) listener();
    return remove;
  }

  /** Subscribes now and after each reconnect. @returns what unsubscribes */
  subscribe(topic: string, listener: TopicListener): () => void {
    this.#subscriptions.set(topic, listener);
    if (this.#isUp) void this.#subscribeOn(this.#client, topic, listener);
    return () => {
      if (!this.#subscriptions.delete(topic) || !this.#isUp) return;
      this.#client.unsubscribe(topic).catch(() => undefined);
    };
  }

  /** Sends to all subscribers of the topic. @throws RedisUnavailable */
  async publish(topic: string, text: string): Promise<void> {
    await this.#command((client) => client.publish(topic, text));
  }

  /** Runs a script. @throws RedisUnavailable */
  async evaluate(
    script: string,
    options: { readonly keys: readonly string[]; readonly args: readonly string[] },
  ): Promise<unknown> {
    const { keys, args } = options;
    return this.#command((client) =>
      client.eval(script, { keys: [...keys], arguments: [...args] }),
    );
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#pings.stop();
    clearTimeout(this.#greeting);
    this.#client.destroy();
  }

  async #command<Answer>(command: (client: Client) => Promise<Answer>): Promise<Answer> {
    if (!this.#isUp) throw new RedisUnavailable("not connected to Redis");
    const ended = new AbortController();
    const late = delay(ANSWER_WITHIN_MS, null, { signal: ended.signal, ref: false }).then(() => {
      throw new RedisUnavailable(`Redis did not reply within ${ANSWER_WITHIN_MS} ms`);
    });
    try {
      return await Promise.race([command(this.#client), late]);
    } catch (cause) {
      if (cause instanceof RedisUnavailable) throw cause;
      throw new RedisUnavailable("Redis refused the command or closed the connection", { cause });
    } finally {
      late.catch(() => undefined);
      ended.abort();
    }
  }

  #open(): Client {
    const { url, random } = this.#options;
    const client = openClient(url, random);
    const isCurrent = () => client === this.#client && !this.#isClosed;
    client.on("error", (error: Error) => {
      if (isCurrent()) this.#down(reasonOf(error));
    });
    client.on("reconnecting", () => {
      if (isCurrent()) this.#down("the connection was closed");
    });
    client.on("connect", () => {
      clearTimeout(this.#greeting);
      if (isCurrent())
        this.#greeting = setTimeout(
          () => this.#replace(client, `no greeting within ${GREET_WITHIN_MS} ms`),
          GREET_WITHIN_MS,
        );
    });
    client.on("ready", () => void this.#up(client));
    client.connect().catch((error: unknown) => {
      if (isCurrent()) this.#down(reasonOf(error));
    });
    return client;
  }

  async #up(client: Client): Promise<void> {
    // The client repeats its own subscriptions, but not those added while it was disconnected.
    for (const [topic, listener] of this.#subscriptions)
      await this.#subscribeOn(client, topic, listener);
    if (client !== this.#client || this.#isClosed || !client.isReady) return;
    clearTimeout(this.#greeting);
    this.#isUp = true;
    if (this.#failures.failures > 0) this.#failures.succeeded();
    else this.#options.log.info("connected to Redis");
    this.#restored.emit();
  }

  async #subscribeOn(client: Client, topic: string, listener: TopicListener): Promise<void> {
    // Subscribing the same listener again changes nothing.
    await client.subscribe(topic, listener).catch(() => undefined);
  }

  #down(reason: string): void {
    clearTimeout(this.#greeting);
    if (this.#isClosed) return;
    this.#isUp = false;
    this.#failures.failed(new Error(reason));
  }

  async #ping(): Promise<void> {
    if (!this.#isUp) return;
    const client = this.#client;
    try {
      await this.#command(() => client.ping());
    } catch {
      this.#replace(client, `no reply to a ping within ${ANSWER_WITHIN_MS} ms`);
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
        backOffMs({ firstMs: FIRST_WAIT_MS, longestMs: LONGEST_WAIT_MS, random }, retries + 1),
    },
  });
}
