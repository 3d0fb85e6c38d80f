/** Where a part says how it is given back: a test's context, or a benchmark's own. */
export type Ending = { readonly after: (close: () => void | Promise<void>) => void };

/** Gives back what was opened, last opened first. */
export class Endings implements Ending {
  readonly #closers: (() => void | Promise<void>)[] = [];

  after(close: () => void | Promise<void>): void {
    this.#closers.push(close);
  }

  async close(): Promise<void> {
    for (const close of this.#closers.splice(0).reverse()) await close();
  }
}
