import type { FailureLog } from "./failure-log.ts";

export type PollerOptions<Result> = {
  readonly run: () => Result | Promise<Result>;
  /** Time from the start of a run to the start of the next one, which never begins before the first has ended. */
  readonly everyMs: number;
  /** Null: a failure of a timed run is uncaught, as it would be in a bare timer. */
  readonly failures: FailureLog | null;
  /** Whether the timer alone keeps the process alive. It does not by default. */
  readonly keepsProcessAlive?: boolean;
};

/**
 * Runs something again and again, one run at a time. A failed run is reported to `failures` and does not
 * end the polling.
 */
export class Poller<Result = void> {
  readonly #options: PollerOptions<Result>;
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<Result> | null = null;
  #isClosed = false;

  constructor(options: PollerOptions<Result>) {
    this.#options = options;
  }

  /** The first run starts `everyMs` from now. Has no effect while started or after `close`. */
  start(): void {
    if (this.#timer !== null || this.#isClosed) return;
    const { everyMs, keepsProcessAlive } = this.#options;
    this.#timer = setInterval(() => void this.#runOnTime(), everyMs);
    if (keepsProcessAlive !== true) this.#timer.unref();
  }

  /**
   * Runs now, or joins the run under way. Its failure reaches the caller and `failures`. Synchronous work
   * is done, and may be done again, when this returns.
   */
  runNow(): Promise<Result> {
    if (this.#running !== null) return this.#running;
    const { run, failures } = this.#options;
    try {
      const result = run();
      if (result instanceof Promise) {
        this.#running = this.#ended(result);
        return this.#running;
      }
      failures?.succeeded();
      return Promise.resolve(result);
    } catch (cause) {
      failures?.failed(cause);
      return Promise.reject(cause);
    }
  }

  /** No timed run starts from now on; one that is under way goes on. */
  stop(): void {
    clearInterval(this.#timer ?? undefined);
    this.#timer = null;
  }

  /** Stops for good and resolves when the run under way has ended, however it ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.stop();
    await this.#running?.catch(() => undefined);
  }

  async #runOnTime(): Promise<void> {
    const isJoined = this.#running !== null;
    const run = this.runNow();
    // The failure of a run that was joined is its caller's.
    await (this.#options.failures === null && !isJoined ? run : run.catch(() => undefined));
  }

  async #ended(run: Promise<Result>): Promise<Result> {
    const { failures } = this.#options;
    try {
      const result = await run;
      failures?.succeeded();
      return result;
    } catch (cause) {
      failures?.failed(cause);
      throw cause;
    } finally {
      this.#running = null;
    }
  }
}
