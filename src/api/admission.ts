/** `hot`: what hot-route.ts answers. `ordinary`: everything else, which costs many times as much. */
export type RequestKind = "ordinary" | "hot";
export type Refusal = "stopping" | "overloaded";

/**
 * For how long the event loop may have been at one round of work before what it comes to next is
 * refused. An ordinary refusal costs a fraction of an answer, so that refusing ends the round. A hot
 * answer costs no more than its refusal, so a refusal gains nothing: hot requests are refused last.
 */
const LONGEST_ROUND_MS: Readonly<Record<RequestKind, number>> = { ordinary: 500, hot: 1_000 };
const BEAT_EVERY_MS = 100;
/**
 * How long the first query may have waited for the database, and how many may wait: half a second's
 * work of a small Postgres. Under a flood queries are answered in few rounds, and a queue of thousands
 * would outlast every client's timeout.
 */
const LONGEST_QUEUE_MS = 500;
const LONGEST_QUEUE = 500;

type Queue = { readonly length: number; readonly waitedMs: number };

/**
 * Decides whether a request is accepted. A timer fires in every turn of the event loop. Queued requests
 * all run in one turn; a request that is reached long after the timer was due has already waited for
 * that long, so its answer would be too late and would delay the next turn. Waiting for the database
 * does not block the event loop: then the number of waiting queries and the wait of the first count.
 * Hot requests need no database.
 */
export class Admission {
  readonly #refused = { stopping: 0, overloaded: 0 };
  #beatDueMs = Number.POSITIVE_INFINITY;
  readonly #queues: (() => Queue)[] = [];
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

  /** Called in each turn of the event loop: `nowMs` on the clock of `performance.now()`. */
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

  /** `queue`: what waits for the database, for a connection or for its turn to be written. */
  watchQueue(queue: () => Queue): void {
    this.#queues.push(queue);
  }

  /** Asked once for each request: why it is refused; null where it is taken. */
  refusalOf(kind: RequestKind, nowMs: number): Refusal | null {
    if (this.#isStopping) {
      this.#refused.stopping++;
      return "stopping";
    }
    const isBehind = kind === "ordinary" && this.#queues.some((queue) => isLong(queue()));
    if (!isBehind && !this.isLate(kind, nowMs)) return null;
    this.#refused.overloaded++;
    return "overloaded";
  }
}

function isLong({ length, waitedMs }: Queue): boolean {
  return length > LONGEST_QUEUE || waitedMs > LONGEST_QUEUE_MS;
}
