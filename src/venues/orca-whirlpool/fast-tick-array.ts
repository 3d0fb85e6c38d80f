import { toNumber } from "#src/units/to-number.ts";
import { signedUpperWords, word } from "../fast-bytes.ts";
import type { Direction } from "../shared/curves/direction.ts";
import {
  DYNAMIC_TICK,
  DYNAMIC_TICK_ARRAY,
  FIXED_TICK,
  FIXED_TICK_ARRAY,
  TICKS_PER_ARRAY,
} from "./layout.ts";
import { sqrtPriceAtTick } from "./tick-math.ts";
import { edgeOf } from "./tick-sequence.ts";

/** The place after the array's slots, for the price at its edge. */
const EDGE = TICKS_PER_ARRAY;

/** A tick array of either kind as numbers: initialised ticks alone, 128-bit values as `high * 2^32 + low`. */
export class FastTickArray {
  readonly start: number;
  /** Where a swap in this direction stops at the array's end. */
  readonly edge: number;
  readonly #tickSpacing: number;
  /** Initialised ticks, and their slots ascending. */
  count = 0;
  /** Whether the last reading found other ticks: a swap alone changes bytes that no quote depends on. */
  isChanged = false;
  readonly slots = new Int32Array(TICKS_PER_ARRAY);
  readonly netHigh = new Float64Array(TICKS_PER_ARRAY);
  readonly netLow = new Float64Array(TICKS_PER_ARRAY);
  /** Square root prices by slot, the edge's last; worked out when first asked for. */
  readonly #priceHigh = new Float64Array(TICKS_PER_ARRAY + 1).fill(Number.NaN);
  readonly #priceLow = new Float64Array(TICKS_PER_ARRAY + 1);

  constructor(start: number, tickSpacing: number, direction: Direction) {
    this.start = start;
    this.edge = edgeOf(start, tickSpacing, direction);
    this.#tickSpacing = tickSpacing;
  }

  /** Reads an array's bytes; null: it does not exist, and is empty. False if they are not an array. */
  read(data: Uint8Array | null): boolean {
    const before = this.count;
    this.count = 0;
    this.isChanged = false;
    const isRead = data === null || this.#readKind(data);
    this.isChanged ||= this.count !== before;
    return isRead;
  }

  #readKind(data: Uint8Array): boolean {
    if (hasDiscriminator(data, FIXED_TICK_ARRAY.discriminator)) return this.#readFixed(data);
    return hasDiscriminator(data, DYNAMIC_TICK_ARRAY.discriminator) && this.#readDynamic(data);
  }

  #readFixed(data: Uint8Array): boolean {
    if (data.length !== FIXED_TICK_ARRAY.length) return false;
    let at: number = FIXED_TICK_ARRAY.ticks;
    for (let slot = 0; slot < TICKS_PER_ARRAY; slot++, at += FIXED_TICK.length) {
      if (data[at] !== 0) this.#add(slot, data, at + FIXED_TICK.liquidityNet);
    }
    return (word(data, FIXED_TICK_ARRAY.startTickIndex) | 0) === this.start;
  }

  #readDynamic(data: Uint8Array): boolean {
    let at: number = DYNAMIC_TICK_ARRAY.ticks;
    for (let slot = 0; slot < TICKS_PER_ARRAY; slot++) {
      const isThere = data[at] !== 0;
      if (isThere) this.#add(slot, data, at + DYNAMIC_TICK.liquidityNet);
      at += isThere ? DYNAMIC_TICK.length : DYNAMIC_TICK.absentLength;
    }
    const isWhole = at <= data.length;
    return isWhole && (word(data, DYNAMIC_TICK_ARRAY.startTickIndex) | 0) === this.start;
  }

  #add(slot: number, data: Uint8Array, at: number): void {
    const place = this.count;
    const netHigh = signedUpperWords(data, at);
    const netLow = word(data, at);
    this.isChanged ||=
      this.slots[place] !== slot ||
      this.netHigh[place] !== netHigh ||
      this.netLow[place] !== netLow;
    this.slots[place] = slot;
    this.netHigh[place] = netHigh;
    this.netLow[place] = netLow;
    this.count = place + 1;
  }

  /** The tick at one of the array's initialised places. */
  tickAt(place: number): number {
    return this.start + (this.slots[place] ?? 0) * this.#tickSpacing;
  }

  /** The upper part of the square root price of a place; never exact from 2^53 on. */
  priceHighAt(place: number): number {
    return this.#priceHighOf(this.slots[place] ?? 0);
  }

  /** The lower 32 bits; ask for the upper part first. */
  priceLowAt(place: number): number {
    return this.#priceLow[this.slots[place] ?? 0] ?? 0;
  }

  /** The array's end, where liquidity stays the same. */
  edgeStop() {
    const priceHigh = this.#priceHighOf(EDGE);
    const priceLow = this.#priceLow[EDGE] ?? 0;
    return { tick: this.edge, priceHigh, priceLow, netHigh: 0, netLow: 0 };
  }

  #priceHighOf(slot: number): number {
    if (Number.isNaN(this.#priceHigh[slot])) {
      const tick = slot === EDGE ? this.edge : this.start + slot * this.#tickSpacing;
      const sqrtPriceX64 = sqrtPriceAtTick(tick);
      this.#priceHigh[slot] = toNumber(sqrtPriceX64 >> 32n);
      this.#priceLow[slot] = toNumber(sqrtPriceX64 & 0xffff_ffffn);
    }
    return this.#priceHigh[slot] ?? Number.NaN;
  }
}

function hasDiscriminator(data: Uint8Array, expected: Uint8Array): boolean {
  for (let index = 0; index < expected.length; index++) {
    if (data[index] !== expected[index]) return false;
  }
  return true;
}
