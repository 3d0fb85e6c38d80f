import { ApiError } from "../lib/api.ts";

const MOST_RETRIES = 2;
const FIRST_DELAY_MS = 1_000;
/** A longer one is not waited for: the page shows the failure at once. */
const LONGEST_DELAY_MS = 10_000;

/**
 * Whether a request that failed is sent again. A deliberate refusal would be repeated at once, and a page does not wait
 * in silence for as long as a proxy may ask.
 */
export function mayRetry(
  failures: number,
  { error, nowMs }: { readonly error: unknown; readonly nowMs: number },
): boolean {
  const isMeant =
    error instanceof ApiError && (error.status < 500 || error.code === "chain_unavailable");
  if (failures >= MOST_RETRIES || isMeant) return false;
  return retryDelayMs(failures, { error, nowMs }) <= LONGEST_DELAY_MS;
}

/** Milliseconds until a failed request is sent again: they double, and are never fewer than the service asks for. */
export function retryDelayMs(
  failures: number,
  { error, nowMs }: { readonly error: unknown; readonly nowMs: number },
): number {
  const askedMs =
    error instanceof ApiError && error.retryAtMs !== null ? error.retryAtMs - nowMs : 0;
  return Math.max(FIRST_DELAY_MS * 2 ** failures, askedMs);
}
