import { Agent } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { type Sent, send } from "../fuzz/http-client.ts";
import { Latencies } from "../support/latencies.ts";

/** One honest caller: its pace, its latencies, and every answer other than 200. */
export class HonestCaller {
  readonly name: string;
  readonly #url: string;
  readonly #everyMs: number;
  readonly #next: () => Sent;
  readonly #latencies = new Latencies();
  readonly #agent = new Agent({ keepAlive: true });
  readonly refusals: string[] = [];
  #asked = 0;
  #isStopped = false;

  constructor(options: {
    readonly name: string;
    readonly url: string;
    readonly everyMs: number;
    readonly next: () => Sent;
  }) {
    this.name = options.name;
    this.#url = options.url;
    this.#everyMs = options.everyMs;
    this.#next = options.next;
  }

  /** Asks at its pace, a late answer or not, until `stop`. */
  async run(): Promise<void> {
    const running: Promise<void>[] = [];
    while (!this.#isStopped) {
      running.push(this.#ask());
      await delay(this.#everyMs);
    }
    await Promise.all(running);
    this.#agent.destroy();
  }

  stop(): void {
    this.#isStopped = true;
  }

  get report() {
    const [p50Ms, p99Ms, maxMs] = [0.5, 0.99, 1].map((share) => this.#latencies.at(share));
    return {
      name: this.name,
      asked: this.#asked,
      refused: this.refusals.length,
      p50Ms,
      p99Ms,
      maxMs,
    };
  }

  async #ask(): Promise<void> {
    const request = this.#next();
    const { status, ms, body } = await send(this.#agent, this.#url, request);
    this.#asked++;
    this.#latencies.add(ms);
    if (status !== 200) this.refusals.push(`${request.path}: ${status} ${body.slice(0, 160)}`);
  }
}
