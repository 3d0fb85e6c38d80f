import type { WallClock } from "./clock.ts";

const LEAST_REST_MS = 1;

/** Runs its work once for all requests that arrive together. After a run it rests as long as that took. */
export class CoalescedTask {
  readonly #work: () => void;
  readonly #clock: WallClock;
  #timer: NodeJS.Timeout | null = null;
  #restsUntilMs = 0;

  constructor(work: () => void, clock: WallClock) {
    this.#work = work;
    this.#clock = clock;
  }

  /** Runs the work soon: once what has arrived already was handled, and the rest is over. */
  request(): void {
    if (this.#timer !== null) return;
    const waitMs = Math.max(0, this.#restsUntilMs - this.#clock.nowMs());
    this.#timer = setTimeout(() => this.run(), waitMs);
  }

  /** Runs the work now, also for all earlier requests. */
  run(): void {
    this.stop();
    const startedMs = this.#clock.nowMs();
    this.#work();
    const endedMs = this.#clock.nowMs();
    this.#restsUntilMs = endedMs + Math.max(LEAST_REST_MS, endedMs - startedMs);
  }

  /** Drops the requests that wait. */
  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
