/** Work by key: while it runs for a key, further callers of that key get the same result. */
export class SingleFlight<Key, Result> {
  readonly #running = new Map<Key, Promise<Result>>();

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

  /** Resolves when nothing runs. Failures reach the callers of `run` alone. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running.values());
  }
}
