import type { FastifyReply } from "fastify";
import { MS_PER_DAY } from "#src/platform/clock.ts";
import type { ApiDeps } from "../operation.ts";
import { takeUse } from "../plugins/throttle.ts";

/**
 * Counts one change of a user.
 *
 * @returns gives it back where nothing was changed
 * @throws AppError rate_limit_exceeded beyond `limit` in 24 hours
 */
export function countChange(
  deps: Pick<ApiDeps, "users" | "clock">,
  change: { readonly name: string; readonly userId: string; readonly limit: number },
  reply: FastifyReply,
): () => void {
  const { name, userId, limit } = change;
  const subject = `change:${name}/user:${userId}`;
  const refusal = `This can be done ${limit} times in 24 hours; try again later.`;
  return takeUse(deps, { subject, limit, lengthMs: MS_PER_DAY, refusal }, reply);
}
