import { setTimeout as delay } from "node:timers/promises";

export type PacerOptions = {
  /** Milliseconds between two calls before anything is learned; 0: no pause. */
  readonly firstIntervalMs: number;
  readonly longestIntervalMs: number;
  /** Calls of this pacer wait, for a while, as long as calls of the other one wait. */
  readonly yieldsTo?: CallPacer;
};

/** The pause between calls after the first refusal of an unpaced kind. */
const LEAST_LEARNED_MS = 50;
const GROWTH = 1.4;
/**
 * What passed before a refusal is the provider's rate, if it was so many calls: since the refusal before,
 * as an allowance may be of many seconds, else in the last second.
 */
const RATE_WINDOW_MS = 1_000;
const LONGEST_RATE_WINDOW_MS = 10_000;
const LEAST_CALLS_OF_RATE = 3;
/** Successes that are remembered, at least. */
const MOST_PASSED = 1_000;
const SHRINK = 0.97;
/** After so long without a refusal each success makes the calls a little faster. */
const CALM_MS = 5_000;
/** How long calls of less weight pause after a refusal of these. */
const GIVE_WAY_MS = 700;
/** Refusals of calls that were sent together count as one. */
const SAME_REFUSAL_MS = 150;
/** No Retry-After is obeyed for longer at a time. */
const LONGEST_PAUSE_MS = 30_000;
const LONGEST_YIELD_MS = 8_000;
/** Calls of less weight leave most of a learned rate to the others. */
const LESSER_SHARE = 4;
const YIELD_STEP_MS = 25;

/**
 * Spaces the calls of one kind. The rate is learned: each refusal for the rate makes the calls
 * slower, and a calm time makes them faster again.
 */
export class CallPacer {
  readonly #options: PacerOptions;
  #intervalMs: number;
  #nextMs = 0;
  #pausedUntilMs = 0;
  #refusedAtMs = Number.NEGATIVE_INFINITY;
  #waiting = 0;
  /** When the latest calls succeeded, oldest first. */
  readonly #passedAtMs: number[] = [];

  constructor(options: PacerOptions) {
    this.#options = options;
    this.#intervalMs = options.firstIntervalMs;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** The learned pause between two calls. */
  get intervalMs(): number {
    return this.#intervalMs;
  }

  /** How long a call that asks for its turn now would wait because of a Retry-After. */
  get pausedForMs(): number {
    return Math.max(0, this.#pausedUntilMs - performance.now());
  }

  /** Resolves when the next call may be sent. @throws the signal's reason */
  async turn(signal: AbortSignal | undefined): Promise<void> {
    await this.#yield(signal);
    const nowMs = performance.now();
    const atMs = Math.max(nowMs, this.#nextMs, this.#pausedUntilMs);
    const { yieldsTo } = this.#options;
    const shareMs = LESSER_SHARE * (yieldsTo?.intervalMs ?? 0);
    this.#nextMs = atMs + Math.max(this.#intervalMs, shareMs);
    if (atMs <= nowMs) return;
    this.#waiting++;
    try {
      await wait(atMs - nowMs, signal);
      // A refusal may have come meanwhile.
      while (this.pausedForMs > 0) await wait(this.pausedForMs, signal);
    } finally {
      this.#waiting--;
    }
  }

  /** The provider refused a call because of its rate. */
  limited(retryAfterMs: number | null): void {
    const nowMs = performance.now();
    if (retryAfterMs !== null) {
      const untilMs = nowMs + Math.min(retryAfterMs, LONGEST_PAUSE_MS);
      this.#pausedUntilMs = Math.max(this.#pausedUntilMs, untilMs);
    }
    if (nowMs - this.#refusedAtMs < Math.max(SAME_REFUSAL_MS, this.#intervalMs)) return;
    const sinceRefusalMs = nowMs - this.#refusedAtMs;
    const windowMs = sinceRefusalMs <= LONGEST_RATE_WINDOW_MS ? sinceRefusalMs : RATE_WINDOW_MS;
    const passed = this.#passedSince(nowMs - windowMs).length;
    const rateMs = passed < LEAST_CALLS_OF_RATE ? 0 : windowMs / passed;
    this.#refusedAtMs = nowMs;
    const grownMs = Math.max(this.#intervalMs * GROWTH, LEAST_LEARNED_MS, rateMs);
    this.#intervalMs = Math.min(grownMs, this.#options.longestIntervalMs);
  }

  succeeded(): void {
    const nowMs = performance.now();
    this.#passedAtMs.push(nowMs);
    if (this.#passedAtMs.length > 2 * MOST_PASSED) this.#passedAtMs.splice(0, MOST_PASSED);
    if (this.#intervalMs <= this.#options.firstIntervalMs) return;
    if (nowMs - this.#refusedAtMs < CALM_MS) return;
    const shrunkMs = this.#intervalMs * SHRINK;
    this.#intervalMs = shrunkMs < LEAST_LEARNED_MS / 2 ? this.#options.firstIntervalMs : shrunkMs;
  }

  /** Whether the provider refused one of these calls a moment ago, or some wait for their turn. */
  get isPressed(): boolean {
    return this.#waiting > 0 || performance.now() - this.#refusedAtMs < GIVE_WAY_MS;
  }

  #passedSince(sinceMs: number): readonly number[] {
    return this.#passedAtMs.filter((atMs) => atMs >= sinceMs);
  }

  async #yield(signal: AbortSignal | undefined): Promise<void> {
    const { yieldsTo } = this.#options;
    if (yieldsTo === undefined) return;
    for (let waitedMs = 0; waitedMs < LONGEST_YIELD_MS; waitedMs += YIELD_STEP_MS) {
      if (!yieldsTo.isPressed) return;
      await wait(YIELD_STEP_MS, signal);
    }
  }
}

/** @throws the signal's reason */
export async function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await delay(ms, undefined, signal === undefined ? {} : { signal }).catch((cause: unknown) => {
    signal?.throwIfAborted();
    throw cause;
  });
}
