import { setTimeout as delay } from "node:timers/promises";

export type PacerOptions = {
  /** Milliseconds between two calls before anything is learned; 0: no pause. */
  readonly firstIntervalMs: number;
  readonly longestIntervalMs: number;
  /** Calls of this pacer wait, for a while, as long as calls of the other one wait. */
  readonly yieldsTo?: CallPacer;
  /** Calls of this pacer also take a turn of the other one: the provider counts both. */
  readonly sharesWith?: CallPacer;
  /**
   * After a pause, send at once as many calls as the learned rate allows in a second, because providers
   * count calls by the second. False by default: calls keep the interval.
   */
  readonly isBurst?: boolean;
};

/** The pause between calls after the first refusal of an unpaced kind. */
const LEAST_LEARNED_MS = 50;
const GROWTH = 1.4;
/**
 * The provider's rate is the number of successful calls before a refusal, if there were enough of them:
 * since the previous refusal, because a provider may count over several seconds, or else in the last second.
 */
const RATE_WINDOW_MS = 1_000;
const LONGEST_RATE_WINDOW_MS = 10_000;
const LEAST_CALLS_OF_RATE = 3;
/** Successes that are remembered, at least. */
const MOST_PASSED = 1_000;
const SHRINK = 0.97;
/** After so long without a refusal each success makes the calls a little faster. */
const CALM_MS = 5_000;
/** A node that answers faster than this is near, such as the operator's own node; providers are farther away. */
const NEAR_MS = 25;
/** One such answer counts for so long: later ones may wait at a busy node, or for this process while it is busy. */
const NEAR_FOR_MS = 10 * 60_000;
/** Each answer of a near node that has refused nothing shortens the pause by this factor, down to none. */
const SHRINK_NEAR = 0.85;
const LEAST_NEAR_MS = 1;
/** For this time after a refusal because of the rate, a node counts as a provider. */
const PROVIDER_FOR_MS = 10 * 60_000;
/** How long calls of less weight pause after a refusal of calls of more weight. */
const GIVE_WAY_MS = 700;
/** Refusals of calls that were sent together count as one. */
const SAME_REFUSAL_MS = 150;
/** No Retry-After is obeyed for longer at a time. */
const LONGEST_PAUSE_MS = 30_000;
const LONGEST_YIELD_MS = 8_000;
/** Calls of less weight leave half of a learned rate to calls of more weight. */
const LESSER_SHARE = 2;
/** If calls of more weight never pause, every fifth call may still be one of less weight. */
const LEAST_SHARE = 5;
const YIELD_STEP_MS = 25;
/** With a learned rate, calls of less weight pause for this time after each call of more weight. */
const IN_USE_MS = 250;
/** Providers count calls by the second; calls do not arrive as evenly as they are sent. */
const BURST_WINDOW_MS = 1_050;

/**
 * Spaces the calls of one kind. The rate is learned: each refusal for the rate makes the calls
 * slower, and a calm time makes them faster again. Calls to a near node that refuses nothing are not spaced
 * any more after some dozens of answers.
 */
export class CallPacer {
  readonly #options: PacerOptions;
  #intervalMs: number;
  #nextMs = 0;
  #pausedUntilMs = 0;
  #refusedAtMs = Number.NEGATIVE_INFINITY;
  #usedAtMs = Number.NEGATIVE_INFINITY;
  /** Begin of the present series of calls, in which no two are farther apart than IN_USE_MS. */
  #inUseSinceMs = Number.NEGATIVE_INFINITY;
  /** When a call of less weight was last sent. */
  #lesserSentAtMs = Number.NEGATIVE_INFINITY;
  #waiting = 0;
  /** When the latest calls succeeded, oldest first. */
  readonly #passedAtMs: number[] = [];
  /** When the last answer came within NEAR_MS. */
  #nearAtMs = Number.NEGATIVE_INFINITY;
  /** When calls of the last second were or will be sent, those of lesser pacers included, ascending. */
  #sentAtMs: number[] = [];

  constructor(options: PacerOptions) {
    this.#options = options;
    this.#intervalMs = options.firstIntervalMs;
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
    const { yieldsTo, sharesWith } = this.#options;
    if (yieldsTo !== undefined) {
      await this.#lesserTurn(yieldsTo, signal);
      return;
    }
    await this.#ownTurn(signal);
    await sharesWith?.turn(signal);
  }

