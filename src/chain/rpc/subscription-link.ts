import { WebSocket } from "ws";
import { BackOff } from "#src/platform/back-off.ts";
import type { WallClock } from "#src/platform/clock.ts";
import { type FailureLog, reasonOf } from "#src/platform/failure-log.ts";
import { isJsonObject } from "#src/platform/json-object.ts";
import { Listeners } from "#src/platform/listeners.ts";
import { SilenceWatch } from "#src/platform/silence-watch.ts";
import type { ChainLogger } from "../chain-logger.ts";
import type { LinkTiming } from "../link-timing.ts";
import { RefusedSubscriptions } from "./refused-subscriptions.ts";
import { isWholeNumber } from "./rpc-answers.ts";
import { isRateRefusal, isUnknownMethod } from "./rpc-failure.ts";

export type LinkOptions = {
  readonly url: string;
  readonly clock: WallClock;
  readonly random: () => number;
  readonly logger: ChainLogger | null;
  readonly timing: LinkTiming;
  /** Tried in turn with `url` until one of them accepts a subscription. */
  readonly otherUrl?: string | null;
  /** Gets each loss of the connection; a connection that lasts ends the failing. */
  readonly failures: FailureLog;
  /**
   * The node refused a subscription while it held so many others on this connection; not because of the rate, and not
   * because it serves none of that kind. Returns whether the subscription goes elsewhere; else it is asked for again later.
   */
  readonly onRefused?: (wanted: WantedSubscription, held: number) => boolean;
  /** The node accepted a subscription, and holds so many on this connection. */
  readonly onAccepted?: (held: number) => void;
};

/** One subscription that is made again after each reconnect. */
export type WantedSubscription = {
  /** The prefix of the node's methods: "accountSubscribe", "accountUnsubscribe". */
  readonly kind: "account" | "program" | "logs";
  readonly params: () => readonly unknown[];
  /** Gets the notification's unparsed `result`. */
  readonly onResult: (result: unknown) => void;
  /** Confirmed for the first time: changes before this caused no notification. */
  readonly onConfirmed: () => void;
  /** The node refused it with this code. Returns whether to send it again at once, with other params. */
  readonly onRefused?: (code: unknown) => boolean;
};

export type SubscriptionLink = {
  readonly want: (wanted: WantedSubscription) => void;
  readonly drop: (wanted: WantedSubscription) => void;
  /** @returns what removes the listener again */
  readonly listen: (listener: LinkListener) => () => void;
  readonly close: () => Promise<void>;
};

export type LinkListener = {
  readonly onSlot: (slot: bigint) => void;
  /** All subscriptions are confirmed again after a reconnect; notifications since `sinceSlot` (null: unknown) were lost. */
  readonly onRestored: (sinceSlot: bigint | null) => void;
};

type SubscriptionState = {
  readonly wanted: WantedSubscription;
  serverId: number | null;
  wasConfirmed: boolean;
};

/** A request without a reply yet; state null: the subscription to slots. */
type PendingRequest = { state: SubscriptionState | null; readonly sentAtMs: number };

/** Requests without a reply at a time: nodes limit the rate of requests. */
const MAX_PENDING = 128;
/** Slots are notified when processed, accounts when confirmed: a few slots later. */
const CONFIRMATION_LAG = 8n;
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
const MAX_ERROR_TEXT = 300;
const HANDSHAKE_TIMEOUT_MS = 8_000;

/**
 * One WebSocket to a node, opened with the first subscription. It reconnects with growing waits and
 * subscribes again. A connection without slot notifications is treated as dead even while it is open.
 * Messages are handled as they arrive; nothing is queued here.
 */
export function createSubscriptionLink(options: LinkOptions): SubscriptionLink {
  return new Link(options);
}

