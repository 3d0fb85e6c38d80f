/** Work by key: while it runs for a key, further callers of that key get the same result. */
export class SingleFlight<Key, Result> {
  readonly #running = new Map<Key, Promise<Result>>();
  /** Resolvers of the callers of `idle`. */
  readonly #idlers = new Set<() => void>();
  #isWatched = false;

  run(key: Key, work: () => Promise<Result>): Promise<Result> {
    const running = this.#running.get(key);
    if (running !== undefined) return running;
    const begun = work().finally(() => this.#running.delete(key));
    this.#running.set(key, begun);
    return begun;
  }

  has(key: Key): boolean {
    return this.#running.has(key);
  }

  get size(): number {
    return this.#running.size;
  }

  /**
   * Resolves when nothing runs. Only the callers of `run` receive failures. After the signal aborts, no
   * memory of this wait is kept.
   *
   * @throws the signal's reason
   */
  async idle(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (this.#running.size === 0) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const giveUp = (): void => reject(signal?.reason);
    signal?.addEventListener("abort", giveUp, { once: true });
    this.#idlers.add(resolve);
    if (!this.#isWatched) void this.#watch();
    try {
      await promise;
    } finally {
      signal?.removeEventListener("abort", giveUp);
      this.#idlers.delete(resolve);
    }
  }

  /** One loop for all callers of `idle`: if runs always overlap, it never ends. */
  async #watch(): Promise<void> {
    this.#isWatched = true;
    while (this.#running.size > 0) await Promise.allSettled(this.#running.values());
    this.#isWatched = false;
    for (const resolve of this.#idlers) resolve();
    this.#idlers.clear();
  }
}
