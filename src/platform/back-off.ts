export type BackOffOptions = {
  /** The longest wait after the first failure; it doubles with each further one. */
  readonly firstMs: number;
  readonly longestMs: number;
  /** 0 up to 1: spreads the waits of many processes. */
  readonly random: () => number;
};

/** Milliseconds to wait after `failures` failures in a row (1 or more): half of the wait is random. */
export function backOffMs(
  { firstMs, longestMs, random }: BackOffOptions,
  failures: number,
): number {
  const grownMs = Math.min(firstMs * 2 ** (failures - 1), longestMs);
  return grownMs * (0.5 + 0.5 * random());
}

/**
 * Waits that grow with each failure in a row. They start again once an attempt has worked for as long as the
 * longest wait: a server that accepts each connection and soon ends it gets growing waits too.
 */
export class BackOff {
  readonly #options: BackOffOptions;
  #failures = 0;
  /** When the last attempt was first seen to work; null: it has not been. */
  #worksSinceMs: number | null = null;

  constructor(options: BackOffOptions) {
    this.#options = options;
  }

  /** Counts one failure more. @returns milliseconds to wait before the next attempt */
  nextMs(): number {
    if (this.hasLasted) this.#failures = 0;
    this.#worksSinceMs = null;
    this.#failures++;
    return backOffMs(this.#options, this.#failures);
  }

  /** The last attempt works. Cheap to call for each sign of it. */
  succeeded(): void {
    this.#worksSinceMs ??= performance.now();
  }

  /** Whether the last attempt has worked for as long as the longest wait: the failing is over. */
  get hasLasted(): boolean {
    const sinceMs = this.#worksSinceMs;
    return sinceMs !== null && performance.now() - sinceMs >= this.#options.longestMs;
  }
}
