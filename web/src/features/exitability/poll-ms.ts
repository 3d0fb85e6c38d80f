import { ApiError } from "../../lib/api.ts";

/** Asked again this often where nothing is pushed, and less often where it is. */
const POLL_MS = 5_000;
const PUSHED_POLL_MS = 15_000;
/** The longest that a refused request waits for its next attempt. */
const LONGEST_WAIT_MS = 60_000;
const SHORTEST_WAIT_MS = 1_000;

/** What is known of a request when its next one is planned. */
export type Polled = { readonly error: unknown };

/** Milliseconds until the next request: after a refusal, when it is worth asking again. */
export function pollMs({ error }: Polled, isPushed: boolean, nowMs: number): number {
  const retryAtMs = error instanceof ApiError ? error.retryAtMs : null;
  if (retryAtMs !== null)
    return Math.min(LONGEST_WAIT_MS, Math.max(SHORTEST_WAIT_MS, retryAtMs - nowMs));
  return isPushed ? PUSHED_POLL_MS : POLL_MS;
}
