import type { StressedLock, StressedPool } from "./use-token-data.ts";

const LOCKS_SHOWN = 5;

/** The first of a pool's locks: the answer has those that open first, first. The others are counted. */
export function shownLocks({
  locks,
  locks_not_listed,
}: Pick<StressedPool, "locks" | "locks_not_listed">): {
  readonly shown: readonly StressedLock[];
  readonly more: number;
} {
  const all = locks ?? [];
  const shown = all.slice(0, LOCKS_SHOWN);
  return { shown, more: all.length - shown.length + (locks_not_listed ?? 0) };
}
