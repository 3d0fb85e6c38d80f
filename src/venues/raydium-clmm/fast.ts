import type { Address } from "#src/units/address.ts";
import { toNumber } from "#src/units/to-number.ts";
import type { AccountSet } from "../account-set.ts";
import { upperWords, word } from "../byte-words.ts";
import { LiquidityTable, makeStops, type Standing } from "../curves/liquidity-table.ts";
import { type FastQuoter, REFUSED } from "../fast-quoter.ts";
import { decodeMint } from "../token/mint.ts";
import type { Clock } from "../venue.ts";
import { readPoolHeader } from "./decode.ts";
import {
  AMM_CONFIG,
  DYNAMIC_FEE_INFO,
  POOL_STATE,
  PROGRAM_ID,
  STATUS_SWAP_DISABLED,
  TICK_ARRAY_STATE,
  TICK_STATE,
} from "./layout.ts";
import {
  ARRAYS_EACH_WAY,
  bitmapExtensionAddress,
  hasBitmapExtension,
  markedArrays,
  readBitmapExtension,
  tickArrayAddress,
  ticksPerArray,
} from "./tick-arrays.ts";
import { MAX_TICK, MIN_TICK, sqrtPriceAtTick } from "./tick-math.ts";

const WORD = 2 ** 32;
const LARGEST_EXACT = 2 ** 53;
const SLOTS = TICK_ARRAY_STATE.ticksPerArray;
const BITMAP_LENGTH = 128;
const TOKEN_STATE = 108;
const TOKEN_FROZEN = 2;

/** Words of 32 bits from an array's start to a field of its first tick, and from tick to tick. */
const WORDS = {
  tick: TICK_ARRAY_STATE.ticks / 4,
  stride: TICK_STATE.length / 4,
  net: TICK_STATE.liquidityNet / 4,
  gross: TICK_STATE.liquidityGross / 4,
  orders: TICK_STATE.ordersAmount / 4,
} as const;

/** Square root prices of an array's sixty ticks, worked out when first met. */
type ArrayPrices = { readonly high: Float64Array; readonly low: Float64Array };

/**
 * Quotes one direction of a pool in doubles: static fee on the input, no transfer fees, and as far
 * as no limit orders wait. Everything else is left to the reference.
 */
export function openFast(pool: Address, known: AccountSet, inputMint: Address): FastQuoter | null {
  const header = readPoolHeader(known.get(pool));
  if (header === null) return null;
  const quoter = new ClmmFastQuoter(pool, inputMint === header.mint0);
  return quoter.refresh(known) ? quoter : null;
}

export class ClmmFastQuoter implements FastQuoter {
  readonly table: LiquidityTable;
  readonly #pool: Address;
  readonly #falls: boolean;
  readonly #stops = makeStops(ARRAYS_EACH_WAY * SLOTS);
  readonly #stopTicks = new Int32Array(ARRAYS_EACH_WAY * SLOTS);
  readonly #prices = new Map<number, ArrayPrices>();
  readonly #scratch = new Uint8Array(TICK_ARRAY_STATE.length);
  readonly #words = new Int32Array(this.#scratch.buffer);
  readonly #standing: Standing = { priceHigh: 0, priceLow: 0, liquidityHigh: 0, liquidityLow: 0 };

  /** Addresses that lead nowhere else while the pool lives; empty before the first refresh. */
  #config: Address | null = null;
  #vaults: readonly Address[] = [];
  #mints: readonly Address[] = [];
  #extension: Address | null = null;
  #tickSpacing = 0;

  /** Bytes that were read last, to tell what has changed. */
  #poolData: Uint8Array | null = null;
  #configData: Uint8Array | null = null;
  #extensionData: Uint8Array | null = null;
  readonly #mintData: (Uint8Array | null)[] = [null, null];
  readonly #bitmap = new Uint8Array(BITMAP_LENGTH);
  #arrays: readonly { readonly start: number; readonly address: Address }[] = [];
  #arrayData: (Uint8Array | null)[] = [];

  #tickCurrent = 0;
  #arrayStart = 0;
  #feePpm = 0;
  #openTime = 0;
  #isPaused = false;
  /** The stop ahead of the price. */
  #at = 0;
  /** The table holds while the current tick stays on this side of it. */
  #originTick = 0;
  #endsKnown = true;

  constructor(pool: Address, falls: boolean) {
    this.#pool = pool;
    this.#falls = falls;
    this.table = new LiquidityTable(ARRAYS_EACH_WAY * SLOTS, falls);
  }

