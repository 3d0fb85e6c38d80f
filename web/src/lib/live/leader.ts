import type { StreamEvent } from "./event-reader.ts";
import { openWatchedStream } from "./watched-stream.ts";
import { type Wish, Wishes } from "./wishes.ts";

/** Wishes that change together, as when several tabs are restored, open one stream. */
const SETTLE_MS = 150;
const RENEW_MS = 30_000;

export type LeaderOutput = {
  readonly onEvent: (event: StreamEvent) => void;
  /** The mints whose stream is open. */
  readonly onStreamed: (mints: readonly string[]) => void;
};

/** The two streams of all tabs of this browser: tokens, and the user's alerts. */
export class Leader {
  readonly #output: LeaderOutput;
  readonly #wishes = new Wishes();
  #streamed: readonly string[] = [];
  #openedFor = "";
  #closeTokens: (() => void) | null = null;
  #closeAlerts: (() => void) | null = null;
  #settling: ReturnType<typeof setTimeout> | undefined;
  readonly #renewing = setInterval(() => this.#settle(), RENEW_MS);

  constructor(output: LeaderOutput) {
    this.#output = output;
  }

  wish(tab: string, wish: Wish): void {
    this.#wishes.set(tab, wish, Date.now());
    this.#settle();
    this.#output.onStreamed(this.#streamed);
  }

  leave(tab: string): void {
    this.#wishes.remove(tab);
    this.#settle();
  }

  close(): void {
    clearTimeout(this.#settling);
    clearInterval(this.#renewing);
    this.#closeTokens?.();
    this.#closeAlerts?.();
  }

  #settle(): void {
    clearTimeout(this.#settling);
    this.#settling = setTimeout(() => this.#open(), SETTLE_MS);
  }

  #open(): void {
    const { mints, hasAlerts } = this.#wishes.union(Date.now());
    const key = mints.toSorted().join(",");
    if (key !== this.#openedFor) {
      this.#openedFor = key;
      this.#closeTokens?.();
      this.#publishStreamed([]);
      this.#closeTokens = mints.length === 0 ? null : this.#openTokens(mints);
    }
    if (hasAlerts && this.#closeAlerts === null) {
      this.#closeAlerts = openWatchedStream("/api/account/alerts/stream", {
        onEvent: this.#output.onEvent,
        onOpen: () => undefined,
      });
    } else if (!hasAlerts) {
      this.#closeAlerts?.();
      this.#closeAlerts = null;
    }
  }

  #openTokens(mints: readonly string[]): () => void {
    const parameters = new URLSearchParams({ mints: mints.join(","), threshold: "0" });
    return openWatchedStream(`/api/stream?${parameters}`, {
      onEvent: this.#output.onEvent,
      onOpen: (isOpen) => this.#publishStreamed(isOpen ? mints : []),
    });
  }

  #publishStreamed(mints: readonly string[]): void {
    this.#streamed = mints;
    this.#output.onStreamed(mints);
  }
}
