import { ExitabilityError } from "./exitability-error.ts";

/** How often and how long a request is repeated. */
export type RetryOptions = {
  /** Maximum attempts of one request, the first included. Default 4; 1: no retry. */
  readonly attempts?: number | undefined;
  /**
   * Maximum total wait of one request, milliseconds. If the service asks for a longer wait, as when the
   * day's queries are used up, its refusal is thrown at once. Default 60,000; at most about 24 days.
   */
  readonly maxWaitMs?: number | undefined;
  /** Milliseconds before the second attempt if the service gives no Retry-After; doubles. Default 250. */
  readonly baseDelayMs?: number | undefined;
};

export type Patience = {
  readonly attempts: number;
  readonly maxWaitMs: number;
  readonly baseDelayMs: number;
};

const LONGEST_DELAY_MS = 30_000;
/** A timer for longer would fire at once. */
export const LONGEST_TIMER_MS: number = 2 ** 31 - 1;

export function patienceOf(options: RetryOptions = {}): Patience {
  const { attempts = 4, maxWaitMs = 60_000, baseDelayMs = 250 } = options;
  return { attempts, maxWaitMs: Math.min(maxWaitMs, LONGEST_TIMER_MS), baseDelayMs };
}

/** Whether the failure is temporary: the same request may succeed later. */
export function isPassing({ code, status }: ExitabilityError): boolean {
  if (status === null) return code === "network_error" || code === "timeout";
  return status === 429 || status >= 500;
}

/**
 * Milliseconds to wait after this many failures: a random part of a doubling interval, so that many
 * clients do not retry at the same time, and at least the service's Retry-After.
 */
export function delayMs(error: ExitabilityError, failures: number, baseDelayMs: number): number {
  const interval = Math.min(LONGEST_DELAY_MS, baseDelayMs * 2 ** (failures - 1));
  const part = interval * (0.5 + Math.random() / 2);
  return Math.max(part, (error.retryAfterSeconds ?? 0) * 1_000);
}

/** @throws ExitabilityError aborted, when the signal aborts */
export function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(aborted(signal));
    const stop = () => {
      clearTimeout(timer);
      reject(aborted(signal));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

export function aborted(signal: AbortSignal | undefined): ExitabilityError {
  return new ExitabilityError("aborted", "The caller's signal aborted the request.", {
    cause: signal?.reason,
  });
}
