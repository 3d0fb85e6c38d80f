const SOON_MS = 1;

/** Runs its work once for all requests that arrive together. The work may request its own next run. */
export class CoalescedTask {
  readonly #work: () => void;
  #timer: NodeJS.Timeout | null = null;

  constructor(work: () => void) {
    this.#work = work;
  }

  /** Runs the work in a later turn of the event loop, after what has arrived already. */
  request(): void {
    this.#timer ??= setTimeout(() => this.run(), SOON_MS);
  }

  /** Runs the work now, also for all earlier requests. */
  run(): void {
    this.stop();
    this.#work();
  }

  /** Drops the requests that wait. */
  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
