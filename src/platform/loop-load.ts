import { type EventLoopUtilization, performance } from "node:perf_hooks";

/** A share over less time is that of a moment. */
const MEASURED_OVER_MS = 1_000;

/** How busy this thread's event loop is. */
export class LoopLoad {
  #since: EventLoopUtilization = performance.eventLoopUtilization();
  #sinceMs = performance.now();
  #share = 0;

  /** The share of the last second or more in which the event loop did not wait, 0 to 1. */
  readonly share = (): number => {
    const nowMs = performance.now();
    if (nowMs - this.#sinceMs < MEASURED_OVER_MS) return this.#share;
    const now = performance.eventLoopUtilization();
    this.#share = performance.eventLoopUtilization(now, this.#since).utilization;
    this.#since = now;
    this.#sinceMs = nowMs;
    return this.#share;
  };
}
