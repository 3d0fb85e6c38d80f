import type { FastifyReply } from "fastify";
import { AppError } from "#src/platform/app-error.ts";
import type { WallClock } from "#src/platform/clock.ts";
import { secondsUntil, type WindowRule, type Windows } from "#src/users/fixed-windows.ts";

/**
 * Takes one use of a window that is shared with other processes if there are several.
 *
 * @returns gives it back
 * @throws AppError rate_limit_exceeded with the refusal, if the window has no use left
 */
export function takeUse(
  { users, clock }: { readonly users: { readonly windows: Windows }; readonly clock: WallClock },
  use: WindowRule & { readonly subject: string; readonly refusal: string },
  reply: FastifyReply,
): () => void {
  const { windows } = users;
  const { subject, refusal: publicMessage, ...rule } = use;
  const nowMs = clock.nowMs();
  const { allowed, resetAtMs } = windows.take(subject, rule, nowMs);
  if (allowed) return () => windows.giveBack(subject, resetAtMs);
  reply.header("retry-after", secondsUntil(resetAtMs, nowMs));
  throw new AppError("rate_limit_exceeded", { publicMessage });
}
