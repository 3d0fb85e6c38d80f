/** State of a token at one time of its life. */
export type Scene = {
  /** The share of its first liquidity that lies in its pools, 0 to 1. */
  readonly liquidityShare: number;
  readonly isPaused: boolean;
  /** What people think it worth, as a multiple of its first price. */
  readonly worth: number;
};

/** A token's life as a function of the minutes since the market began. */
export type Story = (minute: number) => Scene;

const CALM: Scene = { liquidityShare: 1, isPaused: false, worth: 1 };

/** The lives of the named tokens. Hours repeat, so that a demo left running has something to show. */
export const STORIES = {
  steady: () => CALM,

  /** From minute 6 to 30 down to 5 %, then slowly back until minute 55. */
  drain: (minute: number): Scene => {
    const inHour = minute % 60;
    if (inHour < 6) return CALM;
    if (inHour < 30) return { ...CALM, liquidityShare: between(inHour, [6, 1], [30, 0.05]) };
    if (inHour < 40) return { ...CALM, liquidityShare: 0.05 };
    return { ...CALM, liquidityShare: Math.min(1, between(inHour, [40, 0.05], [55, 1])) };
  },

  /** At minute 8 all but half a percent goes at once; at minute 45 it comes back. */
  rug: (minute: number): Scene => {
    const inHour = minute % 60;
    return { ...CALM, liquidityShare: inHour >= 8 && inHour < 45 ? 0.005 : 1 };
  },

  /** Half-way up a launch curve. */
  bonding: (): Scene => ({ ...CALM, worth: 3 }),

  /** Worth more and more until its curve is full. */
  graduation: (minute: number): Scene => ({ ...CALM, worth: Math.min(20, 1 + 1.6 * minute) }),

  pauses: (minute: number): Scene => ({ ...CALM, isPaused: minute % 10 >= 5 }),

  /** A launch that is noticed, or is not: `peak` times its first price, then forgotten. */
  launch:
    (peak: number): Story =>
    (minute) => ({ ...CALM, worth: 1 + (peak - 1) * Math.exp(-(((minute - 8) / 6) ** 2)) }),
} as const satisfies Record<string, Story | ((peak: number) => Story)>;

function between(
  at: number,
  [fromX, fromY]: readonly [number, number],
  [toX, toY]: readonly [number, number],
): number {
  return fromY + ((at - fromX) / (toX - fromX)) * (toY - fromY);
}