  refresh(known: AccountSet): boolean {
    const account = known.get(this.#pool);
    if (account === null || account === undefined) return false;
    const { data } = account;
    let isTableStale = false;
    if (data !== this.#poolData) {
      if (account.owner !== PROGRAM_ID || data.length !== POOL_STATE.length) return false;
      if (this.#config === null && !this.#locate(known)) return false;
      if (!this.#readPool(data)) return false;
      this.#poolData = data;
    }
    const feeBefore = this.#feePpm;
    if (!this.#readSurroundings(known)) return this.#forget();
    if (this.#feePpm !== feeBefore) isTableStale = true;
    if (this.#areArraysOther(known, data) && !this.#findArrays(known)) return this.#forget();
    for (let index = 0; index < this.#arrays.length; index++) {
      const address = this.#arrays[index]?.address;
      const array = address === undefined ? null : known.get(address);
      if (array?.data !== this.#arrayData[index]) {
        this.#arrayData[index] = array?.data ?? null;
        isTableStale = true;
      }
    }
    return (!isTableStale && this.#place()) || this.#rebuild() || this.#forget();
  }

  quoteAscending(amountsIn: Float64Array, amountsOut: Float64Array, clock: Clock): void {
    if (this.#isPaused || toNumber(clock.unixTimestamp) <= this.#openTime) {
      amountsOut.fill(REFUSED);
      return;
    }
    this.table.quoteAscending(amountsIn, amountsOut, true);
  }

  /** Nothing that was read counts any more: the next refresh reads all of it again. */
  #forget(): false {
    this.#poolData = null;
    this.#arrays = [];
    this.#arrayData = [];
    return false;
  }

  #locate(known: AccountSet): boolean {
    const header = readPoolHeader(known.get(this.#pool));
    if (header === null) return false;
    this.#config = header.ammConfig;
    this.#vaults = [header.vault0, header.vault1];
    this.#mints = [header.mint0, header.mint1];
    this.#tickSpacing = header.tickSpacing;
    this.#extension = hasBitmapExtension(header.tickSpacing)
      ? bitmapExtensionAddress(this.#pool)
      : null;
    return true;
  }

  #readPool(data: Uint8Array): boolean {
    const feeOn = data[POOL_STATE.feeOn] ?? 0;
    if (feeOn === (this.#falls ? 2 : 1)) return false;
    const dynamic = POOL_STATE.dynamicFeeInfo;
    for (let at = dynamic; at < dynamic + DYNAMIC_FEE_INFO.length; at++) {
      if (data[at] !== 0) return false;
    }
    this.#isPaused = ((data[POOL_STATE.status] ?? 0) & STATUS_SWAP_DISABLED) !== 0;
    this.#openTime = word(data, POOL_STATE.openTime) + word(data, POOL_STATE.openTime + 4) * WORD;
    this.#tickCurrent = word(data, POOL_STATE.tickCurrent) | 0;
    const standing = this.#standing;
    standing.liquidityLow = word(data, POOL_STATE.liquidity);
    standing.liquidityHigh = upperWords(data, POOL_STATE.liquidity);
    standing.priceLow = word(data, POOL_STATE.sqrtPriceX64);
    standing.priceHigh = upperWords(data, POOL_STATE.sqrtPriceX64);
    return standing.liquidityHigh < LARGEST_EXACT && standing.priceHigh < LARGEST_EXACT;
  }

  /** The fee, and that no transfer is taxed, hooked or frozen. */
  #readSurroundings(known: AccountSet): boolean {
    const config = this.#config === null ? null : known.get(this.#config);
    if (config === null || config === undefined) return false;
    if (config.data !== this.#configData) {
      if (config.owner !== PROGRAM_ID || config.data.length !== AMM_CONFIG.length) return false;
      this.#feePpm = word(config.data, AMM_CONFIG.tradeFeeRate);
      if (this.#feePpm >= 1_000_000) return false;
      this.#configData = config.data;
    }
    for (let side = 0; side < 2; side++) {
      const vault = known.get(this.#vaults[side] ?? this.#pool);
      if (vault === null || vault === undefined) return false;
      if (vault.data[TOKEN_STATE] === TOKEN_FROZEN) return false;
      const mint = known.get(this.#mints[side] ?? this.#pool);
      if (mint?.data === this.#mintData[side]) continue;
      const decoded = decodeMint(mint);
      if (decoded === null || decoded.transferFee !== null || decoded.transferHook !== null) {
        return false;
      }
      this.#mintData[side] = mint?.data ?? null;
    }
    return true;
  }

  /** Whether other arrays than the last ones lie around the price. */
  #areArraysOther(known: AccountSet, data: Uint8Array): boolean {
    if (this.#arrays.length === 0) return true;
    const span = ticksPerArray(this.#tickSpacing);
    if (this.#tickCurrent < this.#arrayStart || this.#tickCurrent >= this.#arrayStart + span) {
      return true;
    }
    for (let index = 0; index < BITMAP_LENGTH; index++) {
      if (data[POOL_STATE.tickArrayBitmap + index] !== this.#bitmap[index]) return true;
    }
    const extension = this.#extension === null ? null : known.get(this.#extension);
    return (extension?.data ?? null) !== this.#extensionData;
  }

  #findArrays(known: AccountSet): boolean {
    const header = readPoolHeader(known.get(this.#pool));
    if (header === null) return false;
    const account = this.#extension === null ? null : known.get(this.#extension);
    const extension =
      account === null || account === undefined ? null : readBitmapExtension(account, this.#pool);
    const { reader, tickSpacing } = header;
    const bitmaps = { pool: reader, extension, tickSpacing };
    this.#arrays = markedArrays(bitmaps, header.tickCurrent, this.#falls).map((start) => ({
      start,
      address: tickArrayAddress(this.#pool, start),
    }));
    this.#arrayData = this.#arrays.map(() => null);
    this.#extensionData = account?.data ?? null;
    for (let index = 0; index < BITMAP_LENGTH; index++) {
      this.#bitmap[index] = reader.u8(POOL_STATE.tickArrayBitmap + index);
    }
    const span = ticksPerArray(tickSpacing);
    this.#arrayStart = Math.floor(header.tickCurrent / span) * span;
    return true;
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
    this.table.build({
      stops: this.#stops,
      standing: this.#standing,
      feePpm: this.#feePpm,
      endsKnown: this.#endsKnown,
    });
    this.#at = 0;
    return this.#place();
  }

  /** Ticks ahead of the price, array by array, up to the first that is missing or empty. */
  #readStops(): boolean {
    const span = ticksPerArray(this.#tickSpacing);
    this.#stops.count = 0;
    this.#endsKnown = true;
    this.#originTick = this.#falls ? this.#arrayStart + span : this.#arrayStart;
    for (let index = 0; index < this.#arrays.length; index++) {
      const data = this.#arrayData[index] ?? null;
      const start = this.#arrays[index]?.start ?? 0;
      if (data === null) return index > 0;
      if (data.length !== TICK_ARRAY_STATE.length) return false;
      this.#scratch.set(data);
      const found = this.#readArray(start);
      if (found < 0) return false;
      if (!this.#endsKnown || (found === 0 && index > 0)) return true;
    }
    return true;
  }

  /** How many initialised ticks the array in the scratch has; below zero where its bytes are no array. */
  #readArray(start: number): number {
    const words = this.#words;
    if (words[TICK_ARRAY_STATE.startTickIndex / 4] !== start) return -1;
    const prices = this.#pricesOf(start);
    let found = 0;
    for (let step = 0; step < SLOTS; step++) {
      const slot = this.#falls ? SLOTS - 1 - step : step;
      const base = WORDS.tick + slot * WORDS.stride;
      const gross = base + WORDS.gross;
      const orders = base + WORDS.orders;
      const hasOrders =
        ((words[orders] ?? 0) |
          (words[orders + 1] ?? 0) |
          (words[orders + 2] ?? 0) |
          (words[orders + 3] ?? 0)) !==
        0;
      const hasLiquidity =
        ((words[gross] ?? 0) |
          (words[gross + 1] ?? 0) |
          (words[gross + 2] ?? 0) |
          (words[gross + 3] ?? 0)) !==
        0;
      if (!hasOrders && !hasLiquidity) continue;
      const tick = words[base] ?? 0;
      if (tick !== start + slot * this.#tickSpacing) return -1;
      found++;
      if (this.#falls ? tick > this.#tickCurrent : tick <= this.#tickCurrent) {
        this.#originTick = tick;
        continue;
      }
      // Orders are filled on the way, and the range's ends stop a swap short of their own price.
      if (hasOrders || tick <= MIN_TICK || tick >= MAX_TICK) {
        this.#endsKnown = false;
        return found;
      }
      if (!this.#addStop(tick, slot, prices)) {
        this.#endsKnown = false;
        return found;
      }
    }
    return found;
  }

  /** False where the tick's numbers leave the exact doubles. */
  #addStop(tick: number, slot: number, prices: ArrayPrices): boolean {
    const stops = this.#stops;
    const at = stops.count;
    if (Number.isNaN(prices.high[slot])) {
      const sqrtPriceX64 = sqrtPriceAtTick(tick);
      prices.high[slot] = toNumber(sqrtPriceX64 >> 32n);
      prices.low[slot] = toNumber(sqrtPriceX64 & 0xffff_ffffn);
    }
    const net = WORDS.tick + slot * WORDS.stride + WORDS.net;
    const words = this.#words;
    const netHigh =
      ((words[net + 3] ?? 0) * WORD + ((words[net + 2] ?? 0) >>> 0)) * WORD +
      ((words[net + 1] ?? 0) >>> 0);
    const priceHigh = prices.high[slot] ?? Number.NaN;
    if (!(priceHigh < LARGEST_EXACT && Math.abs(netHigh) < LARGEST_EXACT)) return false;
    stops.priceHigh[at] = priceHigh;
    stops.priceLow[at] = prices.low[slot] ?? 0;
    stops.netHigh[at] = netHigh;
    stops.netLow[at] = (words[net] ?? 0) >>> 0;
    this.#stopTicks[at] = tick;
    stops.count = at + 1;
    return true;
  }

  #pricesOf(start: number): ArrayPrices {
    const held = this.#prices.get(start);
    if (held !== undefined) return held;
    // A price that has wandered far leaves arrays behind that it may never see again.
    if (this.#prices.size > 4 * ARRAYS_EACH_WAY) this.#prices.clear();
    const made = {
      high: new Float64Array(SLOTS).fill(Number.NaN),
      low: new Float64Array(SLOTS),
    };
    this.#prices.set(start, made);
    return made;
  }
}
