import { toNumber } from "#src/units/to-number.ts";
import { TICK_ARRAY_STATE, TICK_STATE } from "./layout.ts";
import { sqrtPriceAtTick } from "./tick-math.ts";

const WORD = 2 ** 32;
const SLOTS = TICK_ARRAY_STATE.ticksPerArray;

/** Words of 32 bits from an array's start to its first tick, from tick to tick, and within a tick. */
const FIRST = TICK_ARRAY_STATE.ticks / 4;
const STRIDE = TICK_STATE.length / 4;
const NET = TICK_STATE.liquidityNet / 4;
const GROSS = TICK_STATE.liquidityGross / 4;
const ORDERS = TICK_STATE.ordersAmount / 4;

/** Bytes of an account as 32-bit words: they begin on a word, or are copied to where they do. */
function wordsOf(data: Uint8Array): Int32Array {
  const isAligned = data.byteOffset % 4 === 0;
  const { buffer, byteOffset } = isAligned ? data : data.slice();
  return new Int32Array(buffer, byteOffset, TICK_ARRAY_STATE.length / 4);
}

/** A tick array as numbers: initialised ticks alone, 128-bit values as `high * 2^32 + low`. */
export class FastTickArray {
  readonly start: number;
  readonly #tickSpacing: number;
  /** Initialised ticks, and their slots ascending. */
  count = 0;
  /** Whether the last reading found other ticks: a swap alone changes bytes that no quote depends on. */
  isChanged = false;
  readonly slots = new Int32Array(SLOTS);
  readonly netHigh = new Float64Array(SLOTS);
  readonly netLow = new Float64Array(SLOTS);
  /** 1 where limit orders wait. */
  readonly hasOrders = new Uint8Array(SLOTS);
  /** Square root prices by slot, worked out when first asked for. */
  readonly #priceHigh = new Float64Array(SLOTS).fill(Number.NaN);
  readonly #priceLow = new Float64Array(SLOTS);

  constructor(start: number, tickSpacing: number) {
    this.start = start;
    this.#tickSpacing = tickSpacing;
  }

  /** Reads an array's bytes. False where they are not this array. */
  read(data: Uint8Array): boolean {
    if (data.length !== TICK_ARRAY_STATE.length) return false;
    const words = wordsOf(data);
    if (words[TICK_ARRAY_STATE.startTickIndex / 4] !== this.start) return false;
    let isChanged = false;
    let count = 0;
    let base = FIRST;
    for (let slot = 0; slot < SLOTS; slot++, base += STRIDE) {
      const orders =
        (words[base + ORDERS] ?? 0) |
        (words[base + ORDERS + 1] ?? 0) |
        (words[base + ORDERS + 2] ?? 0) |
        (words[base + ORDERS + 3] ?? 0);
      const gross =
        (words[base + GROSS] ?? 0) |
        (words[base + GROSS + 1] ?? 0) |
        (words[base + GROSS + 2] ?? 0) |
        (words[base + GROSS + 3] ?? 0);
      if ((orders | gross) === 0) continue;
      if (words[base] !== this.start + slot * this.#tickSpacing) return false;
      const hasOrders = orders === 0 ? 0 : 1;
      const netLow = (words[base + NET] ?? 0) >>> 0;
      const netHigh =
        ((words[base + NET + 3] ?? 0) * WORD + ((words[base + NET + 2] ?? 0) >>> 0)) * WORD +
        ((words[base + NET + 1] ?? 0) >>> 0);
      isChanged ||=
        this.slots[count] !== slot ||
        this.hasOrders[count] !== hasOrders ||
        this.netLow[count] !== netLow ||
        this.netHigh[count] !== netHigh;
      this.slots[count] = slot;
      this.hasOrders[count] = hasOrders;
      this.netLow[count] = netLow;
      this.netHigh[count] = netHigh;
      count++;
    }
    this.isChanged = isChanged || count !== this.count;
    this.count = count;
    return true;
  }

  /** The tick at one of the array's initialised places. */
  tickAt(place: number): number {
    return this.start + (this.slots[place] ?? 0) * this.#tickSpacing;
  }

  /** The upper part of the square root price there; never exact from 2^53 on. */
  priceHighAt(place: number): number {
    const slot = this.slots[place] ?? 0;
    if (Number.isNaN(this.#priceHigh[slot])) {
      const sqrtPriceX64 = sqrtPriceAtTick(this.start + slot * this.#tickSpacing);
      this.#priceHigh[slot] = toNumber(sqrtPriceX64 >> 32n);
      this.#priceLow[slot] = toNumber(sqrtPriceX64 & 0xffff_ffffn);
    }
    return this.#priceHigh[slot] ?? Number.NaN;
  }

  /** The lower 32 bits; ask for the upper part first. */
  priceLowAt(place: number): number {
    return this.#priceLow[this.slots[place] ?? 0] ?? 0;
  }
}
