import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { AccountUpdate } from "#src/chain/chain-source.ts";
import type { PoolRef } from "#src/track/open-pool.ts";
import type { Address } from "#src/units/address.ts";
import type { UpdateKeeper } from "./account-versions.ts";
import type { ServedAnswer } from "./quoted-executed.ts";
import type { FromReplay, PoolName, ReplayStart, ToReplay } from "./replay-messages.ts";
import { UpdateBatch } from "./update-batch.ts";

const FLUSH_EVERY_MS = 50;
const FLUSH_BYTES = 256 * 1024;
const FLUSH_ANSWERS = 500;
/** A thread that is so far behind is told of a gap instead: what it then can't replay it counts as skipped. */
const MOST_UNREAD_BYTES = 64 * 1024 * 1024;
const START_AGAIN_MS = 5_000;
const CLOSE_WITHIN_MS = 5_000;

export type ReplayWorkerDeps = {
  /** What it starts with, each time it starts. */
  readonly start: () => ReplayStart;
  /** Everything the thread tells but what this part needs itself. */
  readonly onTold: (message: Exclude<FromReplay, { readonly kind: "read" }>) => void;
  readonly onFailure: (what: string, cause: unknown) => void;
};

/**
 * The replaying thread as seen from tracking's: what passes costs tracking a copy of its bytes and
 * nothing else. A thread that dies is started again, and one that falls behind is bounded.
 */
export class ReplayWorker implements UpdateKeeper {
  readonly #deps: ReplayWorkerDeps;
  readonly #batch = new UpdateBatch();
  /** Accounts and pools that the thread knows. */
  readonly #told = new Set<Address>();
  /** Answers that went out since the last flush: a message each would cost more than the answer. */
  #served: ServedAnswer[] = [];
  readonly #pools = new Map<Address, PoolName>();
  #worker: Worker | null = null;
  #unreadBytes = 0;
  #hasLost = false;
  #timer: NodeJS.Timeout | null = null;
  #restart: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(deps: ReplayWorkerDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#timer ??= setInterval(() => this.#flush(), FLUSH_EVERY_MS);
    this.#open();
  }

  add(update: AccountUpdate): void {
    this.#told.add(update.address);
    this.#batch.add(update);
    if (this.#batch.length >= FLUSH_BYTES) this.#flush();
  }

  forgetAll(): void {
    this.#told.clear();
    this.#drop();
    this.#flush();
  }

  /** Names the pools whose swaps are watched from now on. */
  watch(refs: Iterable<PoolRef>): void {
    const wanted = new Set<Address>();
    const added: PoolName[] = [];
    for (const { venue, address, mint, isDerived } of refs) {
      wanted.add(address);
      if (this.#pools.has(address)) continue;
      const name = { venue: venue.id, address, mint, isDerived };
      this.#pools.set(address, name);
      added.push(name);
    }
    const removed = [...this.#pools.keys()].filter((address) => !wanted.has(address));
    for (const address of removed) this.#pools.delete(address);
    if (added.length > 0 || removed.length > 0) this.#post({ kind: "pools", added, removed });
  }

  serve(answer: ServedAnswer): void {
    this.#served.push(answer);
    if (this.#served.length >= FLUSH_ANSWERS) this.#flush();
  }

  /** Lets the thread forget the accounts that nobody holds any more. */
  retain(holds: (address: Address) => boolean): void {
    const addresses = [...this.#told].filter((address) => !holds(address));
    for (const address of addresses) this.#told.delete(address);
    if (addresses.length > 0) this.#post({ kind: "forget", addresses });
  }

  /** Lets the thread tell what it has counted, and ends it. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer !== null) clearInterval(this.#timer);
    if (this.#restart !== null) clearTimeout(this.#restart);
    const worker = this.#worker;
    if (worker === null) return;
    const ended = once(worker, "exit", { signal: AbortSignal.timeout(CLOSE_WITHIN_MS) });
    this.#post({ kind: "close" });
    await ended.catch(() => worker.terminate());
  }

  #open(): void {
    const worker = new Worker(new URL("./replay-thread.ts", import.meta.url), {
      workerData: this.#deps.start(),
    });
    this.#worker = worker;
    this.#unreadBytes = 0;
    this.#drop();
    worker.on("message", (message: FromReplay) => this.#hear(message));
    worker.on("error", (cause) => this.#deps.onFailure("replay swaps", cause));
    worker.on("exit", () => this.#end());
    const added = [...this.#pools.values()];
    if (added.length > 0) this.#post({ kind: "pools", added, removed: [] });
  }

  #hear(message: FromReplay): void {
    if (message.kind === "read") this.#unreadBytes -= message.bytes;
    else this.#deps.onTold(message);
  }

  #end(): void {
    this.#worker = null;
    if (this.#isClosed) return;
    this.#restart = setTimeout(() => this.#open(), START_AGAIN_MS);
  }

  #flush(): void {
    const worker = this.#worker;
    const answers = this.#served;
    if (answers.length > 0) this.#served = [];
    if (worker === null || this.#unreadBytes > MOST_UNREAD_BYTES) {
      this.#drop();
      return;
    }
    if (this.#hasLost) worker.postMessage({ kind: "gap" } satisfies ToReplay);
    this.#hasLost = false;
    if (answers.length > 0) worker.postMessage({ kind: "served", answers } satisfies ToReplay);
    if (this.#batch.length === 0) return;
    const batch = this.#batch.take();
    this.#unreadBytes += batch.length;
    worker.postMessage({ kind: "updates", batch } satisfies ToReplay, [batch.buffer]);
  }

  #drop(): void {
    this.#batch.startOver();
    this.#hasLost = true;
  }

  /** In order behind the updates that came before. */
  #post(message: ToReplay): void {
    this.#flush();
    this.#worker?.postMessage(message);
  }
}
