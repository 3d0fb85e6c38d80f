import { setTimeout as delay } from "node:timers/promises";
import { Latencies } from "../support/latencies.ts";
import { ask, type KeyRing } from "./ask.ts";
import type { Chain } from "./chain.ts";
import type { SentEvent } from "./chain-process.ts";

const ASK_EVERY_MS = 50;
const GIVEN_UP_AFTER_MS = 15_000;

/** The time from a new token's first sent account to its first answer, asked for from that moment on. */
export class FirstAnswers {
  readonly #url: string;
  readonly #keys: KeyRing;
  readonly #latencies = new Latencies();
  #answered = 0;
  #missed = 0;

  constructor(chain: Chain, url: string, keys: KeyRing) {
    this.#url = url;
    this.#keys = keys;
    chain.onSent.push((event) => {
      if (event.kind === "born") void this.#await(event).catch(() => undefined);
    });
  }

  get figures() {
    return {
      ...{ answered: this.#answered, missed: this.#missed },
      ...{ p50Ms: this.#latencies.at(0.5), p99Ms: this.#latencies.at(0.99) },
    };
  }

  async #await({ mint, atMs }: SentEvent): Promise<void> {
    for (;;) {
      const { status, body, atMs: answeredMs } = await ask(this.#url, mint, this.#keys.next());
      if (status === 200 && body.depth_sol !== null) {
        this.#answered++;
        this.#latencies.add(answeredMs - atMs);
        return;
      }
      if (answeredMs - atMs > GIVEN_UP_AFTER_MS) {
        this.#missed++;
        return;
      }
      await delay(ASK_EVERY_MS);
    }
  }
}
