type Close = () => unknown;

/** What closes parts at its end: a test's context, or a benchmark. */
export type Ending = { readonly after: (close: () => void | Promise<void>) => void };

/** Closes parts, last opened first, and each one even where another fails. */
export class Endings implements Ending {
  readonly #closers: Close[] = [];
  #closing: Promise<void> = Promise.resolve();

  after(close: Close): void {
    this.#closers.push(close);
  }

  /**
   * Resolves only once nothing is left, also if a call before this one is still closing parts, or if parts are added
   * meanwhile.
   *
   * @throws once every part is closed, the failure; of several, an AggregateError
   */
  close(): Promise<void> {
    const closed = this.#closing.then(() => this.#closeAll());
    this.#closing = closed.catch(() => undefined);
    return closed;
  }

  async #closeAll(): Promise<void> {
    const failures: unknown[] = [];
    for (let close = this.#closers.pop(); close !== undefined; close = this.#closers.pop()) {
      try {
        await close();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 1) throw new AggregateError(failures, "several parts were not closed");
    if (failures.length > 0) throw failures[0];
  }
}

const endingsOf = new WeakMap<Ending, Endings>();

/**
 * Closes a part after a test, last opened first: a service ends before its database is dropped. Use it
 * instead of a context's own `after`, whose hooks run first to last, and none after one that fails.
 */
export function closeAfter(ending: Ending, close: Close): void {
  if (ending instanceof Endings) {
    ending.after(close);
    return;
  }
  let own = endingsOf.get(ending);
  if (own === undefined) {
    const created = new Endings();
    own = created;
    endingsOf.set(ending, own);
    ending.after(() => created.close());
  }
  own.after(close);
}
