import { AppError } from "#src/platform/app-error.ts";
import { MS_PER_DAY } from "#src/platform/clock.ts";
import type { UserCaller } from "#src/users/caller.ts";

const FRESH_MS = MS_PER_DAY;

/**
 * For what an owner cannot undo, or what would let a stolen session outlive its end.
 *
 * @throws AppError unauthorized if the session did not begin in the last day
 */
export function requireFreshSession({ via }: UserCaller, nowMs: number): void {
  const sinceMs = via.kind === "api-key" ? null : via.sinceMs;
  if (sinceMs !== null && nowMs - sinceMs <= FRESH_MS) return;
  throw new AppError("unauthorized", {
    publicMessage: "This needs a session that began in the last 24 hours: sign in again.",
  });
}
