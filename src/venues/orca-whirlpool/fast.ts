import type { Address } from "#src/units/address.ts";
import { toNumber } from "#src/units/to-number.ts";
import type { AccountSet } from "../account-set.ts";
import { signedUpperWords, upperWords, word } from "../byte-words.ts";
import { LiquidityTable, makeStops, type Standing } from "../curves/liquidity-table.ts";
import type { FastQuoter } from "../fast-quoter.ts";
import { decodeMint } from "../token/mint.ts";
import type { Clock } from "../venue.ts";
import { readPoolHeader } from "./decode.ts";
import {
  DYNAMIC_TICK,
  DYNAMIC_TICK_ARRAY,
  FIXED_TICK,
  FIXED_TICK_ARRAY,
  PROGRAM_ID,
  TICKS_PER_ARRAY,
  WHIRLPOOL,
} from "./layout.ts";
import { tickArrayAddress } from "./tick-arrays.ts";
import { sqrtPriceAtTick } from "./tick-math.ts";
import { ARRAYS_PER_SWAP, arrayStarts, edgeOf, ticksPerArray } from "./tick-sequence.ts";

const LARGEST_EXACT = 2 ** 53;
/** Every slot of three arrays, and the edge of the last. */
const MOST_STOPS = ARRAYS_PER_SWAP * TICKS_PER_ARRAY + 1;
const TOKEN_STATE = 108;
const TOKEN_FROZEN = 2;

/** Where a slot's liquidity stands in the array's bytes; below zero where the slot is empty. */
const EMPTY = -1;

/** Square root prices of an array's slots and its edge, worked out when first met. */
type ArrayPrices = { readonly high: Float64Array; readonly low: Float64Array };

/**
 * Quotes one direction of a pool in doubles: static fee, no transfer fees. Everything else is left to
 * the reference.
 */
export function openFast(pool: Address, known: AccountSet, inputMint: Address): FastQuoter | null {
  const header = readPoolHeader(known.get(pool));
  if (header === null || header.hasOwnFeeTier) return null;
  const quoter = new WhirlpoolFastQuoter(pool, inputMint === header.mintA);
  return quoter.refresh(known) ? quoter : null;
}

export class WhirlpoolFastQuoter implements FastQuoter {
  readonly table: LiquidityTable;
  readonly #pool: Address;
  readonly #falls: boolean;
  readonly #stops = makeStops(MOST_STOPS);
  readonly #stopTicks = new Int32Array(MOST_STOPS);
  readonly #prices = new Map<number, ArrayPrices>();
  readonly #offsets = new Int32Array(TICKS_PER_ARRAY);
  readonly #standing: Standing = { priceHigh: 0, priceLow: 0, liquidityHigh: 0, liquidityLow: 0 };

  /** Addresses that lead nowhere else while the pool lives; empty before the first refresh. */
  #vaults: readonly Address[] = [];
  #mints: readonly Address[] = [];
  #tickSpacing = 0;

  /** Bytes that were read last, to tell what has changed. */
  #poolData: Uint8Array | null = null;
  readonly #mintData: (Uint8Array | null)[] = [null, null];
  #arrays: readonly { readonly start: number; readonly address: Address }[] = [];
  /** Null: known not to exist. */
  #arrayData: (Uint8Array | null | undefined)[] = [];
  #areArraysRead = false;

  #tickCurrent = 0;
  /** Current ticks from the first to below the second use the same arrays. */
  #sameArraysFrom = 0;
  #sameArraysTo = 0;
  #feePpm = 0;
  /** The stop ahead of the price. */
  #at = 0;
  /** The table holds while the current tick stays on this side of it. */
  #originTick = 0;
  #endsKnown = true;

  constructor(pool: Address, falls: boolean) {
    this.#pool = pool;
    this.#falls = falls;
    this.table = new LiquidityTable(MOST_STOPS, falls);
  }

