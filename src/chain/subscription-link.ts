import { WebSocket } from "ws";
import type { NowMs } from "#src/platform/clock.ts";
import type { ChainLogger } from "./chain-logger.ts";
import { isRecord } from "./json-rpc-client.ts";
import { isWholeNumber } from "./rpc-answers.ts";

export type LinkTiming = {
  /** A link that has told of no slot for so long is taken for dead. */
  readonly silentAfterMs: number;
  /** The wait before reconnecting is this times 2^(failures), half of it random, up to the longest. */
  readonly firstWaitMs: number;
  readonly longestWaitMs: number;
  /** Subscriptions confirmed within so long of each other are announced together. */
  readonly settleMs: number;
};

export const DEFAULT_LINK_TIMING: LinkTiming = {
  silentAfterMs: 10_000,
  firstWaitMs: 250,
  longestWaitMs: 15_000,
  settleMs: 25,
};

export type LinkOptions = {
  readonly url: string;
  readonly nowMs: NowMs;
  readonly random: () => number;
  readonly logger: ChainLogger | null;
  readonly timing: LinkTiming;
};

/** One subscription that should stand whenever the link does. */
export type WantedSubscription = {
  /** "account", "program" or "logs": the node's methods are called after it. */
  readonly kind: "account" | "program" | "logs";
  readonly params: readonly unknown[];
  /** The notification's `result`, as it came. */
  readonly onResult: (result: unknown) => void;
  /** It stands for the first time: what happened before was not told of. */
  readonly onStanding: () => void;
};

export type SubscriptionLink = {
  readonly want: (wanted: WantedSubscription) => void;
  readonly drop: (wanted: WantedSubscription) => void;
  /** Returns what stops the listening. */
  readonly listen: (listener: LinkListener) => () => void;
  readonly close: () => Promise<void>;
};

export type LinkListener = {
  readonly onSlot: (slot: bigint) => void;
  /** After a reconnect all that is wanted stands again; nothing was told since `sinceSlot` (null: unknown). */
  readonly onRestored: (sinceSlot: bigint | null) => void;
};

type Entry = { readonly wanted: WantedSubscription; serverId: number | null; hasStood: boolean };

type Question = { readonly entry: Entry | null; readonly askedAtMs: number };

/** Subscriptions asked for and not answered yet, at a time: nodes limit the rate of requests. */
const MAX_UNANSWERED = 128;
/** Slots are told of when processed, accounts when confirmed: a few slots later. */
const CONFIRMATION_LAG = 8n;
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
const HANDSHAKE_TIMEOUT_MS = 8_000;

/**
 * One WebSocket to a node, opened with the first subscription wanted. It reconnects by itself with
 * growing waits, asks for every wanted subscription again, and takes a link that tells of no new
 * slots for dead, open or not. Messages are handled as they arrive; nothing is queued here.
 */
export function createSubscriptionLink(options: LinkOptions): SubscriptionLink {
  return new Link(options);
}

