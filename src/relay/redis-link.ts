import { setTimeout as delay } from "node:timers/promises";
import { createClient, ErrorReply } from "@redis/client";
import { BackOff } from "#src/platform/back-off.ts";
import { chunksOf } from "#src/platform/chunks.ts";
import { FailureLog, type FailureLogger, reasonOf } from "#src/platform/failure-log.ts";
import { Listeners } from "#src/platform/listeners.ts";
import { Poller } from "#src/platform/poller.ts";
import { type RelayLink, RelayUnavailable } from "./relay-link.ts";

const PING_EVERY_MS = 1_000;
/** A frozen server or a cut network never replies: after this time without a reply a command has failed. */
const ANSWER_WITHIN_MS = 1_000;
/** A new connection without a reply for this time is replaced. */
const REPLY_WITHIN_MS = 2_000;
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 1_000;
/** Topics in one command of a new connection. Redis runs nothing else during a command, so the next one waits for its reply. */
const SUBSCRIBED_AT_ONCE = 1_000;
/** Each connection uses these topics once to learn whether the server accepts sharded topics. A cluster stores them on two nodes. */
const PROBE_TOPICS = ["exitability:probe", "exitability:another-probe"];
/** Some messages may be refused while others are published: it is one failure until this long after the last. */
const REFUSAL_ENDS_AFTER_MS = 10_000;
/** Errors of an older server, a user without the permission, or a cluster. After any other error the next attempt may succeed. */
const REFUSED = /^(ERR unknown command|NOPERM|CROSSSLOT)/;

export type RedisLinkOptions = {
  readonly url: string;
  /** 0 up to 1: spreads reconnects. */
  readonly random: () => number;
  readonly log: FailureLogger;
};

type Client = ReturnType<typeof openClient>;
type TopicListener = (text: string) => void;
type Subscriber = { readonly listener: TopicListener; readonly isSharded: boolean };
/** A connection whose server has replied. */
type Session = { readonly client: Client; readonly isSharded: boolean };

/**
 * One connection to Redis that reconnects automatically and never queues: a command that can't be sent now
 * fails now. Each new connection subscribes to all topics of this object. Messages published while there is
 * no connection are lost, so listeners are notified of each restored connection.
 *
 * Commands are sent in the order of the calls, so Redis processes a message that is published after
 * subscribing when the subscription exists.
 *
 * Sharded topics (SSUBSCRIBE, SPUBLISH) need Redis 7 and one server. A server that refuses them gets plain
 * topics instead. All processes must use the same kind, so they need the same server and permissions.
 */
export class RedisLink implements RelayLink {
  readonly #options: RedisLinkOptions;
  readonly #subscribers = new Map<string, Subscriber>();
  readonly #restored = new Listeners<void>();
  readonly #failures: FailureLog;
  /** Commands that a server in reach refuses: out of memory, read-only, or without the permission. */
  readonly #refusals: { readonly publish: FailureLog; readonly evaluate: FailureLog };
  readonly #backOff: BackOff;
  /** A connection that is open but silent is replaced by a new one. */
  readonly #pings: Poller;
  #client: Client;
  #session: Session | null = null;
  /** Timer that runs while a new connection waits for a reply. */
  #replyTimer: NodeJS.Timeout | undefined;
  #reopening: NodeJS.Timeout | null = null;
  #isUp = false;
  #isClosed = false;
  #isRefusalLogged = false;

