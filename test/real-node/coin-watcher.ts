import assert from "node:assert/strict";
import type { DatabasePlace } from "#test/support/databases/databases.ts";
import { closeAfter, type Ending } from "#test/support/ending.ts";
import { eventually } from "#test/support/eventually.ts";
import type { RunningService } from "#test/support/processes/service.ts";
import { type Subscriber, subscribe } from "#test/support/processes/subscriber.ts";
import type { TokenAnswer } from "./asked-service.ts";
import type { Coin } from "./pump-instructions.ts";

const WITHIN_MS = 10_000;

/** A change of phase or state in a stream of answers. */
export type Change = Pick<TokenAnswer, "fase" | "state"> & { readonly atMs: number };

/** A user who watches coins: the streams of their answers, and the alerts received. */
export class CoinWatcher {
  readonly #url: string;
  readonly #subscriber: Subscriber;
  readonly #abort = new AbortController();
  readonly #streams = new Map<string, Watched>();

  private constructor(url: string, subscriber: Subscriber) {
    this.#url = url;
    this.#subscriber = subscriber;
  }

  static async open(
    ending: Ending,
    service: RunningService,
    place: DatabasePlace,
  ): Promise<CoinWatcher> {
    const subscriber = await subscribe(service, place, "watcher@example.com");
    const watcher = new CoinWatcher(service.url, subscriber);
    closeAfter(ending, () => watcher.#abort.abort());
    return watcher;
  }

  /** Puts the coin on the watchlist at 1 SOL, and follows its stream from its first answer on. */
  async watch({ mint }: Coin): Promise<void> {
    const response = await fetch(`${this.#url}/api/oracle/watchlist`, {
      method: "POST",
      headers: { ...this.#session(), "content-type": "application/json" },
      body: JSON.stringify({ mint, size_sol: 1 }),
    });
    assert.equal(response.status, 201, await response.text());
    const stream = await fetch(`${this.#url}/api/token/${mint}/exitability/stream`, {
      headers: { "x-api-key": this.#subscriber.apiKey },
      signal: this.#abort.signal,
    });
    assert.ok(stream.status === 200 && stream.body !== null, String(stream.status));
    const watched: Watched = { changes: [], alertedMs: null };
    this.#streams.set(mint, watched);
    void this.#follow(stream.body, watched);
    await eventually("the first answer of a stream", () => watched.changes[0] ?? null, WITHIN_MS);
  }

  async #follow(body: ReadableStream<Uint8Array>, watched: Watched): Promise<void> {
    const decoder = new TextDecoder();
    let text = "";
    try {
      for await (const part of body) {
        const events = `${text}${decoder.decode(part, { stream: true })}`.split("\n\n");
        text = events.pop() ?? "";
        for (const event of events) accept(watched, event);
      }
    } catch (error) {
      if (!this.#abort.signal.aborted) throw error;
    }
  }

  /** Until the coin's stream reports that phase in that state. @returns when it did */
  async reached({ mint }: Coin, phase: string, state: string): Promise<number> {
    const { changes } = this.#of(mint);
    const reportedMs = () => {
      const last = changes.at(-1);
      return last?.fase === phase && last.state === state ? last.atMs : null;
    };
    try {
      return await eventually(`the phase ${phase} in a stream`, reportedMs, WITHIN_MS);
    } catch (cause) {
      const seen = changes.map(({ fase, state }) => `${fase} ${state}`).join(", ");
      throw new Error(`${mint} is not ${phase} and ${state}; its stream had ${seen}`, { cause });
    }
  }

  changes({ mint }: Coin): readonly Change[] {
    return this.#of(mint).changes;
  }

  /** When the coin's stream first reported a deterioration; null: never. */
  alertedMs({ mint }: Coin): number | null {
    return this.#of(mint).alertedMs;
  }

  /** The kinds of alert about the coin that the account received. */
  async alerts({ mint }: Coin): Promise<readonly string[]> {
    const response = await fetch(`${this.#url}/api/account/alerts?limit=100`, {
      headers: this.#session(),
    });
    const { items }: { items: readonly { mint: string; kind: string }[] } = JSON.parse(
      await response.text(),
    );
    return items.filter((alert) => alert.mint === mint).map(({ kind }) => kind);
  }

  /** Until the account received an alert about the coin. @returns the kinds */
  alerted(coin: Coin): Promise<readonly string[]> {
    return eventually(
      "an alert",
      async () => {
        const kinds = await this.alerts(coin);
        return kinds.length > 0 ? kinds : null;
      },
      WITHIN_MS,
    );
  }

  #session(): { readonly authorization: string } {
    return { authorization: `Bearer ${this.#subscriber.accessToken}` };
  }

  #of(mint: string): Watched {
    const watched = this.#streams.get(mint);
    assert.ok(watched !== undefined, `${mint} is not watched`);
    return watched;
  }
}

type Watched = { readonly changes: Change[]; alertedMs: number | null };

function accept(watched: Watched, event: string): void {
  const data = /^data: (.*)$/m.exec(event)?.[1];
  if (!event.startsWith("event: exitability") || data === undefined) return;
  const { fase, state, alerta_deterioro }: TokenAnswer = JSON.parse(data);
  const atMs = performance.now();
  if (alerta_deterioro) watched.alertedMs ??= atMs;
  const last = watched.changes.at(-1);
  if (last?.fase !== fase || last.state !== state) watched.changes.push({ fase, state, atMs });
}
