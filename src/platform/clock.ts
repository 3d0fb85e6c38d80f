export const MS_PER_MINUTE = 60_000;
export const MS_PER_HOUR = 3_600_000;
export const MS_PER_DAY = 86_400_000;

/** A source of time; an argument everywhere, so that tests can turn it. */
export type WallClock = {
  /** Milliseconds since 1970; of any fixed start where only differences matter. */
  readonly nowMs: () => number;
};

export const systemClock: WallClock = { nowMs: () => Date.now() };

/** Whether the time has not passed; it has where the clock was set back. */
export function isWithin(ms: number, sinceMs: number, nowMs: number): boolean {
  return nowMs >= sinceMs && nowMs - sinceMs < ms;
}

/** Whole days since 1970 in UTC. */
export function dayOf(ms: number): number {
  return Math.floor(ms / MS_PER_DAY);
}
