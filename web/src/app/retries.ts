import { ApiError } from "../lib/api.ts";

const MOST_RETRIES = 2;
const FIRST_DELAY_MS = 1_000;

/** Whether a request that failed is sent again: a deliberate refusal would be repeated at once. */
export function mayRetry(failures: number, error: unknown): boolean {
  const isMeant =
    error instanceof ApiError && (error.status < 500 || error.code === "chain_unavailable");
  return failures < MOST_RETRIES && !isMeant;
}

/** The wait before that: it doubles, and is never shorter than the service asks for. */
export function retryDelayMs(
  failures: number,
  { error, nowMs }: { readonly error: unknown; readonly nowMs: number },
): number {
  const askedMs =
    error instanceof ApiError && error.retryAtMs !== null ? error.retryAtMs - nowMs : 0;
  return Math.max(FIRST_DELAY_MS * 2 ** failures, askedMs);
}
