import { AppError } from "#src/platform/app-error.ts";

export type LimiterOptions = { readonly maxActive: number; readonly maxWaiting: number };

/** Runs at most `maxActive` tasks at once; the rest wait in order, up to `maxWaiting` of them. */
export type RequestLimiter = {
  /** @throws AppError("overloaded") where too many wait already; the signal's reason where it aborts first */
  readonly run: <Result>(task: () => Promise<Result>, signal?: AbortSignal) => Promise<Result>;
};

export function createRequestLimiter({ maxActive, maxWaiting }: LimiterOptions): RequestLimiter {
  const waiting = new Set<() => void>();
  let active = 0;

  function waitForTurn(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = () => {
        signal?.removeEventListener("abort", giveUp);
        resolve();
      };
      const giveUp = () => {
        waiting.delete(start);
        reject(signal?.reason);
      };
      waiting.add(start);
      signal?.addEventListener("abort", giveUp, { once: true });
    });
  }

  async function run<Result>(task: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    signal?.throwIfAborted();
    if (active < maxActive) active++;
    else if (waiting.size >= maxWaiting) {
      throw new AppError("overloaded", {
        publicMessage: "Too many reads of the chain are waiting; try again in a moment.",
        context: { active, waiting: waiting.size },
        retryable: true,
      });
    } else await waitForTurn(signal);
    try {
      return await task();
    } finally {
      const [next] = waiting;
      if (next === undefined) active--;
      else {
        // The place passes on without being given back, so no newcomer can slip in between.
        waiting.delete(next);
        next();
      }
    }
  }

  return { run };
}
