import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type {
  ChainInterval,
  ChainOrder,
  ChainProcessOptions,
  ChainReady,
  ChainWord,
  SentEvent,
} from "./chain-process.ts";
import type { CheckOrder, CheckResult } from "./check-answer.ts";

export type ChainHead = { readonly slot: number; readonly atMs: number; readonly isBurst: boolean };

/** Memory is not measured here: as little of the two cores as possible goes to collecting garbage. */
const NODE_FLAGS = [
  "--max-semi-space-size=128",
  "--heap-growing-percent=200",
  "--external-memory-accounted-in-global-limit",
  "--external-memory-max-growing-factor=4",
];

/** The chain's process, as the measuring process knows it. */
export class Chain {
  readonly child: ChildProcess;
  readonly ready: ChainReady;
  readonly onSent: ((event: SentEvent) => void)[] = [];
  readonly onInterval: ((interval: ChainInterval) => void)[] = [];
  /** The newest slot that was sent whole. */
  head: ChainHead = { slot: 0, atMs: 0, isBurst: false };
  readonly #checks = new Map<number, (result: CheckResult) => void>();
  #lastCheck = 0;

  constructor(child: ChildProcess, ready: ChainReady) {
    this.child = child;
    this.ready = ready;
    child.on("message", (word: ChainWord) => this.#receive(word));
  }

  static async start(options: ChainProcessOptions): Promise<Chain> {
    const child = fork(new URL("./chain-process.ts", import.meta.url), [JSON.stringify(options)], {
      serialization: "advanced",
      execArgv: NODE_FLAGS,
    });
    const ended = once(child, "exit").then(() => null);
    const first = await Promise.race([once(child, "message"), ended]);
    if (first === null) throw new Error("the chain ended before it was ready");
    const [word] = first as [ChainWord];
    if (word.kind !== "ready") throw new Error(`the chain began with ${word.kind}`);
    return new Chain(child, word);
  }

  /** From the next slot on, the market is as planned. */
  begin(): void {
    this.#order({ kind: "begin" });
  }

  check(order: CheckOrder): Promise<CheckResult> {
    const id = ++this.#lastCheck;
    return new Promise((resolve) => {
      this.#checks.set(id, resolve);
      this.#order({ kind: "check", id, order });
    });
  }

  async close(): Promise<void> {
    const ended = once(this.child, "exit");
    this.child.disconnect();
    await ended;
  }

  #order(order: ChainOrder): void {
    this.child.send(order);
  }

  #receive(word: ChainWord): void {
    switch (word.kind) {
      case "head":
        this.head = word;
        return;
      case "sent":
        for (const event of word.events) for (const listen of this.onSent) listen(event);
        return;
      case "interval":
        for (const listen of this.onInterval) listen(word);
        return;
      case "checked":
        this.#checks.get(word.id)?.(word.result);
        this.#checks.delete(word.id);
        return;
      case "ready":
      case "began":
        return;
      default:
        word satisfies never;
    }
  }
}
