type Close = () => void | Promise<void>;

/** What was opened so far, to be closed in reverse order. */
export class Closers {
  readonly #closers: Close[] = [];

  push(close: Close): void {
    this.#closers.push(close);
  }

  /**
   * Closes everything once, last opened first. A part that fails to close does not keep the others
   * open.
   *
   * @throws the first failure, after all are closed
   */
  async close(): Promise<void> {
    const failures: unknown[] = [];
    await this.closeReporting((error) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  }

  /** The same, but passes failures to `onFailure`. */
  async closeReporting(onFailure: (error: unknown) => void): Promise<void> {
    for (const close of this.#closers.splice(0).reverse()) {
      try {
        await close();
      } catch (error) {
        onFailure(error);
      }
    }
  }
}
