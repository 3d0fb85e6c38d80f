/**
 * Calls many functions when a shared signal aborts, with one listener on the signal: an EventTarget compares
 * each new listener with all that it has, which costs most of the CPU time with thousands of waiting reads.
 */
export class AbortWaiters {
  readonly #bySignal = new WeakMap<AbortSignal, Set<() => void>>();

  /** Calls `onAbort` when the signal aborts. Returns a function that removes it. */
  add(signal: AbortSignal | undefined, onAbort: () => void): () => void {
    if (signal === undefined) return () => undefined;
    const waiters = this.#waitersOf(signal);
    waiters.add(onAbort);
    return () => waiters.delete(onAbort);
  }

  #waitersOf(signal: AbortSignal): Set<() => void> {
    const known = this.#bySignal.get(signal);
    if (known !== undefined) return known;
    const made = new Set<() => void>();
    this.#bySignal.set(signal, made);
    const onAbort = (): void => {
      for (const waiter of made) waiter();
      made.clear();
    };
    signal.addEventListener("abort", onAbort, { once: true });
    return made;
  }
}
