import { CALIBRATION } from "./calibration.ts";
import { shiftRing } from "./interval-ring.ts";

/**
 * The lowest value of the last minute: a level that C10 has kept for so long. Liquidity that is added
 * and removed within a minute never raises it, and a fall lowers it at once. Plain data; never
 * changed, replaced.
 */
export type HeldLevel = {
  /** The newest value, which holds until the next. */
  readonly last: number;
  readonly interval: number;
  /** The lowest value of this interval, and of those before it by interval modulo their number. */
  readonly low: number;
  readonly lows: readonly number[];
};

const { intervalMs } = CALIBRATION.series;
const PLACES = CALIBRATION.deterioration.heldMs / intervalMs;

/** A level that is taken to have lasted. */
export function startHeld(timeMs: number, value: number): HeldLevel {
  const lows = Array.from({ length: PLACES }, () => value);
  return { last: value, interval: Math.floor(timeMs / intervalMs), low: value, lows };
}

/** With one more value, no older than the newest. */
export function advanceHeld(before: HeldLevel, timeMs: number, value: number): HeldLevel {
  const interval = Math.floor(timeMs / intervalMs);
  if (interval <= before.interval) {
    return { ...before, last: value, low: Math.min(before.low, value) };
  }
  const { low: first, last: rest } = before;
  const lows = shiftRing(before.lows, { from: before.interval, to: interval }, { first, rest });
  return { last: value, interval, low: Math.min(rest, value), lows };
}

/** The lowest value of the last 60 to 70 s. */
export function heldOf({ low, lows }: HeldLevel): number {
  let held = low;
  for (const value of lows) if (value < held) held = value;
  return held;
}