  async #ownTurn(signal: AbortSignal | undefined): Promise<void> {
    const nowMs = performance.now();
    if (!this.#isInUse(nowMs)) this.#inUseSinceMs = nowMs;
    this.#usedAtMs = nowMs;
    const atMs = this.#reserve(nowMs);
    if (atMs <= nowMs) return;
    this.#waiting++;
    try {
      await wait(atMs - nowMs, signal);
      // A refusal may have come meanwhile.
      while (this.pausedForMs > 0) await wait(this.pausedForMs, signal);
    } finally {
      this.#waiting--;
      this.#usedAtMs = performance.now();
    }
  }

  /** @returns the time at which the next call is sent */
  #reserve(nowMs: number): number {
    const freeMs = this.#options.isBurst === true ? this.#freeInWindowMs(nowMs) : this.#nextMs;
    const atMs = Math.max(nowMs, freeMs, this.#pausedUntilMs);
    this.#nextMs = atMs + this.#intervalMs;
    this.#noteSent(atMs);
    return atMs;
  }

  /** Waits without reserving a place, so that calls of the other pacer can be sent meanwhile. */
  async #lesserTurn(other: CallPacer, signal: AbortSignal | undefined): Promise<void> {
    const startedMs = performance.now();
    this.#waiting++;
    try {
      while (true) {
        const nowMs = performance.now();
        const isPatient = nowMs - startedMs < LONGEST_YIELD_MS;
        const leftMs = Math.max(this.#nextMs, this.#pausedUntilMs) - nowMs;
        if (leftMs > 0) await wait(leftMs, signal);
        else if (isPatient && other.isPressed && !other.#admitsLesser(nowMs))
          await wait(YIELD_STEP_MS, signal);
        else break;
      }
    } finally {
      this.#waiting--;
    }
    const nowMs = performance.now();
    this.#nextMs = nowMs + Math.max(this.#intervalMs, LESSER_SHARE * other.intervalMs);
    other.#lesserSentAtMs = nowMs;
    other.#noteSent(nowMs);
  }

  /** The provider refused a call because of its rate. */
  limited(retryAfterMs: number | null): void {
    const nowMs = performance.now();
    if (retryAfterMs !== null) {
      const untilMs = nowMs + Math.min(retryAfterMs, LONGEST_PAUSE_MS);
      this.#pausedUntilMs = Math.max(this.#pausedUntilMs, untilMs);
    }
    if (nowMs - this.#refusedAtMs < Math.max(SAME_REFUSAL_MS, this.#intervalMs)) return;
    this.#intervalMs = Math.min(this.#learnedMs(nowMs), this.#options.longestIntervalMs);
    this.#refusedAtMs = nowMs;
  }

  /** Calls go to another provider from now on, whose rate is not known. */
  forgetRate(): void {
    this.#intervalMs = this.#options.firstIntervalMs;
    this.#nextMs = 0;
    this.#pausedUntilMs = 0;
    this.#sentAtMs = [];
  }

  /** The interval that follows from the successful calls before this refusal. */
  #learnedMs(nowMs: number): number {
    const sinceRefusalMs = nowMs - this.#refusedAtMs;
    const inSecond = this.#passedSince(nowMs - RATE_WINDOW_MS).length;
    if (this.#options.isBurst === true && inSecond >= LEAST_CALLS_OF_RATE) {
      return Math.max(RATE_WINDOW_MS / inSecond, LEAST_LEARNED_MS);
    }
    const windowMs = sinceRefusalMs <= LONGEST_RATE_WINDOW_MS ? sinceRefusalMs : RATE_WINDOW_MS;
    const passed = this.#passedSince(nowMs - windowMs).length;
    const rateMs = passed < LEAST_CALLS_OF_RATE ? 0 : windowMs / passed;
    const spacedMs = Math.max(this.#intervalMs, this.#options.firstIntervalMs);
    return Math.max(spacedMs * GROWTH, LEAST_LEARNED_MS, rateMs);
  }

  /** A call was answered, `tookMs` after it was sent. */
  succeeded(tookMs: number): void {
    const nowMs = performance.now();
    this.#notePassed(nowMs);
    const { yieldsTo, sharesWith } = this.#options;
    const counting = yieldsTo ?? sharesWith;
    if (counting !== undefined) counting.#notePassed(nowMs);
    if (tookMs < NEAR_MS) this.#nearAtMs = nowMs;
    if (this.#intervalMs === 0) return;
    const calmMs = nowMs - this.#refusedAtMs;
    if (this.isNear) {
      const shrunkMs = this.#intervalMs * SHRINK_NEAR;
      this.#intervalMs = shrunkMs < LEAST_NEAR_MS ? 0 : shrunkMs;
      return;
    }
    if (this.#intervalMs <= this.#options.firstIntervalMs || calmMs < CALM_MS) return;
    const shrunkMs = this.#intervalMs * SHRINK;
    this.#intervalMs = shrunkMs < LEAST_LEARNED_MS / 2 ? this.#options.firstIntervalMs : shrunkMs;
  }

  /** Whether the node has answered as soon as an own one does, and has refused nothing, for a while. */
  get isNear(): boolean {
    const nowMs = performance.now();
    if (nowMs - this.#refusedAtMs < PROVIDER_FOR_MS) return false;
    return nowMs - this.#nearAtMs < NEAR_FOR_MS;
  }

  /** Whether calls wait for their turn, or one was refused a moment ago, or sent at a learned rate. */
  get isPressed(): boolean {
    const nowMs = performance.now();
    return this.#isHeldUp(nowMs) || (this.#intervalMs > 0 && this.#isInUse(nowMs));
  }

  #isHeldUp(nowMs: number): boolean {
    return this.#waiting > 0 || nowMs - this.#refusedAtMs < GIVE_WAY_MS;
  }

  #isInUse(nowMs: number): boolean {
    return this.#waiting > 0 || nowMs - this.#usedAtMs < IN_USE_MS;
  }

  /**
   * Whether a call of less weight may be sent although this pacer's calls do not pause: they have not paused
   * for longer than a first answer takes, and either half of the learned rate stays free with one more call,
   * or the least share of calls of less weight is due.
   */
  #admitsLesser(nowMs: number): boolean {
    const isInUseForLong = this.#isInUse(nowMs) && nowMs - this.#inUseSinceMs >= LONGEST_YIELD_MS;
    if (!isInUseForLong || this.pausedForMs > 0) return false;
    if (nowMs - this.#lesserSentAtMs >= LEAST_SHARE * this.#intervalMs) return true;
    if (this.#isHeldUp(nowMs)) return false;
    const recentMs = nowMs - BURST_WINDOW_MS;
    const sent = this.#sentAtMs.filter((sentMs) => sentMs > recentMs).length;
    return LESSER_SHARE * (sent + 1) <= RATE_WINDOW_MS / this.#intervalMs;
  }

  /** The time from which one more call stays within the calls that the learned rate allows in a second. */
  #freeInWindowMs(nowMs: number): number {
    if (this.#intervalMs === 0) return nowMs;
    if (this.#intervalMs >= BURST_WINDOW_MS) return this.#nextMs;
    const allowed = Math.max(1, Math.floor(RATE_WINDOW_MS / this.#intervalMs));
    const place = this.#sentAtMs.length - allowed;
    const before = this.#sentAtMs[place];
    return before === undefined ? nowMs : before + BURST_WINDOW_MS;
  }

  #noteSent(atMs: number): void {
    if (this.#intervalMs === 0) return;
    const recentMs = performance.now() - BURST_WINDOW_MS;
    const recent = this.#sentAtMs.filter((sentMs) => sentMs > recentMs);
    this.#sentAtMs = [...recent, atMs].toSorted((a, b) => a - b);
  }

  #notePassed(atMs: number): void {
    this.#passedAtMs.push(atMs);
    if (this.#passedAtMs.length > 2 * MOST_PASSED) this.#passedAtMs.splice(0, MOST_PASSED);
  }

  #passedSince(sinceMs: number): readonly number[] {
    return this.#passedAtMs.filter((atMs) => atMs >= sinceMs);
  }
}

/** @throws the signal's reason */
export async function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await delay(ms, undefined, signal === undefined ? {} : { signal }).catch((cause: unknown) => {
    signal?.throwIfAborted();
    throw cause;
  });
}
