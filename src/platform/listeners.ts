/**
 * Listeners of one kind of event, called in the order in which they were added. By default a listener's
 * exception reaches the emitter; with `onFailure` it costs this one call alone.
 */
export class Listeners<Event> {
  readonly #entries = new Set<{ readonly listener: (event: Event) => void }>();
  readonly #onFailure: ((cause: unknown) => void) | null;

  constructor(onFailure: ((cause: unknown) => void) | null = null) {
    this.#onFailure = onFailure;
  }

  /** @returns what removes the listener again */
  add(listener: (event: Event) => void): () => void {
    const entry = { listener };
    this.#entries.add(entry);
    return () => {
      this.#entries.delete(entry);
    };
  }

  emit(event: Event): void {
    for (const { listener } of this.#entries) {
      try {
        listener(event);
      } catch (cause) {
        if (this.#onFailure === null) throw cause;
        this.#onFailure(cause);
      }
    }
  }

  clear(): void {
    this.#entries.clear();
  }
}
