import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { AccountUpdate } from "#src/chain/chain-source.ts";
import type { PoolRef } from "#src/track/pools/open-pool.ts";
import type { Address } from "#src/units/address.ts";
import type { ServedQuote } from "../quoted-executed.ts";
import type { UpdateRecorder } from "../recording-source.ts";
import type { FromReplay, PoolName, ReplayStart, ToReplay } from "./messages.ts";
import { UpdateBatch } from "./update-batch.ts";

const FLUSH_EVERY_MS = 50;
const FLUSH_BYTES = 256 * 1024;
const FLUSH_ANSWERS = 500;
/** If the worker is further behind, it receives a gap instead of updates, and counts swaps as skipped. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024;
const RESTART_DELAY_MS = 5_000;
const CLOSE_TIMEOUT_MS = 5_000;

export type ReplayHostDeps = {
  /** The data for each start of the worker. */
  readonly start: () => ReplayStart;
  /** Receives the messages of the worker, except those for the host itself. */
  readonly onMessage: (message: Exclude<FromReplay, { readonly kind: "read" }>) => void;
  readonly onFailure: (what: string, cause: unknown) => void;
};

/**
 * The main thread's side of the replay worker. An update costs the main thread only a copy of its bytes.
 * Restarts a worker that exits, and bounds the data queued for a slow one.
 */
export class ReplayHost implements UpdateRecorder {
  readonly #deps: ReplayHostDeps;
  readonly #batch = new UpdateBatch();
  /** Accounts that the worker holds. */
  readonly #sentAccounts = new Set<Address>();
  /** Answers served since the last flush: one message each would cost more than the answer. */
  #served: ServedQuote[] = [];
  readonly #pools = new Map<Address, PoolName>();
  #worker: Worker | null = null;
  #unreadBytes = 0;
  #hasLostUpdates = false;
  #timer: NodeJS.Timeout | null = null;
  #restart: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(deps: ReplayHostDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#timer ??= setInterval(() => this.#flush(), FLUSH_EVERY_MS);
    this.#open();
  }

  add(update: AccountUpdate): void {
    this.#sentAccounts.add(update.address);
    this.#batch.add(update);
    if (this.#batch.length >= FLUSH_BYTES) this.#flush();
  }

  forgetAll(): void {
    this.#sentAccounts.clear();
    this.#drop();
    this.#flush();
  }

  /** Sets the pools whose swaps are judged from now on. */
  watch(refs: Iterable<PoolRef>): void {
    const wanted = new Set<Address>();
    const added: PoolName[] = [];
    for (const { venue, address, mint, isReserved } of refs) {
      wanted.add(address);
      if (this.#pools.has(address)) continue;
      const name = { venue: venue.id, address, mint, isReserved };
      this.#pools.set(address, name);
      added.push(name);
    }
    const removed = [...this.#pools.keys()].filter((address) => !wanted.has(address));
    for (const address of removed) this.#pools.delete(address);
    if (added.length > 0 || removed.length > 0) this.#post({ kind: "pools", added, removed });
  }

  serve(answer: ServedQuote): void {
    this.#served.push(answer);
    if (this.#served.length >= FLUSH_ANSWERS) this.#flush();
  }

  /** Makes the worker drop accounts that are no longer held. */
  retain(holds: (address: Address) => boolean): void {
    const addresses = [...this.#sentAccounts].filter((address) => !holds(address));
    for (const address of addresses) this.#sentAccounts.delete(address);
    if (addresses.length > 0) this.#post({ kind: "forget", addresses });
  }

  /** Lets the worker send its last counts, and ends it. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer !== null) clearInterval(this.#timer);
    if (this.#restart !== null) clearTimeout(this.#restart);
    const worker = this.#worker;
    if (worker === null) return;
    const ended = once(worker, "exit", { signal: AbortSignal.timeout(CLOSE_TIMEOUT_MS) });
    this.#post({ kind: "close" });
    await ended.catch(() => worker.terminate());
  }

  #open(): void {
    const worker = new Worker(new URL("./worker.ts", import.meta.url), {
      workerData: this.#deps.start(),
    });
    this.#worker = worker;
    this.#unreadBytes = 0;
    this.#drop();
    worker.on("message", (message: FromReplay) => this.#accept(message));
    worker.on("error", (cause) => this.#deps.onFailure("replay swaps", cause));
    worker.on("exit", () => this.#end());
    const added = [...this.#pools.values()];
    if (added.length > 0) this.#post({ kind: "pools", added, removed: [] });
  }

  #accept(message: FromReplay): void {
    if (message.kind === "read") this.#unreadBytes -= message.bytes;
    else this.#deps.onMessage(message);
  }

  #end(): void {
    this.#worker = null;
    if (this.#isClosed) return;
    this.#restart = setTimeout(() => this.#open(), RESTART_DELAY_MS);
  }

  #flush(): void {
    const worker = this.#worker;
    const answers = this.#served;
    if (answers.length > 0) this.#served = [];
    if (worker === null || this.#unreadBytes > MAX_UNREAD_BYTES) {
      this.#drop();
      return;
    }
    if (this.#hasLostUpdates) worker.postMessage({ kind: "gap" } satisfies ToReplay);
    this.#hasLostUpdates = false;
    if (answers.length > 0) worker.postMessage({ kind: "served", answers } satisfies ToReplay);
    if (this.#batch.length === 0) return;
    const batch = this.#batch.take();
    this.#unreadBytes += batch.length;
    worker.postMessage({ kind: "updates", batch } satisfies ToReplay, [batch.buffer]);
  }

  #drop(): void {
    this.#batch.startOver();
    this.#hasLostUpdates = true;
  }

  /** Sends the message after all earlier updates. */
  #post(message: ToReplay): void {
    this.#flush();
    this.#worker?.postMessage(message);
  }
}