class Link implements SubscriptionLink {
  readonly #options: LinkOptions;
  readonly #entries = new Map<WantedSubscription, Entry>();
  readonly #unasked = new Set<Entry>();
  readonly #asked = new Map<number, Question>();
  readonly #standing = new Map<number, Entry>();
  readonly #listeners = new Set<LinkListener>();
  #socket: WebSocket | null = null;
  #slotSubscription: number | null = null;
  #lastRequestId = 0;
  #lastSlot: bigint | null = null;
  /** Set from the loss of a link that had stood until all stands again. */
  #gap: { readonly sinceSlot: bigint | null } | null = null;
  #aliveAtMs = 0;
  #hasSlots = true;
  #failures = 0;
  #reconnectTimer: NodeJS.Timeout | null = null;
  #watchdog: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  readonly want = (wanted: WantedSubscription): void => {
    if (this.#isClosed || this.#entries.has(wanted)) return;
    const entry: Entry = { wanted, serverId: null, hasStood: false };
    this.#entries.set(wanted, entry);
    this.#unasked.add(entry);
    if (this.#socket === null && this.#reconnectTimer === null) this.#connect();
    else this.#askMore();
  };

  readonly drop = (wanted: WantedSubscription): void => {
    const entry = this.#entries.get(wanted);
    if (entry === undefined) return;
    this.#entries.delete(wanted);
    this.#unasked.delete(entry);
    if (entry.serverId === null) return;
    this.#standing.delete(entry.serverId);
    this.#send(`${wanted.kind}Unsubscribe`, [entry.serverId]);
  };

  readonly listen = (listener: LinkListener): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly close = async (): Promise<void> => {
    this.#isClosed = true;
    if (this.#reconnectTimer !== null) clearTimeout(this.#reconnectTimer);
    this.#entries.clear();
    this.#listeners.clear();
    const socket = this.#socket;
    this.#forgetSocket();
    if (socket === null || socket.readyState === WebSocket.CLOSED) return;
    const closed = new Promise((resolve) => socket.once("close", resolve));
    socket.terminate();
    await closed;
  };

  #connect(): void {
    this.#reconnectTimer = null;
    const socket = new WebSocket(this.#options.url, {
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
      maxPayload: MAX_MESSAGE_BYTES,
      perMessageDeflate: false,
    });
    this.#socket = socket;
    socket.on("open", () => this.#start(socket));
    socket.on("message", (data) => {
      if (socket === this.#socket) this.#receive(String(data));
    });
    // "close" follows and does the work; without a listener the event would end the process.
    socket.on("error", (error) => {
      this.#options.logger?.debug({ reason: error.message }, "subscription link failed");
    });
    socket.on("close", () => {
      if (socket === this.#socket) this.#reconnectLater("closed");
    });
  }

  #start(socket: WebSocket): void {
    if (socket !== this.#socket) return;
    this.#aliveAtMs = this.#options.nowMs();
    this.#hasSlots = true;
    const { silentAfterMs } = this.#options.timing;
    this.#watchdog = setInterval(() => this.#checkAlive(silentAfterMs), silentAfterMs / 4);
    this.#ask("slotSubscribe", [], null);
    for (const entry of this.#entries.values()) this.#unasked.add(entry);
    this.#askMore();
  }

  /** Slots must keep coming, and questions must be answered: an open socket alone proves nothing. */
  #checkAlive(silentAfterMs: number): void {
    const now = this.#options.nowMs();
    const [oldest] = this.#asked.values();
    const isUnanswered = oldest !== undefined && now - oldest.askedAtMs > silentAfterMs;
    if (isUnanswered || now - this.#aliveAtMs > silentAfterMs) this.#reconnectLater("silent");
  }

  #reconnectLater(reason: "closed" | "silent"): void {
    const { timing, random, logger } = this.#options;
    const socket = this.#socket;
    if (this.#standing.size > 0) {
      const sinceSlot = this.#lastSlot === null ? null : this.#lastSlot - CONFIRMATION_LAG;
      this.#gap ??= { sinceSlot };
    }
    this.#forgetSocket();
    socket?.terminate();
    if (this.#isClosed) return;
    const grown = Math.min(timing.firstWaitMs * 2 ** this.#failures, timing.longestWaitMs);
    const waitMs = grown * (0.5 + 0.5 * random());
    this.#failures++;
    logger?.warn({ reason, waitMs: Math.round(waitMs) }, "subscription link lost; reconnecting");
    this.#reconnectTimer = setTimeout(() => this.#connect(), waitMs);
  }

  #forgetSocket(): void {
    this.#socket = null;
    this.#slotSubscription = null;
    if (this.#watchdog !== null) clearInterval(this.#watchdog);
    this.#watchdog = null;
    this.#asked.clear();
    this.#standing.clear();
    this.#unasked.clear();
    for (const entry of this.#entries.values()) entry.serverId = null;
  }

  #askMore(): void {
    if (this.#socket?.readyState !== WebSocket.OPEN) return;
    for (const entry of this.#unasked) {
      if (this.#asked.size >= MAX_UNANSWERED) return;
      this.#unasked.delete(entry);
      this.#ask(`${entry.wanted.kind}Subscribe`, entry.wanted.params, entry);
    }
  }

  #ask(method: string, params: readonly unknown[], entry: Entry | null): void {
    const id = this.#send(method, params);
    this.#asked.set(id, { entry, askedAtMs: this.#options.nowMs() });
  }

  #send(method: string, params: readonly unknown[]): number {
    const id = ++this.#lastRequestId;
    if (this.#socket?.readyState === WebSocket.OPEN) {
      this.#socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    }
    return id;
  }

  #receive(text: string): void {
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      this.#options.logger?.debug({}, "a message that is no JSON");
      return;
    }
    if (!isRecord(message)) return;
    if (!this.#hasSlots) this.#aliveAtMs = this.#options.nowMs();
    if (isWholeNumber(message["id"])) this.#receiveAnswer(message["id"], message);
    else if (isRecord(message["params"])) this.#receiveNotification(message["params"]);
  }

  #receiveAnswer(id: number, message: Record<string, unknown>): void {
    const question = this.#asked.get(id);
    if (question === undefined) return;
    this.#asked.delete(id);
    const { entry } = question;
    const { result } = message;
    if (!isWholeNumber(result)) {
      const kind = entry?.wanted.kind ?? "slot";
      this.#options.logger?.warn({ kind }, "the node refused a subscription");
      // Without slots any message has to do for a sign of life.
      if (entry === null) this.#hasSlots = false;
    } else if (entry === null) this.#slotSubscription = result;
    else this.#stand(entry, result);
    this.#askMore();
    if (this.#asked.size === 0 && this.#gap !== null) {
      const { sinceSlot } = this.#gap;
      this.#gap = null;
      for (const listener of this.#listeners) this.#tell(() => listener.onRestored(sinceSlot));
    }
  }

  #stand(entry: Entry, serverId: number): void {
    if (this.#entries.get(entry.wanted) !== entry) {
      // Dropped while the node was answering.
      this.#send(`${entry.wanted.kind}Unsubscribe`, [serverId]);
      return;
    }
    entry.serverId = serverId;
    this.#standing.set(serverId, entry);
    if (entry.hasStood) return;
    entry.hasStood = true;
    this.#tell(entry.wanted.onStanding);
  }

  #receiveNotification(params: Record<string, unknown>): void {
    const { subscription, result } = params;
    if (!isWholeNumber(subscription)) return;
    if (subscription === this.#slotSubscription) this.#receiveSlot(result);
    else this.#tell(() => this.#standing.get(subscription)?.wanted.onResult(result));
  }

  #receiveSlot(result: unknown): void {
    const slot = isRecord(result) ? result["slot"] : undefined;
    if (!isWholeNumber(slot)) return;
    this.#aliveAtMs = this.#options.nowMs();
    this.#failures = 0;
    const told = BigInt(slot);
    this.#lastSlot = told;
    for (const listener of this.#listeners) this.#tell(() => listener.onSlot(told));
  }

  /** A listener's mistake costs this one event, not the link or the process. */
  #tell(event: () => void): void {
    try {
      event();
    } catch (err) {
      this.#options.logger?.warn({ err }, "a listener of the chain failed");
    }
  }
}
