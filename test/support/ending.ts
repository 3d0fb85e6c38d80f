type Close = () => unknown;

/** Where a part says how it is given back: a test's context, or a benchmark's own. */
export type Ending = { readonly after: (close: () => void | Promise<void>) => void };

/** Gives back what was opened, last opened first, and each part even where another fails. */
export class Endings implements Ending {
  readonly #closers: Close[] = [];

  after(close: Close): void {
    this.#closers.push(close);
  }

  /** @throws the first failure, once every part was given back */
  async close(): Promise<void> {
    const failures: unknown[] = [];
    for (const close of this.#closers.splice(0).reverse()) {
      try {
        await close();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}

const endings = new WeakMap<Ending, Endings>();

/**
 * Gives back a part after a test, last opened first: a service ends before its database is dropped.
 * The hooks of a test context run first to last, and none after one that fails.
 */
export function closeAfter(ending: Ending, close: Close): void {
  if (ending instanceof Endings) {
    ending.after(close);
    return;
  }
  let own = endings.get(ending);
  if (own === undefined) {
    const created = new Endings();
    own = created;
    endings.set(ending, own);
    ending.after(() => created.close());
  }
  own.after(close);
}
