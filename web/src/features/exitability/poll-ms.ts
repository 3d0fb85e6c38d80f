import { ApiError } from "../../lib/api.ts";

/** Asked again this often where nothing is pushed, and less often where it is. */
const POLL_MS = 5_000;
const PUSHED_POLL_MS = 15_000;
/** The longest that a refused request waits for its next attempt. */
const LONGEST_WAIT_MS = 60_000;
const SHORTEST_WAIT_MS = 1_000;

/**
 * Nothing is pushed of a quiet token: its state is confirmed about every 20 seconds, and the stream has
 * no event for a new time alone. From this age on a newer time is asked for.
 */
const CONFIRMED_MS = 24_000;

/** What is known of a request when its next one is planned. */
export type Polled = {
  readonly error: unknown;
  readonly data: { readonly updated_at: string } | undefined;
};

/** Milliseconds until the next request: after a refusal, when it is worth asking again. */
export function pollMs({ error, data }: Polled, isPushed: boolean, nowMs: number): number {
  const retryAtMs = error instanceof ApiError ? error.retryAtMs : null;
  if (retryAtMs !== null)
    return Math.min(LONGEST_WAIT_MS, Math.max(SHORTEST_WAIT_MS, retryAtMs - nowMs));
  if (!isPushed || data === undefined) return POLL_MS;
  const untilOldMs = Date.parse(data.updated_at) + CONFIRMED_MS - nowMs;
  return Math.min(PUSHED_POLL_MS, Math.max(POLL_MS, untilOldMs));
}
