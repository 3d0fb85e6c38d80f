import type { StreamEvent } from "./event-reader.ts";
import { Leader } from "./leader.ts";
import type { Wish } from "./wishes.ts";

/**
 * Live events for every tab of this browser over two connections: the tab that holds a lock has the
 * streams and passes events on. A browser opens six HTTP/1.1 connections to an origin; with streams
 * of its own, each token tab would take some of them for good, and the fourth would not load.
 *
 * Without locks (plain http on a foreign host) each tab has its own streams while it is visible.
 */

type Message =
  | { readonly kind: "wish"; readonly tab: string; readonly wish: Wish }
  | { readonly kind: "gone"; readonly tab: string }
  | { readonly kind: "ask" }
  | { readonly kind: "event"; readonly event: StreamEvent }
  | { readonly kind: "streamed"; readonly mints: readonly string[] };

const NAME = "exitability.live";
const RENEW_MS = 25_000;
/** The leader passes on a heartbeat every 15 seconds; a silent one is frozen or its streams are lost. */
const FROZEN_MS = 45_000;

type Listener = (event: StreamEvent) => void;

export class LiveHub {
  readonly #tab = crypto.getRandomValues(new Uint32Array(2)).join("-");
  readonly #channel = "BroadcastChannel" in window ? new BroadcastChannel(NAME) : null;
  readonly #listeners = new Set<Listener>();
  readonly #changed = new Set<() => void>();
  readonly #mints = new Map<string, number>();
  #alertWishes = 0;
  #streamed: ReadonlySet<string> = new Set();
  #leader: Leader | null = null;
  #isStarted = false;
  #lastMessageMs = 0;

  /** Receives the events of a token until the returned function is called. */
  followToken(mint: string, listener: Listener): () => void {
    this.#mints.set(mint, (this.#mints.get(mint) ?? 0) + 1);
    const stop = this.#follow(listener);
    return () => {
      const left = (this.#mints.get(mint) ?? 1) - 1;
      if (left > 0) this.#mints.set(mint, left);
      else this.#mints.delete(mint);
      stop();
    };
  }

  /** Receives the user's alerts until the returned function is called. */
  followAlerts(listener: Listener): () => void {
    this.#alertWishes++;
    const stop = this.#follow(listener);
    return () => {
      this.#alertWishes--;
      stop();
    };
  }

  isStreamed(mint: string): boolean {
    return this.#streamed.has(mint);
  }

  /** For `useSyncExternalStore`: called when a stream opened or was lost. */
  onChange = (listener: () => void): (() => void) => {
    this.#changed.add(listener);
    return () => this.#changed.delete(listener);
  };

  #follow(listener: Listener): () => void {
    this.#listeners.add(listener);
    this.#start();
    this.#publishWish();
    return () => {
      this.#listeners.delete(listener);
      this.#publishWish();
    };
  }

  #start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#lastMessageMs = Date.now();
    this.#channel?.addEventListener("message", ({ data }) => this.#receive(data));
    window.addEventListener("pagehide", () => {
      this.#send({ kind: "gone", tab: this.#tab });
      this.#leader?.leave(this.#tab);
    });
    // A page from the back-forward cache has lost its place.
    window.addEventListener("pageshow", ({ persisted }) => persisted && this.#publishWish());
    setInterval(() => this.#renew(), RENEW_MS);
    if (this.#canShare()) this.#queueForLead({});
    else this.#leadWhileVisible();
  }

  #canShare(): boolean {
    return this.#channel !== null && "locks" in navigator;
  }

  /** Leads once the lock is free; a lost lock, taken from a frozen leader, ends the lead. */
  #queueForLead(options: LockOptions): void {
    const lead = () => {
      this.#lead();
      return new Promise<never>(() => undefined);
    };
    navigator.locks.request(NAME, options, lead).catch(() => {
      this.#leader?.close();
      this.#leader = null;
      this.#queueForLead({});
    });
  }

  #leadWhileVisible(): void {
    const update = () => {
      if (document.hidden) {
        this.#leader?.close();
        this.#leader = null;
        this.#setStreamed([]);
      } else if (this.#leader === null) this.#lead();
    };
    document.addEventListener("visibilitychange", update);
    update();
  }

  #lead(): void {
    this.#leader?.close();
    this.#leader = new Leader({
      onEvent: (event) => {
        this.#send({ kind: "event", event });
        this.#publish(event);
      },
      onStreamed: (mints) => {
        this.#send({ kind: "streamed", mints });
        this.#setStreamed(mints);
      },
    });
    this.#send({ kind: "ask" });
    this.#publishWish();
  }

  #renew(): void {
    this.#publishWish();
    const isSilent = Date.now() - this.#lastMessageMs > FROZEN_MS;
    if (this.#leader !== null || document.hidden || !this.#canShare() || !isSilent) return;
    this.#lastMessageMs = Date.now();
    this.#queueForLead({ steal: true });
  }

  #publishWish(): void {
    const wish = { mints: [...this.#mints.keys()], hasAlerts: this.#alertWishes > 0 };
    if (this.#leader === null) this.#send({ kind: "wish", tab: this.#tab, wish });
    else this.#leader.wish(this.#tab, wish);
  }

  #send(message: Message): void {
    this.#channel?.postMessage(message);
  }

  #receive(message: Message): void {
    switch (message.kind) {
      case "wish":
        this.#leader?.wish(message.tab, message.wish);
        break;
      case "gone":
        this.#leader?.leave(message.tab);
        break;
      case "ask":
        this.#publishWish();
        break;
      case "event":
        this.#lastMessageMs = Date.now();
        this.#publish(message.event);
        break;
      case "streamed":
        this.#lastMessageMs = Date.now();
        this.#setStreamed(message.mints);
        break;
    }
  }

  #publish(event: StreamEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  #setStreamed(mints: readonly string[]): void {
    if (mints.length === this.#streamed.size && mints.every((mint) => this.#streamed.has(mint)))
      return;
    this.#streamed = new Set(mints);
    for (const changed of this.#changed) changed();
  }
}

/** One for each tab. */
export const liveHub = new LiveHub();
