/** A source of time; an argument everywhere, so that tests can turn it. */
export type WallClock = {
  /** Milliseconds since 1970; of any fixed start where only differences matter. */
  readonly nowMs: () => number;
};

export const systemClock: WallClock = { nowMs: () => Date.now() };
