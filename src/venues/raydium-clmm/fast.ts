import { type Address, bytesOf } from "#src/units/address.ts";
import { toNumber } from "#src/units/to-number.ts";
import type { AccountSet } from "../account-set.ts";
import { ByteReader } from "../byte-reader.ts";
import { u64AsDouble, upperWords, word } from "../fast-bytes.ts";
import { type FastQuoter, REFUSED } from "../fast-quoter.ts";
import type { Direction } from "../shared/curves/direction.ts";
import { LiquidityTable, type Standing } from "../shared/curves/liquidity-table.ts";
import { decodeMint, isStopped } from "../shared/token/mint.ts";
import type { Clock } from "../venue.ts";
import { readPoolHeader } from "./decode.ts";
import { FastTickArray } from "./fast-tick-array.ts";
import {
  AMM_CONFIG,
  DYNAMIC_FEE_INFO,
  POOL_STATE,
  PROGRAM_ID,
  STATUS_SWAP_DISABLED,
  TICK_ARRAY_STATE,
} from "./layout.ts";
import {
  ARRAYS_EACH_WAY,
  bitmapExtensionAddress,
  hasBitmapExtension,
  locateBitmapBit,
  markedArrays,
  readBitmapExtension,
  tickArrayAddress,
  ticksPerArray,
} from "./tick-arrays.ts";
import { MAX_TICK, MIN_TICK } from "./tick-math.ts";

const WORD = 2 ** 32;
const LARGEST_EXACT = 2 ** 53;
const MOST_STOPS = ARRAYS_EACH_WAY * TICK_ARRAY_STATE.ticksPerArray;
const BITMAP_LENGTH = 128;
const TOKEN_AMOUNT = 64;
const TOKEN_STATE = 108;
const TOKEN_FROZEN = 2;

/** A tick array that a sale may reach, and the bytes that it was last read from; null: none. */
type Reached = {
  readonly address: Address;
  readonly ticks: FastTickArray;
  data: Uint8Array | null;
};

/**
 * Quotes one direction of a pool in doubles: static fee on the input, no transfer fees, and as far
 * as no limit orders wait. Everything else is left to the reference.
 */
export function openFast(pool: Address, known: AccountSet, inputMint: Address): FastQuoter | null {
  const header = readPoolHeader(known.get(pool));
  if (header === null) return null;
  const quoter = new ClmmFastQuoter(pool, inputMint === header.mint0 ? "down" : "up");
  return quoter.refresh(known) ? quoter : null;
}

export class ClmmFastQuoter implements FastQuoter {
  readonly table: LiquidityTable;
  readonly #pool: Address;
  readonly #poolBytes: Uint8Array;
  readonly #direction: Direction;
  readonly #falls: boolean;
  readonly #stopTicks = new Int32Array(MOST_STOPS);
  readonly #standing: Standing = { priceHigh: 0, priceLow: 0, liquidityHigh: 0, liquidityLow: 0 };

  /** Addresses that lead nowhere else while the pool lives; empty before the first refresh. */
  #config: Address | null = null;
  #vaults: readonly Address[] = [];
  #mints: readonly Address[] = [];
  #extension: Address | null = null;
  #tickSpacing = 0;

  /** Bytes that were read last, to detect changes. */
  #poolData: Uint8Array | null = null;
  #configData: Uint8Array | null = null;
  #extensionData: Uint8Array | null = null;
  readonly #mintData: (Uint8Array | null)[] = [null, null];
  readonly #bitmap = new Uint8Array(BITMAP_LENGTH);
  #arrays: readonly Reached[] = [];
  /** The byte of the pool's own bitmap that marks the array around the price, or its nearest. */
  #bitmapByte = 0;

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

