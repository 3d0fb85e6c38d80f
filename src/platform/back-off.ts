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

/** Waits that grow with each failure in a row and start again after a success. */
export class BackOff {
  readonly #options: BackOffOptions;
  #failures = 0;

  constructor(options: BackOffOptions) {
    this.#options = options;
  }

  /** Counts one failure more. @returns milliseconds to wait before the next attempt */
  nextMs(): number {
    this.#failures++;
    return backOffMs(this.#options, this.#failures);
  }

  /** The last attempt succeeded. */
  reset(): void {
    this.#failures = 0;
  }
}
