import { toNumber } from "#src/units/to-number.ts";
import type { Clock } from "#src/venues/venue.ts";
import { blockTimeMs } from "./chain-clock.ts";

const MS_PER_SLOT = 400;
const KEPT = 512;

/** The chain's newest clock, and the block times of the slots before it, as far as they were told. */
export type SlotTimes = {
  newest: Clock | null;
  /** When `newest` arrived here. */
  receivedAtMs: number;
  /** Ascending by slot. */
  readonly times: { readonly slot: bigint; readonly timeMs: number }[];
};

export function createSlotTimes(): SlotTimes {
  return { newest: null, receivedAtMs: 0, times: [] };
}

/** Takes in a clock; one that is not newer changes nothing. */
export function recordClock(state: SlotTimes, clock: Clock, nowMs: number): void {
  if (state.newest !== null && clock.slot <= state.newest.slot) return;
  state.newest = clock;
  state.receivedAtMs = nowMs;
  state.times.push({ slot: clock.slot, timeMs: blockTimeMs(clock) });
  if (state.times.length > KEPT) state.times.splice(0, KEPT / 2);
}

/**
 * The block time of a slot: that of the newest told slot at or below it, so that no state seems
 * fresher than it is; for slots before all of these, reckoned back at 400 ms a slot.
 */
export function timeOfSlotMs(state: SlotTimes, slot: bigint): number | null {
  const { times } = state;
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const entry = times[middle];
    if (entry !== undefined && entry.slot <= slot) low = middle + 1;
    else high = middle;
  }
  const found = times[low - 1];
  if (found !== undefined) return found.timeMs;
  const [oldest] = times;
  return oldest === undefined ? null : oldest.timeMs - toNumber(oldest.slot - slot) * MS_PER_SLOT;
}