  constructor(options: RedisLinkOptions) {
    this.#options = options;
    const { url, random, log } = options;
    const context = { host: URL.parse(url)?.host ?? null };
    this.#failures = new FailureLog({
      log,
      what: "reach Redis",
      next: "reconnecting; limits are counted per process and no tracker is reachable until then",
      context,
    });
    const endsAfterMs = REFUSAL_ENDS_AFTER_MS;
    this.#refusals = {
      publish: new FailureLog({
        ...{ log, context, endsAfterMs },
        what: "publish a message through Redis",
        next: "answers of other processes get older until Redis accepts messages",
      }),
      evaluate: new FailureLog({
        ...{ log, context },
        what: "count requests in Redis",
        next: "limits are counted per process until Redis accepts the counts",
      }),
    };
    this.#backOff = new BackOff({ firstMs: FIRST_WAIT_MS, longestMs: LONGEST_WAIT_MS, random });
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

  /** Calls the listener after each connection, including the first, when all topics are subscribed. */
  onRestored(listener: () => void): () => void {
    const remove = this.#restored.add(listener);
    if (this.#isUp) listener();
    return remove;
  }

  /** Subscribes now and after each reconnect. @returns what unsubscribes */
  subscribe(topic: string, listener: TopicListener): () => void {
    return this.#add(topic, { listener, isSharded: false });
  }

  /** As `subscribe`, for messages of `publishSharded`. */
  subscribeSharded(topic: string, listener: TopicListener): () => void {
    return this.#add(topic, { listener, isSharded: true });
  }

  /** Sends to all subscribers of the topic. @throws RelayUnavailable */
  async publish(topic: string, text: string): Promise<void> {
    await this.#command("publish", (client) => client.publish(topic, text));
  }

  /**
   * Sends to all subscribers of a topic that only some processes receive.
   *
   * @returns how many received it; null on plain topics, where subscribers at other nodes may not be counted
   * @throws RelayUnavailable
   */
  async publishSharded(topic: string, text: string): Promise<number | null> {
    if (this.#session?.isSharded)
      return this.#command("publish", (client) => client.sPublish(topic, text));
    await this.publish(topic, text);
    return null;
  }

  /** Runs a script. @throws RelayUnavailable */
  async evaluate(
    script: string,
    options: { readonly keys: readonly string[]; readonly args: readonly string[] },
  ): Promise<unknown> {
    const { keys, args } = options;
    return this.#command("evaluate", (client) =>
      client.eval(script, { keys: [...keys], arguments: [...args] }),
    );
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#pings.stop();
    clearTimeout(this.#replyTimer);
    clearTimeout(this.#reopening ?? undefined);
    this.#client.destroy();
  }

  #add(topic: string, subscriber: Subscriber): () => void {
    this.#subscribers.set(topic, subscriber);
    const { isSharded } = subscriber;
    const session = this.#session;
    if (session !== null) {
      this.#subscribeOn(session, [topic], isSharded).catch((cause: unknown) =>
        this.#lost(session.client, reasonOf(cause)),
      );
    }
    return () => {
      if (this.#subscribers.get(topic) !== subscriber) return;
      this.#subscribers.delete(topic);
      if (this.#session !== null) this.#unsubscribeOn(this.#session, topic, isSharded);
    };
  }

  /** One function for all topics, so that a message reaches only the newest listener of its topic. */
  readonly #deliver = (text: string, topic: string): void =>
    this.#subscribers.get(topic)?.listener(text);

  async #subscribeOn(
    { client, isSharded }: Session,
    topics: string[],
    areSharded: boolean,
  ): Promise<void> {
    if (isSharded && areSharded) await client.sSubscribe(topics, this.#deliver);
    else await client.subscribe(topics, this.#deliver);
  }

  /** Failures are ignored: without a connection there is no subscription to end. */
  #unsubscribeOn({ client, isSharded }: Session, topic: string, isShardedTopic: boolean): void {
    const ended =
      isSharded && isShardedTopic
        ? client.sUnsubscribe(topic, this.#deliver)
        : client.unsubscribe(topic, this.#deliver);
    ended.catch(() => undefined);
  }

  async #command<Answer>(
    kind: "publish" | "evaluate" | "ping",
    command: (client: Client) => Promise<Answer>,
  ): Promise<Answer> {
    const refusals = kind === "ping" ? null : this.#refusals[kind];
    if (!this.#isUp) throw new RelayUnavailable("not connected to Redis");
    const ended = new AbortController();
    const late = delay(ANSWER_WITHIN_MS, null, { signal: ended.signal, ref: false }).then(() => {
      throw new RelayUnavailable(`Redis did not reply within ${ANSWER_WITHIN_MS} ms`);
    });
    try {
      const answer = await Promise.race([command(this.#client), late]);
      refusals?.succeeded();
      return answer;
    } catch (cause) {
      if (cause instanceof RelayUnavailable) throw cause;
      if (cause instanceof ErrorReply) refusals?.failed(cause);
      throw new RelayUnavailable("Redis refused the command or closed the connection", { cause });
    } finally {
      late.catch(() => undefined);
      ended.abort();
    }
  }

  #open(): Client {
    const client = openClient(this.#options.url);
    client.on("error", (error: Error) => this.#lost(client, reasonOf(error)));
    client.on("connect", () => this.#awaitReply(client));
    client.on("ready", () => void this.#greeted(client));
    client.connect().catch((error: unknown) => this.#lost(client, reasonOf(error)));
    return client;
  }

  #isCurrent(client: Client): boolean {
    return client === this.#client && !this.#isClosed && this.#reopening === null;
  }

  async #greeted(client: Client): Promise<void> {
    try {
      const session = { client, isSharded: await this.#acceptsSharded(client) };
      if (!this.#isCurrent(client)) return;
      this.#session = session;
      await this.#subscribeAll(session);
    } catch (cause) {
      this.#lost(client, reasonOf(cause));
    }
    if (!this.#isCurrent(client)) return;
    clearTimeout(this.#replyTimer);
    this.#isUp = true;
    if (this.#failures.failures === 0) this.#options.log.info("connected to Redis");
    this.#restored.emit();
  }

  async #acceptsSharded(client: Client): Promise<boolean> {
    try {
      await Promise.all([
        client.sSubscribe(PROBE_TOPICS, this.#deliver),
        ...PROBE_TOPICS.map((topic) => client.sPublish(topic, "")),
        client.sUnsubscribe(PROBE_TOPICS, this.#deliver),
      ]);
      return true;
    } catch (cause) {
      if (!(cause instanceof ErrorReply) || !REFUSED.test(cause.message)) throw cause;
      const reason = reasonOf(cause);
      if (!this.#isRefusalLogged)
        this.#options.log.info({ reason }, "Redis refuses sharded topics; plain ones are used");
      this.#isRefusalLogged = true;
      return false;
    }
  }

  /** Topics added meanwhile are subscribed by `#add`; topics removed meanwhile are skipped. */
  async #subscribeAll(session: Session): Promise<void> {
    const topics = [...this.#subscribers];
    for (const areSharded of [false, true]) {
      const alike = topics.flatMap(([topic, { isSharded }]) =>
        isSharded === areSharded ? topic : [],
      );
      for (const some of chunksOf(alike, SUBSCRIBED_AT_ONCE)) {
        const left = some.filter((topic) => this.#subscribers.has(topic));
        if (left.length > 0) await this.#subscribeOn(session, left, areSharded);
        this.#awaitReply(session.client);
      }
    }
  }

  #awaitReply(client: Client): void {
    if (!this.#isCurrent(client)) return;
    clearTimeout(this.#replyTimer);
    this.#replyTimer = setTimeout(
      () => this.#replace(client, `no reply within ${REPLY_WITHIN_MS} ms`),
      REPLY_WITHIN_MS,
    );
  }

  /** The connection was closed or refused: opens another one after a while. */
  #lost(client: Client, reason: string): void {
    if (this.#isCurrent(client)) this.#reopen(client, reason, this.#backOff.nextMs());
  }

  /** The connection is open but silent: opens another one, at once if this one has worked for a while. */
  #replace(client: Client, reason: string): void {
    if (!this.#isCurrent(client)) return;
    const { hasLasted } = this.#backOff;
    const waitMs = this.#backOff.nextMs();
    this.#reopen(client, reason, hasLasted ? 0 : waitMs);
  }

  #reopen(client: Client, reason: string, waitMs: number): void {
    clearTimeout(this.#replyTimer);
    this.#isUp = false;
    this.#session = null;
    this.#failures.failed(new Error(reason));
    this.#reopening = setTimeout(() => {
      this.#reopening = null;
      this.#client = this.#open();
    }, waitMs);
    client.destroy();
  }

  /** Only replies show that the connection works: the outage ends, and the waits start again, once they last. */
  async #ping(): Promise<void> {
    if (!this.#isUp) return;
    const client = this.#client;
    try {
      await this.#command("ping", () => client.ping().catch(acceptErrorReply));
    } catch (cause) {
      this.#replace(client, reasonOf(cause));
      return;
    }
    if (!this.#isCurrent(client)) return;
    this.#backOff.succeeded();
    if (this.#backOff.hasLasted) this.#failures.succeeded();
  }
}

/** An error is a reply too. Redis replies so to a ping while it loads its data or cannot save them. */
function acceptErrorReply(cause: unknown): void {
  if (!(cause instanceof ErrorReply)) throw cause;
}

function openClient(url: string) {
  return createClient({
    url,
    RESP: 3,
    disableOfflineQueue: true,
    // RedisLink reconnects: the client would also repeat subscriptions that were being ended, one command each.
    socket: { connectTimeout: 2_000, reconnectStrategy: false },
  });
}
