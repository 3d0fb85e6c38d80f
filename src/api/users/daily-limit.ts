import { AppError } from "#src/platform/app-error.ts";
import type { Windows } from "#src/users/fixed-windows.ts";

const DAY_MS = 86_400_000;

/** Counts one change of a user. @throws AppError rate_limit_exceeded beyond `limit` in 24 hours */
export function countChange(
  { windows }: { readonly windows: Windows },
  change: { readonly name: string; readonly userId: string; readonly limit: number },
  nowMs: number,
): void {
  const { name, userId, limit } = change;
  const rule = { limit, lengthMs: DAY_MS };
  if (windows.take(`change:${name}/user:${userId}`, rule, nowMs).allowed) return;
  throw new AppError("rate_limit_exceeded", {
    publicMessage: `This can be done ${limit} times in 24 hours; try again later.`,
  });
}
