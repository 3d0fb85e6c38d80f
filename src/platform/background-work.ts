/** Runs work that no caller awaits: reports its failures, and can wait until all of it is done. */
export class BackgroundWork {
  readonly #onFailure: (what: string, cause: unknown) => void;
  readonly #running = new Set<Promise<void>>();
  readonly #named = new Set<string>();

  constructor(onFailure: (what: string, cause: unknown) => void) {
    this.#onFailure = onFailure;
  }

  /** How many run. */
  get size(): number {
    return this.#running.size;
  }

  run(what: string, work: Promise<unknown>): void {
    const done = work
      .then(
        () => {},
        (cause: unknown) => this.#onFailure(what, cause),
      )
      .finally(() => this.#running.delete(done));
    this.#running.add(done);
  }

  /** Runs the work unless work of the same name is in progress. */
  runAlone(what: string, work: () => Promise<unknown>): void {
    if (this.#named.has(what)) return;
    this.#named.add(what);
    this.run(
      what,
      work().finally(() => this.#named.delete(what)),
    );
  }

  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }
}