class Link implements SubscriptionLink {
  readonly #options: LinkOptions;
  readonly #subscriptions = new Map<WantedSubscription, SubscriptionState>();
  readonly #unsent = new Set<SubscriptionState>();
  readonly #pending = new Map<number, PendingRequest>();
  readonly #confirmed = new Map<number, SubscriptionState>();
  readonly #slots: Listeners<bigint>;
  readonly #restorations: Listeners<bigint | null>;
  readonly #backOff: BackOff;
  /** Slots must keep coming and requests must be answered: an open socket alone proves nothing. */
  readonly #watchdog: SilenceWatch;
  #socket: WebSocket | null = null;
  #slotSubscription: number | null = null;
  #lastRequestId = 0;
  #lastSlot: bigint | null = null;
  /** Set from the loss of confirmed subscriptions until all are confirmed again. */
  #gap: { readonly sinceSlot: bigint | null } | null = null;
  #aliveAtMs = 0;
  #hasSlots = true;
  /** Logged once each: a node may refuse thousands. */
  readonly #refusedKinds = new Set<string>();
  readonly #refused = new RefusedSubscriptions<SubscriptionState>((states) => {
    for (const state of states) this.#unsent.add(state);
    this.#sendMore();
  });
  #reconnectTimer: NodeJS.Timeout | null = null;
  #url: string;
  /** The address in use has accepted a subscription: the other one is not tried any more. */
  #isUrlKnown = false;
  #isClosed = false;

  constructor(options: LinkOptions) {
    this.#options = options;
    const { timing, random, clock } = options;
    this.#url = options.url;
    const { firstWaitMs: firstMs, longestWaitMs: longestMs, silentAfterMs } = timing;
    this.#backOff = new BackOff({ firstMs, longestMs, random });
    this.#watchdog = new SilenceWatch({
      ...{ silentAfterMs, clock, aliveAtMs: () => this.#answeredAtMs() },
      onSilent: () => this.#reconnectLater(`no slot or no reply for ${silentAfterMs} ms`),
    });
    this.#slots = new Listeners((cause) => this.#logListenerFailure(cause));
    this.#restorations = new Listeners((cause) => this.#logListenerFailure(cause));
  }

  readonly want = (wanted: WantedSubscription): void => {
    if (this.#isClosed || this.#subscriptions.has(wanted)) return;
    const state: SubscriptionState = { wanted, serverId: null, wasConfirmed: false };
    this.#subscriptions.set(wanted, state);
    if (this.#takesOver(state)) return;
    this.#unsent.add(state);
    if (this.#socket === null && this.#reconnectTimer === null) this.#connect();
    else this.#sendMore();
  };

  /**
   * Takes over the request of an equal subscription that was dropped before the reply. A node gives equal subscriptions
   * of one connection the same id, so ending the dropped one would end both.
   */
  #takesOver(state: SubscriptionState): boolean {
    for (const request of this.#pending.values()) {
      const { state: earlier } = request;
      if (earlier === null || this.#subscriptions.get(earlier.wanted) === earlier) continue;
      if (!areEqual(earlier.wanted, state.wanted)) continue;
      request.state = state;
      return true;
    }
    return false;
  }

  readonly drop = (wanted: WantedSubscription): void => {
    const state = this.#subscriptions.get(wanted);
    if (state === undefined) return;
    this.#subscriptions.delete(wanted);
    this.#unsent.delete(state);
    this.#refused.delete(state);
    if (state.serverId === null) return;
    this.#confirmed.delete(state.serverId);
    this.#send(`${wanted.kind}Unsubscribe`, [state.serverId]);
  };

  readonly listen = ({ onSlot, onRestored }: LinkListener): (() => void) => {
    const removeSlot = this.#slots.add(onSlot);
    const removeRestored = this.#restorations.add(onRestored);
    return () => {
      removeSlot();
      removeRestored();
    };
  };

  readonly close = async (): Promise<void> => {
    this.#isClosed = true;
    if (this.#reconnectTimer !== null) clearTimeout(this.#reconnectTimer);
    this.#refused.close();
    this.#subscriptions.clear();
    this.#slots.clear();
    this.#restorations.clear();
    const socket = this.#socket;
    this.#resetConnection();
    if (socket === null || socket.readyState === WebSocket.CLOSED) return;
    const closed = new Promise((resolve) => socket.once("close", resolve));
    socket.terminate();
    await closed;
  };

  #connect(): void {
    this.#reconnectTimer = null;
    const socket = new WebSocket(this.#url, {
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
      maxPayload: MAX_MESSAGE_BYTES,
      perMessageDeflate: false,
    });
    this.#socket = socket;
    let reason = "the connection was closed";
    socket.on("open", () => this.#start(socket));
    socket.on("message", (data) => {
      if (socket === this.#socket) this.#receive(String(data));
    });
    // "close" follows and reconnects.
    socket.on("error", (error) => {
      reason = reasonOf(error);
    });
    socket.on("close", () => {
      if (socket === this.#socket) this.#reconnectLater(reason);
    });
  }

  #start(socket: WebSocket): void {
    if (socket !== this.#socket) return;
    this.#aliveAtMs = this.#options.clock.nowMs();
    this.#hasSlots = true;
    this.#watchdog.start();
    this.#request("slotSubscribe", [], null);
    for (const state of this.#subscriptions.values()) this.#unsent.add(state);
    this.#sendMore();
  }

  #answeredAtMs(): number {
    const [oldest] = this.#pending.values();
    return Math.min(this.#aliveAtMs, oldest?.sentAtMs ?? Infinity);
  }

  #reconnectLater(reason: string): void {
    const socket = this.#socket;
    if (this.#confirmed.size > 0) {
      const sinceSlot = this.#lastSlot === null ? null : this.#lastSlot - CONFIRMATION_LAG;
      this.#gap ??= { sinceSlot };
    }
    this.#resetConnection();
    socket?.terminate();
    if (this.#isClosed) return;
    this.#options.failures.failed(new Error(reason));
    const { url, otherUrl = null } = this.#options;
    if (!this.#isUrlKnown && otherUrl !== null) this.#url = this.#url === url ? otherUrl : url;
    this.#reconnectTimer = setTimeout(() => this.#connect(), this.#backOff.nextMs());
  }

  #resetConnection(): void {
    this.#socket = null;
    this.#slotSubscription = null;
    this.#watchdog.stop();
    this.#pending.clear();
    this.#confirmed.clear();
    this.#unsent.clear();
    this.#refused.clear();
    for (const state of this.#subscriptions.values()) state.serverId = null;
  }

  #sendMore(): void {
    if (this.#socket?.readyState !== WebSocket.OPEN) return;
    for (const state of this.#unsent) {
      if (this.#pending.size >= MAX_PENDING) return;
      this.#unsent.delete(state);
      this.#request(`${state.wanted.kind}Subscribe`, state.wanted.params(), state);
    }
  }

  #request(method: string, params: readonly unknown[], state: SubscriptionState | null): void {
    const id = this.#send(method, params);
    this.#pending.set(id, { state, sentAtMs: this.#options.clock.nowMs() });
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
      this.#options.logger?.debug({}, "ignored a message that is not JSON");
      return;
    }
    if (!isJsonObject(message)) return;
    if (!this.#hasSlots) this.#aliveAtMs = this.#options.clock.nowMs();
    if (isWholeNumber(message["id"])) this.#receiveReply(message["id"], message);
    else if (isJsonObject(message["params"])) this.#receiveNotification(message["params"]);
  }

  #receiveReply(id: number, { result, error }: Record<string, unknown>): void {
    const request = this.#pending.get(id);
    if (request === undefined) return;
    this.#pending.delete(id);
    const { state } = request;
    if (isWholeNumber(result)) this.#noteUrl();
    if (!isWholeNumber(result)) this.#refuse(state, error);
    else if (state === null) this.#slotSubscription = result;
    else this.#confirm(state, result);
    // Without slot notifications any message is a sign of life.
    if (state === null && this.#slotSubscription === null) this.#hasSlots = false;
    this.#sendMore();
    if (this.#pending.size === 0 && this.#gap !== null) {
      const { sinceSlot } = this.#gap;
      this.#gap = null;
      this.#restorations.emit(sinceSlot);
    }
  }

  #refuse(state: SubscriptionState | null, error: unknown): void {
    if (state !== null && isJsonObject(error) && state.wanted.onRefused?.(error["code"]) === true) {
      this.#unsent.add(state);
      return;
    }
    this.#logRefusal(state, error);
    if (state === null || this.#subscriptions.get(state.wanted) !== state) return;
    const held = this.#confirmed.size;
    // Another connection would be refused too.
    const isOfAll = isRateRefusal(error) || isUnknownMethod(error);
    if (!isOfAll && this.#options.onRefused?.(state.wanted, held) === true) return;
    // Changes until it is made again cause no notification.
    state.wasConfirmed = false;
    this.#refused.add(state);
  }

  #logRefusal(state: SubscriptionState | null, error: unknown): void {
    const kind = state?.wanted.kind ?? "slot";
    if (this.#refusedKinds.has(kind)) return;
    this.#refusedKinds.add(kind);
    const reason = isJsonObject(error)
      ? String(error["message"]).slice(0, MAX_ERROR_TEXT)
      : "no id";
    const text =
      "the node refused a subscription; it is made on another connection, or asked for again later";
    this.#options.logger?.warn({ kind, reason }, text);
  }

  #confirm(state: SubscriptionState, serverId: number): void {
    if (this.#subscriptions.get(state.wanted) !== state) {
      // Dropped while the request was pending.
      this.#send(`${state.wanted.kind}Unsubscribe`, [serverId]);
      return;
    }
    state.serverId = serverId;
    this.#confirmed.set(serverId, state);
    this.#options.onAccepted?.(this.#confirmed.size);
    this.#refused.noteAccepted(state.wanted.kind);
    if (state.wasConfirmed) return;
    state.wasConfirmed = true;
    this.#call(state.wanted.onConfirmed);
  }

  #receiveNotification({ subscription, result }: Record<string, unknown>): void {
    if (!isWholeNumber(subscription)) return;
    if (subscription === this.#slotSubscription) this.#receiveSlot(result);
    else this.#call(() => this.#confirmed.get(subscription)?.wanted.onResult(result));
  }

  #receiveSlot(result: unknown): void {
    const number = isJsonObject(result) ? result["slot"] : undefined;
    if (!isWholeNumber(number)) return;
    this.#aliveAtMs = this.#options.clock.nowMs();
    this.#backOff.succeeded();
    if (this.#backOff.hasLasted) this.#options.failures.succeeded();
    const slot = BigInt(number);
    this.#lastSlot = slot;
    this.#slots.emit(slot);
  }

  #noteUrl(): void {
    if (this.#isUrlKnown) return;
    this.#isUrlKnown = true;
    if (this.#url === this.#options.url) return;
    const { host } = new URL(this.#url);
    this.#options.logger?.info({ host }, "the node's WebSocket is at another port than its HTTP");
  }

  /** A listener's exception costs this one event, not the link or the process. */
  #call(listener: () => void): void {
    try {
      listener();
    } catch (cause) {
      this.#logListenerFailure(cause);
    }
  }

  #logListenerFailure(err: unknown): void {
    this.#options.logger?.error({ err }, "a listener of the chain failed; the event is skipped");
  }
}

function areEqual(a: WantedSubscription, b: WantedSubscription): boolean {
  return a.kind === b.kind && JSON.stringify(a.params()) === JSON.stringify(b.params());
}
