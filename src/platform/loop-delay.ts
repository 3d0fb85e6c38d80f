import { monitorEventLoopDelay } from "node:perf_hooks";

const RESOLUTION_MS = 10;
const NANOSECONDS = 1e9;

/** Time between turns of this thread's event loop, of which a timer of ten milliseconds is the least. */
export class LoopDelay {
  readonly #histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });

  constructor() {
    this.#histogram.enable();
  }

  /** 99th percentile since the last call, seconds; null: the loop has not turned since. */
  readonly takeP99Seconds = (): number | null => {
    const { count } = this.#histogram;
    const p99 = this.#histogram.percentile(99) / NANOSECONDS;
    this.#histogram.reset();
    return count === 0 ? null : p99;
  };

  readonly close = (): void => {
    this.#histogram.disable();
  };
}
