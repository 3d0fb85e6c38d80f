import type { SeededRandom } from "#demo/seeded-random.ts";
import { Latencies } from "../support/latencies.ts";
import { ask, type KeyRing } from "./ask.ts";
import type { Chain } from "./chain.ts";
import type { ChainTokenFacts } from "./chain-process.ts";

/** The block time of a slot is of whole seconds. */
const TIME_ROUNDING_MS = 1_000;
const EXAMPLES = 5;

/**
 * Asks for sampled answers, and measures each again from the chain's own accounts at the slot that it
 * claims: an answer may be newer than that, never older.
 */
export class SampledChecks {
  readonly #chain: Chain;
  readonly #url: string;
  readonly #keys: KeyRing;
  readonly #random: SeededRandom;
  readonly #tokens: ChainTokenFacts[];
  readonly #counts: Record<string, number> = {};
  readonly #lag = new Latencies();
  readonly #statuses: Record<string, number> = {};
  readonly #onExample: (example: string) => void;
  #examples = 0;
  /** Answers that give a time after that of their slot. */
  #early = 0;
  #isRunning = false;

  constructor(options: {
    readonly chain: Chain;
    readonly url: string;
    readonly keys: KeyRing;
    readonly random: SeededRandom;
    /** Each once. */
    readonly tokens: readonly ChainTokenFacts[];
    /** Called with the first answers that differ from the chain, or are none. */
    readonly onExample: (example: string) => void;
  }) {
    this.#onExample = options.onExample;
    this.#chain = options.chain;
    this.#url = options.url;
    this.#keys = options.keys;
    this.#random = options.random;
    this.#tokens = [...options.tokens];
    // Its pools are others from then on.
    options.chain.onSent.push(({ kind, mint }) => {
      if (kind !== "graduated") return;
      const place = this.#tokens.findIndex((token) => token.mint === mint);
      if (place >= 0) this.#tokens.splice(place, 1);
    });
  }

  get figures() {
    return {
      ...{ results: { ...this.#counts }, statuses: { ...this.#statuses }, early: this.#early },
      ...{ lagP50Slots: slots(this.#lag.at(0.5)), lagP99Slots: slots(this.#lag.at(0.99)) },
    };
  }

  /** One sample, unless the last one is not done. */
  async sample(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    try {
      await this.#sample();
    } finally {
      this.#isRunning = false;
    }
  }

  async #sample(): Promise<void> {
    const token = this.#tokens[Math.floor(this.#random.uniform() * this.#tokens.length)];
    if (token === undefined) return;
    const { mint, pool, venue } = token;
    const answer = await ask(this.#url, mint, this.#keys.next());
    const { slot } = this.#chain.head;
    const status = [answer.status, answer.body.error].join(" ").trimEnd();
    this.#statuses[status] = (this.#statuses[status] ?? 0) + 1;
    if (answer.status !== 200 || answer.slot === null) {
      this.#example({ mint, venue, status, message: answer.body.message });
      return;
    }
    this.#lag.add(Math.max(0, slot - answer.slot));
    const { body } = answer;
    if (body.depth_sol === null) {
      this.#count("blocked");
      return;
    }
    const updatedAtMs = Date.parse(body.updated_at);
    const order = { mint, pools: [pool], slot: answer.slot, updatedAtMs, figures: body };
    const result = await this.#chain.check(order);
    if (!this.#tokens.includes(token)) {
      this.#count("graduated meanwhile");
      return;
    }
    this.#count(result.kind);
    if (result.kind !== "unknown" && updatedAtMs > result.slotTimeMs + TIME_ROUNDING_MS)
      this.#early++;
    if (result.kind === "equal" || result.kind === "unknown") return;
    const { depth_sol, precio_mid, score, exit_max_sol, slippage } = body;
    const figures = { depth_sol, precio_mid, score, exit_max_sol, slippage };
    this.#example({ mint, venue, slot: answer.slot, figures, result });
  }

  #example(example: object): void {
    if (this.#examples++ < EXAMPLES) this.#onExample(JSON.stringify(example));
  }

  #count(kind: string): void {
    this.#counts[kind] = (this.#counts[kind] ?? 0) + 1;
  }
}

/** Buckets are 2 % wide: a number of slots is rounded back. */
function slots(value: number | null): number | null {
  return value === null ? null : Math.round(value / 1.01);
}
