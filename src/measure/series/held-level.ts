import { CALIBRATION } from "../calibration.ts";
import { type Ring, shiftRing } from "./interval-ring.ts";

/**
 * The lowest value of the last minute: a level that C10 has kept for so long. Liquidity that is added
 * and removed within a minute never raises it, and a fall lowers it at once. One array, advanced in place:
 * the newest value, which holds until the next; its interval; the lowest value of this interval; and the lowest
 * of those before it, by interval modulo their number.
 */
export type HeldLevel = [last: number, interval: number, low: number, ...lows: number[]];

/** As it is stored. */
export type StoredHeld = {
  readonly last: number;
  readonly interval: number;
  readonly low: number;
  readonly lows: readonly number[];
};

const { intervalMs } = CALIBRATION.series;
const LAST = 0;
const INTERVAL = 1;
const LOW = 2;
const LOWS: Ring = { start: 3, length: CALIBRATION.deterioration.heldMs / intervalMs };

/** A level that is taken to have lasted. */
export function startHeld(timeMs: number, value: number): HeldLevel {
  // Made at its length: an array that grows keeps room for more.
  const held = new Array<number>(LOWS.start + LOWS.length).fill(value) as HeldLevel;
  held[INTERVAL] = Math.floor(timeMs / intervalMs);
  return held;
}

/** Adds one more value, no older than the newest. */
export function advanceHeld(held: HeldLevel, timeMs: number, value: number): void {
  const interval = Math.floor(timeMs / intervalMs);
  const low = held[LOW];
  if (interval <= held[INTERVAL]) {
    held[LOW] = Math.min(low, value);
  } else {
    const last = held[LAST];
    shiftRing(held, LOWS, { from: held[INTERVAL], to: interval }, { first: low, rest: last });
    held[INTERVAL] = interval;
    held[LOW] = Math.min(last, value);
  }
  held[LAST] = value;
}

/** The newest value. */
export function newestOf(held: HeldLevel): number {
  return held[LAST];
}

/** The lowest value of the last 60 to 70 s. */
export function heldOf(held: HeldLevel): number {
  let lowest = held[LOW];
  for (let place = LOWS.start; place < held.length; place++) {
    const value = held[place];
    if (value !== undefined && value < lowest) lowest = value;
  }
  return lowest;
}

export function copyHeld(held: HeldLevel): HeldLevel {
  return [...held];
}

export function storedHeld([last, interval, low, ...lows]: HeldLevel): StoredHeld {
  return { last, interval, low, lows };
}

export function restoredHeld({ last, interval, low, lows }: StoredHeld): HeldLevel {
  return [last, interval, low].concat(lows) as HeldLevel;
}
