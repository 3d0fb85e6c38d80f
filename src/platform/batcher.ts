export type BatcherOptions<Item> = {
  /**
   * Handles a batch, in the order of `add`. Its failure is its own to report: one that rejects or throws
   * is an unhandled error.
   */
  readonly flush: (items: readonly Item[]) => void | Promise<void>;
  /** A batch has at most so many items; as soon as so many wait, they are flushed in this round. */
  readonly maxSize?: number;
  /** From the first item of a batch to its flush; 0 (the default): the end of this round of the event loop. */
  readonly maxDelayMs?: number;
  /** Flushes that may run at once; what is added meanwhile waits for the next one. */
  readonly maxActive?: number;
};

/** Gathers items and flushes them together. */
export class Batcher<Item> {
  readonly #flush: (items: readonly Item[]) => void | Promise<void>;
  readonly #maxSize: number;
  readonly #maxDelayMs: number;
  readonly #maxActive: number;
  readonly #running = new Set<Promise<void>>();
  #waiting: Item[] = [];
  #cancelDue: (() => void) | null = null;
  #isDueNow = false;
  #isClosed = false;

  constructor({ flush, maxSize, maxDelayMs, maxActive }: BatcherOptions<Item>) {
    this.#flush = flush;
    this.#maxSize = maxSize ?? Infinity;
    this.#maxDelayMs = maxDelayMs ?? 0;
    this.#maxActive = maxActive ?? Infinity;
  }

  /** Items that no flush has taken yet, oldest first. */
  get waiting(): readonly Item[] {
    return this.#waiting;
  }

  /** After `close` an item is dropped. */
  add(item: Item): void {
    if (this.#isClosed) return;
    this.#waiting.push(item);
    this.#schedule();
  }

  /** Flushes what waits now, `maxActive` or not, and resolves when every flush has ended. */
  async flushNow(): Promise<void> {
    this.#cancel();
    while (this.#waiting.length > 0) this.#begin();
    await Promise.all(this.#running);
  }

  /** Drops what waits; flushes that run go on. */
  clear(): void {
    this.#cancel();
    this.#waiting = [];
  }

  /** Flushes what waits, takes nothing more, and resolves when every flush has ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.flushNow();
  }

  #schedule(): void {
    if (this.#waiting.length === 0 || this.#running.size >= this.#maxActive) return;
    const isDueNow = this.#maxDelayMs === 0 || this.#waiting.length >= this.#maxSize;
    if (this.#cancelDue !== null && (this.#isDueNow || !isDueNow)) return;
    this.#cancel();
    this.#isDueNow = isDueNow;
    if (isDueNow) {
      const immediate = setImmediate(() => this.#flushDue());
      this.#cancelDue = () => clearImmediate(immediate);
    } else {
      const timer = setTimeout(() => this.#flushDue(), this.#maxDelayMs);
      this.#cancelDue = () => clearTimeout(timer);
    }
  }

  #cancel(): void {
    this.#cancelDue?.();
    this.#cancelDue = null;
  }

  #flushDue(): void {
    this.#cancelDue = null;
    this.#begin();
    this.#schedule();
  }

  #begin(): void {
    const items = this.#waiting.splice(0, this.#maxSize);
    const flushed = this.#flush(items);
    if (flushed === undefined) return;
    const running = flushed.finally(() => {
      this.#running.delete(running);
      this.#schedule();
    });
    this.#running.add(running);
  }
}

type Request<Item, Answer> = {
  readonly item: Item;
  readonly answer: PromiseWithResolvers<Answer>;
};

export type RequestBatcherOptions<Item, Answer> = Omit<BatcherOptions<Item>, "flush"> & {
  /** Handles a batch: one answer for each item, in their order. */
  readonly handle: (items: readonly Item[]) => Promise<readonly Answer[]>;
};

/** Gathers requests, handles them together, and gives each caller its own answer. */
export class RequestBatcher<Item, Answer> {
  readonly #batcher: Batcher<Request<Item, Answer>>;
  readonly #handle: (items: readonly Item[]) => Promise<readonly Answer[]>;

  constructor(options: RequestBatcherOptions<Item, Answer>) {
    const { handle, ...limits } = options;
    this.#handle = handle;
    this.#batcher = new Batcher({ ...limits, flush: (requests) => this.#answer(requests) });
  }

  /** @throws what `handle` threw for the batch */
  add(item: Item): Promise<Answer> {
    const answer = Promise.withResolvers<Answer>();
    this.#batcher.add({ item, answer });
    return answer.promise;
  }

  async #answer(requests: readonly Request<Item, Answer>[]): Promise<void> {
    try {
      const answers = await this.#handle(requests.map(({ item }) => item));
      if (answers.length !== requests.length)
        throw new Error(`${answers.length} answers for ${requests.length} items of a batch`);
      for (const [place, answer] of answers.entries()) requests[place]?.answer.resolve(answer);
    } catch (cause) {
      for (const { answer } of requests) answer.reject(cause);
    }
  }
}

/** Look-ups by key, gathered: each distinct key of a batch is looked up once. Undefined: not found. */
export function batchedLookup<Key, Value>(
  find: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>,
  maxSize: number,
): (key: Key) => Promise<Value | undefined> {
  const requests = new RequestBatcher<Key, Value | undefined>({
    maxSize,
    handle: async (keys) => {
      const found = await find([...new Set(keys)]);
      return keys.map((key) => found.get(key));
    },
  });
  return (key) => requests.add(key);
}
