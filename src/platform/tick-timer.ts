const EVERY_MS = 15;
/** The longest rest: a call that seems to take longer may be a change of the clock. */
const LONGEST_REST_MS = 200;

/**
 * Calls a function every 15 ms, but rests after each call for at least as long as the call took: one turn of the
 * event loop reads only a part of what has arrived.
 */
export class TickTimer {
  readonly #tick: () => number;
  #timer: NodeJS.Timeout | null = null;

  /** @param tick returns how many milliseconds it took */
  constructor(tick: () => number) {
    this.#tick = tick;
  }

  get isRunning(): boolean {
    return this.#timer !== null;
  }

  start(): void {
    this.#timer ??= setTimeout(() => this.#run(), EVERY_MS);
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #run(): void {
    const tookMs = this.#tick();
    if (this.#timer === null) return;
    const waitMs = Math.max(EVERY_MS - tookMs, Math.min(tookMs, LONGEST_REST_MS));
    this.#timer = setTimeout(() => this.#run(), waitMs);
  }
}
