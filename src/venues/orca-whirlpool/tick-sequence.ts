import type { Direction } from "../shared/curves/direction.ts";
import { TICKS_PER_ARRAY } from "./layout.ts";
import type { Tick, TickArray, WhirlpoolState } from "./pool-state.ts";
import { MAX_TICK, MIN_TICK } from "./tick-math.ts";

/** Arrays that one swap of the program uses at most. */
export const ARRAYS_PER_SWAP = 3;

/** Ticks from one array's start to the next one's. */
export function ticksPerArray(tickSpacing: number): number {
  return TICKS_PER_ARRAY * tickSpacing;
}

/**
 * Starts of the arrays that a swap uses, at most three, in the order in which it meets them. Selling
 * token B from the last slot of an array begins with the next one.
 *
 * @see get_start_tick_indexes in util/sparse_swap.rs
 */
export function arrayStarts(
  tickCurrent: number,
  tickSpacing: number,
  direction: Direction,
): readonly number[] {
  const isDown = direction === "down";
  const span = ticksPerArray(tickSpacing);
  const base = Math.floor(tickCurrent / span) * span;
  const isShifted = !isDown && tickCurrent + tickSpacing >= base + span;
  const starts: number[] = [];
  for (let step = 0; step < ARRAYS_PER_SWAP; step++) {
    const start = base + (isDown ? -step : step + (isShifted ? 1 : 0)) * span;
    if (start + span > MIN_TICK && start <= MAX_TICK) starts.push(start);
  }
  return starts;
}

/** A tick at which a swap stops, whether liquidity changes there or not. */
export type Stop = Tick & { readonly isInitialized: boolean };

/**
 * Where a swap stops, in order: initialised ticks ahead, then the edge of the last array or of the
 * tick range. A swap with input left at the last stop is refused unless that is the end of the range.
 *
 * @see get_next_initialized_tick_index in util/swap_tick_sequence.rs
 */
export function stopsAhead(state: WhirlpoolState, direction: Direction): readonly Stop[] {
  const isDown = direction === "down";
  const starts = arrayStarts(state.tickCurrent, state.tickSpacing, direction);
  const stops: Stop[] = [];
  let last: TickArray | null = null;
  for (const start of starts) {
    const array = state.arrays.get(start);
    // An array that that was not loaded: what lies beyond it can't be proved.
    if (array === undefined) return stops;
    const ahead = isDown
      ? array.ticks.filter(({ tick }) => tick <= state.tickCurrent).reverse()
      : array.ticks.filter(({ tick }) => tick > state.tickCurrent);
    for (const tick of ahead) stops.push({ ...tick, isInitialized: true });
    last = array;
  }
  if (last === null) return stops;
  const edge = edgeOf(last.start, state.tickSpacing, direction);
  const lastSlot = isDown ? last.start : last.start + (TICKS_PER_ARRAY - 1) * state.tickSpacing;
  // Crossing the last slot leaves the arrays; no edge is left to stop at.
  if (stops.at(-1)?.tick !== lastSlot) {
    stops.push({ tick: edge, liquidityNet: 0n, isInitialized: false });
  }
  return stops;
}

/** The tick at which a swap stops at the end of its last array, or the tick range's own end. */
export function edgeOf(start: number, tickSpacing: number, direction: Direction): number {
  const end = start + ticksPerArray(tickSpacing);
  if (direction === "down") return Math.max(start, MIN_TICK);
  return end > MAX_TICK ? MAX_TICK : end - 1;
}
