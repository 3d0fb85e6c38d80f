import { ExitabilityError } from "./exitability-error.ts";

/** How often and how long a question is asked again. */
export type RetryOptions = {
  /** Times that one question is sent at most, the first included. Default 4; 1: never again. */
  readonly attempts?: number | undefined;
  /**
   * Milliseconds that one question waits in all. Where the service asks for more, as it does once the
   * day's queries are spent, its refusal is thrown at once. Default 60,000.
   */
  readonly maxWaitMs?: number | undefined;
  /** Milliseconds before the second try where the service names no time; doubles. Default 250. */
  readonly baseDelayMs?: number | undefined;
};

export type Patience = {
  readonly attempts: number;
  readonly maxWaitMs: number;
  readonly baseDelayMs: number;
};

const LONGEST_DELAY_MS = 30_000;

export function patienceOf(options: RetryOptions = {}): Patience {
  const { attempts = 4, maxWaitMs = 60_000, baseDelayMs = 250 } = options;
  return { attempts, maxWaitMs, baseDelayMs };
}

/** Whether the same question may be answered another time: nothing was wrong with it. */
export function isPassing({ code, status }: ExitabilityError): boolean {
  if (status === null) return code === "network_error" || code === "timeout";
  return status === 429 || status >= 500;
}

/**
 * Milliseconds to wait after so many failures: no less than the service asked for, else a random
 * part of an interval that doubles, so that many clients do not come back together.
 */
export function delayMs(error: ExitabilityError, failures: number, baseDelayMs: number): number {
  if (error.retryAfterSeconds !== null) return error.retryAfterSeconds * 1_000;
  const interval = Math.min(LONGEST_DELAY_MS, baseDelayMs * 2 ** (failures - 1));
  return interval * (0.5 + Math.random() / 2);
}

/** @throws ExitabilityError aborted, as soon as the signal says so */
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
  return new ExitabilityError("aborted", "The caller's signal ended it.", {
    cause: signal?.reason,
  });
}
