import type { StressedLock, StressedPool } from "./use-token-data.ts";

const LOCKS_SHOWN = 5;

/** The first five of a pool's locks, in the answer's order (by opening), and the number of the others. */
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
