import { AssertionError } from "node:assert";
import type { BaseLogger } from "pino";
import { AppError } from "./app-error.ts";

export type FailureLogger = Pick<BaseLogger, "info" | "warn" | "error">;

export type FailureLogOptions = {
  /** Null: failures are counted, not logged. */
  readonly log: FailureLogger | null;
  /** What is attempted, as an infinitive: "poll the alert outbox". */
  readonly what: string;
  /** What happens after a failure: "retrying every 250 ms". */
  readonly next: string;
  /** For which object: an endpoint's host, a token, a table. No secret. */
  readonly context?: Readonly<Record<string, unknown>>;
  /** A success ends the failing only if nothing failed for so long before it, so that a flapping
   * endpoint is one outage; 0 by default. */
  readonly endsAfterMs?: number;
};

/**
 * Logs a failure that repeats once, counts it, and logs its end with the count. Errors that can only be
 * our own mistake are logged with their stack, each message once until the next success. An outage that
 * its source logs (`AppError.isLoggedAtSource`) is only counted here.
 */
export class FailureLog {
  readonly #options: FailureLogOptions;
  readonly #ownBugs = new Set<string>();
  #failures = 0;
  #isLogged = false;
  #sinceMs = 0;
  #lastMs = 0;

  constructor(options: FailureLogOptions) {
    this.#options = options;
  }

  /** Failures since the last success. */
  get failures(): number {
    return this.#failures;
  }

  failed(cause: unknown, context: Readonly<Record<string, unknown>> = {}): void {
    this.#lastMs = performance.now();
    if (this.#failures === 0) this.#sinceMs = this.#lastMs;
    this.#failures++;
    if (isOwnBug(cause)) this.#logOwnBug(cause, context);
    else if (!this.#isLogged && !isLoggedAtSource(cause)) {
      this.#isLogged = true;
      const { log, what, next, context: fixed } = this.#options;
      log?.warn({ ...fixed, ...context, reason: reasonOf(cause) }, `failed to ${what}; ${next}`);
    }
  }

  /** Cheap when nothing has failed. */
  succeeded(): void {
    if (this.#failures === 0) return;
    const { log, what, context, endsAfterMs = 0 } = this.#options;
    if (endsAfterMs > 0 && performance.now() - this.#lastMs < endsAfterMs) return;
    const seconds = Math.round((performance.now() - this.#sinceMs) / 1_000);
    if (this.#isLogged)
      log?.info({ ...context, failures: this.#failures, seconds }, `recovered: ${what}`);
    this.#failures = 0;
    this.#isLogged = false;
    this.#ownBugs.clear();
  }

  /** Counts how the work comes out. Resolves when it has ended, however it ended. */
  outcomeOf(work: Promise<unknown>, context?: Readonly<Record<string, unknown>>): Promise<void> {
    return work.then(
      () => this.succeeded(),
      (cause: unknown) => this.failed(cause, context),
    );
  }

  #logOwnBug(err: Error, context: Readonly<Record<string, unknown>>): void {
    if (this.#ownBugs.has(err.message)) return;
    this.#ownBugs.add(err.message);
    this.#isLogged = true;
    const { log, what, next, context: fixed } = this.#options;
    log?.error({ ...fixed, ...context, err }, `failed to ${what}; ${next}`);
  }
}

export function isLoggedAtSource(cause: unknown): boolean {
  return cause instanceof AppError && cause.isLoggedAtSource;
}

/** One line for a log: the message of an error and of what caused it. */
export function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  // One error for each address of a host (IPv4, IPv6), with the same cause.
  if (cause instanceof AggregateError && cause.message === "" && cause.errors.length > 0)
    return reasonOf(cause.errors[0]);
  const text = cause.message === "" ? cause.name : cause.message;
  const inner = cause.cause instanceof Error ? `: ${reasonOf(cause.cause)}` : "";
  return `${text}${inner}`.replaceAll(/\s+/g, " ");
}

/** Whether an error can only come from a mistake in our code; fetch reports the network's as TypeError. */
export function isOwnBug(cause: unknown): cause is Error {
  if (cause instanceof TypeError) return cause.message !== "fetch failed";
  return (
    cause instanceof ReferenceError ||
    cause instanceof RangeError ||
    cause instanceof AssertionError
  );
}