  constructor(pool: Address, direction: Direction) {
    this.#pool = pool;
    this.#poolBytes = bytesOf(pool);
    this.#direction = direction;
    this.#falls = direction === "down";
    this.table = new LiquidityTable({ capacity: MOST_STOPS, direction, refusesNothing: true });
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
    if (this.#areMarksOther(known, data) && this.#findArrays(known, data)) isTableStale = true;
    for (const array of this.#arrays) {
      const bytes = known.get(array.address)?.data ?? null;
      if (bytes === array.data) continue;
      if (bytes !== null && !array.ticks.read(bytes)) return this.#forget();
      isTableStale ||= bytes === null || array.data === null || array.ticks.isChanged;
      array.data = bytes;
    }
    return (!isTableStale && this.#place()) || this.#rebuild() || this.#forget();
  }

  quoteAscending(amountsIn: Float64Array, amountsOut: Float64Array, clock: Clock): void {
    if (this.#isPaused || toNumber(clock.unixTimestamp) <= this.#openTime) {
      amountsOut.fill(REFUSED);
      return;
    }
    this.table.quoteAscending(amountsIn, amountsOut);
  }

  /** Nothing that was read counts any more: the next refresh reads all of it again. */
  #forget(): false {
    this.#poolData = null;
    this.#arrays = [];
    return false;
  }

  #locate(known: AccountSet): boolean {
    const header = readPoolHeader(known.get(this.#pool));
    // A pool has a dynamic fee from its creation on, or never.
    const noDynamicFee = new Uint8Array(DYNAMIC_FEE_INFO.length);
    if (!header?.reader.has(POOL_STATE.dynamicFeeInfo, noDynamicFee)) return false;
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

  /** The fee, what the output vault holds, and that no transfer is taxed, hooked or frozen. */
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
      const isOutput = side === (this.#falls ? 1 : 0);
      if (isOutput) this.table.heldOut = u64AsDouble(vault.data, TOKEN_AMOUNT);
      const mint = known.get(this.#mints[side] ?? this.#pool);
      if (mint?.data === this.#mintData[side]) continue;
      const decoded = decodeMint(mint);
      const isPlain =
        decoded?.transferFee === null && decoded.transferHook === null && !isStopped(decoded);
      if (!isPlain) return false;
      this.#mintData[side] = mint?.data ?? null;
    }
    return true;
  }

  /** Whether other arrays than the last ones may lie around the price. */
  #areMarksOther(known: AccountSet, data: Uint8Array): boolean {
    if (this.#arrays.length === 0) return true;
    const span = ticksPerArray(this.#tickSpacing);
    if (this.#tickCurrent < this.#arrayStart || this.#tickCurrent >= this.#arrayStart + span) {
      return true;
    }
    // Only marks ahead of the price can add an array.
    const from = this.#falls ? 0 : this.#bitmapByte;
    const to = this.#falls ? this.#bitmapByte + 1 : BITMAP_LENGTH;
    for (let index = from; index < to; index++) {
      if (data[POOL_STATE.tickArrayBitmap + index] !== this.#bitmap[index]) return true;
    }
    const extension = this.#extension === null ? null : known.get(this.#extension);
    return (extension?.data ?? null) !== this.#extensionData;
  }

  /**
   * Finds the marked arrays around the price; earlier ones keep what was read from them. Returns
   * whether the set has changed.
   */
  #findArrays(known: AccountSet, data: Uint8Array): boolean {
    const tickSpacing = this.#tickSpacing;
    const account = this.#extension === null ? null : known.get(this.#extension);
    const extension = account ? readBitmapExtension(account, this.#poolBytes) : null;
    const bitmaps = { pool: new ByteReader(data), extension, tickSpacing };
    const before = this.#arrays;
    this.#arrays = markedArrays(bitmaps, this.#tickCurrent, this.#direction).map(
      (start) =>
        before.find(({ ticks }) => ticks.start === start) ?? {
          address: tickArrayAddress(this.#pool, start),
          ticks: new FastTickArray(start, tickSpacing),
          data: null,
        },
    );
    this.#extensionData = account?.data ?? null;
    for (let index = 0; index < BITMAP_LENGTH; index++) {
      this.#bitmap[index] = data[POOL_STATE.tickArrayBitmap + index] ?? 0;
    }
    const span = ticksPerArray(tickSpacing);
    this.#arrayStart = Math.floor(this.#tickCurrent / span) * span;
    const { isInPool, byte } = locateBitmapBit(this.#arrayStart / span);
    const isBelow = this.#arrayStart < 0;
    this.#bitmapByte = isInPool
      ? byte - POOL_STATE.tickArrayBitmap
      : isBelow
        ? 0
        : BITMAP_LENGTH - 1;
    const found = this.#arrays;
    return found.length !== before.length || found.some((array, at) => array !== before[at]);
  }

  /** Moves the price within the table. False where it has left it. */
  #place(): boolean {
    const tick = this.#tickCurrent;
    if (this.#falls ? tick >= this.#originTick : tick < this.#originTick) return false;
    const { count } = this.table.stops;
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
    if (this.#arrays[0]?.data === null) return false;
    this.#gatherStops();
    this.table.build({
      standing: this.#standing,
      feePpm: this.#feePpm,
      endsKnown: this.#endsKnown,
    });
    this.#at = 0;
    return this.#place();
  }

  /** Ticks ahead of the price, array by array, up to the first that is missing or empty. */
  #gatherStops(): void {
    const span = ticksPerArray(this.#tickSpacing);
    this.table.stops.count = 0;
    this.#endsKnown = true;
    this.#originTick = this.#falls ? this.#arrayStart + span : this.#arrayStart;
    for (const { ticks, data } of this.#arrays) {
      const isFirst = ticks === this.#arrays[0]?.ticks;
      if (data === null || (ticks.count === 0 && !isFirst)) return;
      this.#gather(ticks);
      if (!this.#endsKnown) return;
    }
  }

  #gather(ticks: FastTickArray): void {
    for (let step = 0; step < ticks.count; step++) {
      const place = this.#falls ? ticks.count - 1 - step : step;
      const tick = ticks.tickAt(place);
      if (this.#falls ? tick > this.#tickCurrent : tick <= this.#tickCurrent) {
        this.#originTick = tick;
        continue;
      }
      // Orders are filled on the way, and the range's ends stop a swap short of their own price.
      const isPlain = ticks.hasOrders[place] === 0 && tick > MIN_TICK && tick < MAX_TICK;
      if (!isPlain || !this.#addStop(ticks, place, tick)) {
        this.#endsKnown = false;
        return;
      }
    }
  }

  /** False where the tick's numbers leave the exact doubles. */
  #addStop(ticks: FastTickArray, place: number, tick: number): boolean {
    const stops = this.table.stops;
    const at = stops.count;
    const priceHigh = ticks.priceHighAt(place);
    const netHigh = ticks.netHigh[place] ?? Number.NaN;
    if (!(priceHigh < LARGEST_EXACT && Math.abs(netHigh) < LARGEST_EXACT)) return false;
    stops.priceHigh[at] = priceHigh;
    stops.priceLow[at] = ticks.priceLowAt(place);
    stops.netHigh[at] = netHigh;
    stops.netLow[at] = ticks.netLow[place] ?? 0;
    this.#stopTicks[at] = tick;
    stops.count = at + 1;
    return true;
  }
}
