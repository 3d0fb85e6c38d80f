import { toNumber } from "#src/units/to-number.ts";
import type { Clock } from "#src/venues/venue.ts";
import { blockTimeMs } from "./chain-clock.ts";

const MS_PER_SLOT = 400;
const KEPT = 512;
/** A chain makes at most so many slots a second. */
const SLOTS_PER_SECOND = 5;
const FAR_AHEAD_SLOTS = 5_000;

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

/**
 * Whether the chain can't have reached the slot. A node that states it is mistaken: everything after it would
 * count as older, and the account would stay as it is.
 */
export function isFarAhead({ newest, receivedAtMs }: SlotTimes, slot: bigint, nowMs: number) {
  if (newest === null || slot <= newest.slot) return false;
  const sinceMs = Math.max(0, nowMs - receivedAtMs);
  return toNumber(slot - newest.slot) > FAR_AHEAD_SLOTS + (sinceMs / 1_000) * SLOTS_PER_SECOND;
}

/** Takes in a clock; one that is not newer, or far ahead, changes nothing. */
export function recordClock(state: SlotTimes, clock: Clock, nowMs: number): void {
  if (state.newest !== null && clock.slot <= state.newest.slot) return;
  if (isFarAhead(state, clock.slot, nowMs)) return;
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
