import { toNumber } from "#src/units/to-number.ts";
import type { Clock } from "#src/venues/venue.ts";
import { blockTimeMs } from "../pools/chain-clock.ts";

const MS_PER_SLOT = 400;
const KEPT = 512;

/** The chain's newest clock, and the block times of earlier slots as far as received. */
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

/** The newest block time; the local time while none is known. */
export function chainTimeMs({ newest }: SlotTimes, nowMs: number): number {
  return newest === null ? nowMs : blockTimeMs(newest);
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
 * The block time of a slot: that of the newest recorded slot at or below it, so that no state appears
 * newer than it is. For slots before all recorded ones, extrapolated at 400 ms per slot.
 */
export function timeOfSlotMs(state: SlotTimes, slot: bigint): number | null {
  const { times } = state;
  // From the end: most are asked of a slot among the newest.
  const found = times.findLast((time) => time.slot <= slot);
  if (found !== undefined) return found.timeMs;
  const [oldest] = times;
  return oldest === undefined ? null : oldest.timeMs - toNumber(oldest.slot - slot) * MS_PER_SLOT;
}
