/** `hot`: what hot-route.ts answers. `ordinary`: everything else, which costs many times as much. */
export type RequestKind = "ordinary" | "hot";
export type Refusal = "stopping" | "overloaded";

/**
 * For how long the event loop may have been at one round of work before what it comes to next is
 * refused. An ordinary refusal costs a fraction of an answer, so that refusing ends the round. A hot
 * answer costs no more than its refusal, which makes room for nobody: hot requests are refused last.
 */
const LONGEST_ROUND_MS: Readonly<Record<RequestKind, number>> = { ordinary: 500, hot: 1_000 };
const BEAT_EVERY_MS = 100;

/**
 * Whether requests are taken. A timer beats as often as the event loop comes round; when requests
 * pile up, all of them are handled in one round, and those that are come to long after the beat was
 * due have waited for as long already: their turn would come too late, and hold up the next round.
 */
export class Admission {
  readonly #refused = { stopping: 0, overloaded: 0 };
  #beatDueMs = Number.POSITIVE_INFINITY;
  #isStopping = false;

  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** Refused requests since the start. */
  get refused(): Readonly<Record<Refusal, number>> {
    return this.#refused;
  }

  /** Watches the event loop from now on. @returns what ends it */
  watch(): () => void {
    this.beat(performance.now());
    const timer = setInterval(() => this.beat(performance.now()), BEAT_EVERY_MS).unref();
    return () => clearInterval(timer);
  }

  /** The event loop has come round: `nowMs` on the clock of `performance.now()`. */
  beat(nowMs: number): void {
    this.#beatDueMs = nowMs + BEAT_EVERY_MS;
  }

  /** From now on what is new is refused; what is under way goes on. */
  stop(): void {
    this.#isStopping = true;
  }

  /** Whether this round has lasted too long for such a request. */
  isLate(kind: RequestKind, nowMs: number): boolean {
    return nowMs - this.#beatDueMs > LONGEST_ROUND_MS[kind];
  }

  /** Asked once for each request: why it is refused; null where it is taken. */
  refusalOf(kind: RequestKind, nowMs: number): Refusal | null {
    if (this.#isStopping) {
      this.#refused.stopping++;
      return "stopping";
    }
    if (!this.isLate(kind, nowMs)) return null;
    this.#refused.overloaded++;
    return "overloaded";
  }
}