  refresh(known: AccountSet): boolean {
    const account = known.get(this.#pool);
    if (account === null || account === undefined) return false;
    const { data } = account;
    let isTableStale = !this.#areArraysRead;
    if (data !== this.#poolData) {
      if (account.owner !== PROGRAM_ID || data.length !== WHIRLPOOL.length) return false;
      if (this.#vaults.length === 0 && !this.#locate(known)) return false;
      const feeBefore = this.#feePpm;
      if (!this.#readPool(data)) return this.#forget();
      if (this.#feePpm !== feeBefore) isTableStale = true;
      this.#poolData = data;
    }
    if (!this.#isTransferPlain(known)) return this.#forget();
    if (this.#tickCurrent < this.#sameArraysFrom || this.#tickCurrent >= this.#sameArraysTo) {
      this.#findArrays();
      isTableStale = true;
    }
    for (let index = 0; index < this.#arrays.length; index++) {
      const array = known.get(this.#arrays[index]?.address ?? this.#pool);
      const bytes = array === undefined || array === null ? array : array.data;
      if (bytes !== this.#arrayData[index]) {
        this.#arrayData[index] = bytes;
        isTableStale = true;
      }
    }
    return (!isTableStale && this.#place()) || this.#rebuild() || this.#forget();
  }

  quoteAscending(amountsIn: Float64Array, amountsOut: Float64Array, _clock: Clock): void {
    this.table.quoteAscending(amountsIn, amountsOut, false);
  }

  /** Nothing that was read counts any more: the next refresh reads all of it again. */
  #forget(): false {
    this.#poolData = null;
    this.#areArraysRead = false;
    return false;
  }

  #locate(known: AccountSet): boolean {
    const header = readPoolHeader(known.get(this.#pool));
    if (header === null) return false;
    this.#vaults = [header.vaultA, header.vaultB];
    this.#mints = [header.mintA, header.mintB];
    this.#tickSpacing = header.tickSpacing;
    return true;
  }

  #readPool(data: Uint8Array): boolean {
    this.#feePpm = word(data, WHIRLPOOL.feeRate) & 0xffff;
    this.#tickCurrent = word(data, WHIRLPOOL.tickCurrentIndex) | 0;
    const standing = this.#standing;
    standing.liquidityLow = word(data, WHIRLPOOL.liquidity);
    standing.liquidityHigh = upperWords(data, WHIRLPOOL.liquidity);
    standing.priceLow = word(data, WHIRLPOOL.sqrtPrice);
    standing.priceHigh = upperWords(data, WHIRLPOOL.sqrtPrice);
    return standing.liquidityHigh < LARGEST_EXACT && standing.priceHigh < LARGEST_EXACT;
  }

  /** Whether no transfer is taxed or frozen. */
  #isTransferPlain(known: AccountSet): boolean {
    for (let side = 0; side < 2; side++) {
      const vault = known.get(this.#vaults[side] ?? this.#pool);
      if (vault === null || vault === undefined) return false;
      if (vault.data[TOKEN_STATE] === TOKEN_FROZEN) return false;
      const mint = known.get(this.#mints[side] ?? this.#pool);
      if (mint?.data === this.#mintData[side]) continue;
      const decoded = decodeMint(mint);
      if (decoded === null || decoded.transferFee !== null) return false;
      this.#mintData[side] = mint?.data ?? null;
    }
    return true;
  }

  #findArrays(): void {
    const spacing = this.#tickSpacing;
    this.#arrays = arrayStarts(this.#tickCurrent, spacing, this.#falls).map((start) => ({
      start,
      address: tickArrayAddress(this.#pool, start),
    }));
    this.#arrayData = this.#arrays.map(() => undefined);
    const first = this.#arrays[0]?.start ?? this.#tickCurrent;
    // Selling token B from an array's last slot already begins with the next array.
    this.#sameArraysFrom = this.#falls ? first : first - spacing;
    this.#sameArraysTo = this.#sameArraysFrom + ticksPerArray(spacing);
  }

  /** Moves the price within the table. False where it has left it. */
  #place(): boolean {
    const tick = this.#tickCurrent;
    if (this.#falls ? tick >= this.#originTick : tick < this.#originTick) return false;
    const { count } = this.#stops;
    let at = this.#at;
    if (this.#falls) {
      while (at < count && (this.#stopTicks[at] ?? 0) > tick) at++;
      while (at > 0 && (this.#stopTicks[at - 1] ?? 0) <= tick) at--;
    } else {
      while (at < count && (this.#stopTicks[at] ?? 0) <= tick) at++;
      while (at > 0 && (this.#stopTicks[at - 1] ?? 0) > tick) at--;
    }
    this.#at = at;
    return this.table.place(at, this.#standing);
  }

  #rebuild(): boolean {
    if (!this.#readStops()) return false;
    this.#areArraysRead = true;
    this.table.build({
      stops: this.#stops,
      standing: this.#standing,
      feePpm: this.#feePpm,
      endsKnown: this.#endsKnown,
    });
    this.#at = 0;
    return this.#place();
  }

  /** Stops ahead of the price as `stopsAhead` finds them: false where bytes are no array. */
  #readStops(): boolean {
    this.#stops.count = 0;
    this.#endsKnown = true;
    this.#originTick = this.#falls ? this.#sameArraysTo : this.#sameArraysFrom;
    let last = -1;
    for (let index = 0; index < this.#arrays.length; index++) {
      const data = this.#arrayData[index];
      if (data === undefined) return index > 0;
      const start = this.#arrays[index]?.start ?? 0;
      if (data !== null && !this.#readArray(data, start)) return false;
      if (!this.#endsKnown) return true;
      last = index;
    }
    const start = this.#arrays[last]?.start;
    if (start === undefined) return false;
    const edge = edgeOf(start, this.#tickSpacing, this.#falls);
    const lastSlot = this.#falls ? start : start + (TICKS_PER_ARRAY - 1) * this.#tickSpacing;
    const { count } = this.#stops;
    // Crossing the last slot leaves the arrays; there is no edge to stop at any more.
    const isCrossed = count > 0 && this.#stopTicks[count - 1] === lastSlot;
    if (!isCrossed && !this.#addStop({ tick: edge, start, slot: TICKS_PER_ARRAY })) {
      this.#endsKnown = false;
    }
    return true;
  }

  #readArray(data: Uint8Array, start: number): boolean {
    if (!this.#findSlots(data, start)) return false;
    for (let step = 0; step < TICKS_PER_ARRAY; step++) {
      const slot = this.#falls ? TICKS_PER_ARRAY - 1 - step : step;
      const offset = this.#offsets[slot] ?? EMPTY;
      if (offset === EMPTY) continue;
      const tick = start + slot * this.#tickSpacing;
      if (this.#falls ? tick > this.#tickCurrent : tick <= this.#tickCurrent) {
        this.#originTick = tick;
        continue;
      }
      if (!this.#addStop({ tick, start, slot, data, offset })) {
        this.#endsKnown = false;
        return true;
      }
    }
    return true;
  }

  /** Writes where each slot's liquidity stands, for either kind of array. */
  #findSlots(data: Uint8Array, start: number): boolean {
    const offsets = this.#offsets;
    if (hasDiscriminator(data, FIXED_TICK_ARRAY.discriminator)) {
      if (data.length !== FIXED_TICK_ARRAY.length) return false;
      for (let slot = 0; slot < TICKS_PER_ARRAY; slot++) {
        const at = FIXED_TICK_ARRAY.ticks + slot * FIXED_TICK.length;
        offsets[slot] = data[at] === 0 ? EMPTY : at + FIXED_TICK.liquidityNet;
      }
      return (word(data, FIXED_TICK_ARRAY.startTickIndex) | 0) === start;
    }
    if (!hasDiscriminator(data, DYNAMIC_TICK_ARRAY.discriminator)) return false;
    let at: number = DYNAMIC_TICK_ARRAY.ticks;
    for (let slot = 0; slot < TICKS_PER_ARRAY; slot++) {
      const isThere = data[at] !== 0;
      offsets[slot] = isThere ? at + DYNAMIC_TICK.liquidityNet : EMPTY;
      at += isThere ? DYNAMIC_TICK.length : DYNAMIC_TICK.absentLength;
    }
    return at <= data.length && (word(data, DYNAMIC_TICK_ARRAY.startTickIndex) | 0) === start;
  }

  /** False where the stop's numbers leave the exact doubles. Without bytes nothing changes there. */
  #addStop(stop: {
    readonly tick: number;
    readonly start: number;
    readonly slot: number;
    readonly data?: Uint8Array;
    readonly offset?: number;
  }): boolean {
    const { tick, slot, data, offset = 0 } = stop;
    const stops = this.#stops;
    const at = stops.count;
    const prices = this.#pricesOf(stop.start);
    if (Number.isNaN(prices.high[slot])) {
      const sqrtPriceX64 = sqrtPriceAtTick(tick);
      prices.high[slot] = toNumber(sqrtPriceX64 >> 32n);
      prices.low[slot] = toNumber(sqrtPriceX64 & 0xffff_ffffn);
    }
    const priceHigh = prices.high[slot] ?? Number.NaN;
    const netHigh = data === undefined ? 0 : signedUpperWords(data, offset);
    if (!(priceHigh < LARGEST_EXACT && Math.abs(netHigh) < LARGEST_EXACT)) return false;
    stops.priceHigh[at] = priceHigh;
    stops.priceLow[at] = prices.low[slot] ?? 0;
    stops.netHigh[at] = netHigh;
    stops.netLow[at] = data === undefined ? 0 : word(data, offset);
    this.#stopTicks[at] = tick;
    stops.count = at + 1;
    return true;
  }

  #pricesOf(start: number): ArrayPrices {
    const held = this.#prices.get(start);
    if (held !== undefined) return held;
    // A price that has wandered far leaves arrays behind that it may never see again.
    if (this.#prices.size > 4 * ARRAYS_PER_SWAP) this.#prices.clear();
    const slots = TICKS_PER_ARRAY + 1;
    const made = { high: new Float64Array(slots).fill(Number.NaN), low: new Float64Array(slots) };
    this.#prices.set(start, made);
    return made;
  }
}

function hasDiscriminator(data: Uint8Array, expected: Uint8Array): boolean {
  for (let index = 0; index < expected.length; index++) {
    if (data[index] !== expected[index]) return false;
  }
  return true;
}
