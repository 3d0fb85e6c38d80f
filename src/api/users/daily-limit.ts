import type { FastifyReply } from "fastify";
import { AppError } from "#src/platform/app-error.ts";
import { MS_PER_DAY, type WallClock } from "#src/platform/clock.ts";
import type { Windows } from "#src/users/fixed-windows.ts";

/**
 * Counts one change of a user.
 *
 * @returns gives it back where nothing was changed
 * @throws AppError rate_limit_exceeded beyond `limit` in 24 hours
 */
export function countChange(
  { users, clock }: { readonly users: { readonly windows: Windows }; readonly clock: WallClock },
  change: { readonly name: string; readonly userId: string; readonly limit: number },
  reply: FastifyReply,
): () => void {
  const { name, userId, limit } = change;
  const rule = { limit, lengthMs: MS_PER_DAY };
  const nowMs = clock.nowMs();
  const subject = `change:${name}/user:${userId}`;
  const { allowed, resetAtMs } = users.windows.take(subject, rule, nowMs);
  if (allowed) return () => users.windows.giveBack(subject, resetAtMs);
  reply.header("retry-after", Math.max(1, Math.ceil((resetAtMs - nowMs) / 1_000)));
  throw new AppError("rate_limit_exceeded", {
    publicMessage: `This can be done ${limit} times in 24 hours; try again later.`,
  });
}
