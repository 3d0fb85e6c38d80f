import { type Address, bytesOf } from "#src/units/address.ts";
import { toNumber } from "#src/units/to-number.ts";
import type { AccountSet } from "../account-set.ts";
import { ByteReader } from "../byte-reader.ts";
import { upperWords, word } from "../fast-bytes.ts";
import { type FastQuoter, REFUSED } from "../fast-quoter.ts";
import type { Direction } from "../shared/curves/direction.ts";
import type { LiquidityTable } from "../shared/curves/liquidity-table.ts";
import { TicksAhead } from "../shared/curves/ticks-ahead.ts";
import { isStopped, type Mint } from "../shared/token/mint.ts";
import { PlainTransfers } from "../shared/token/plain-transfers.ts";
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

class ClmmFastQuoter implements FastQuoter {
  readonly #ahead: TicksAhead;
  readonly #pool: Address;
  readonly #poolBytes: Uint8Array;
  readonly #direction: Direction;
  readonly #falls: boolean;

  /** Addresses that lead nowhere else while the pool lives; null before the first refresh. */
  #config: Address | null = null;
  #transfers: PlainTransfers | null = null;
  #extension: Address | null = null;
  #tickSpacing = 0;

  /** Bytes that were read last, to detect changes. */
  #poolData: Uint8Array | null = null;
  #configData: Uint8Array | null = null;
  #extensionData: Uint8Array | null = null;
  readonly #bitmap = new Uint8Array(BITMAP_LENGTH);
  #arrays: readonly Reached[] = [];
  /** The byte of the pool's own bitmap that marks the array around the price, or its nearest. */
  #bitmapByte = 0;

  #arrayStart = 0;
  #feePpm = 0;
  #openTime = 0;
  #isPaused = false;

  constructor(pool: Address, direction: Direction) {
    this.#pool = pool;
    this.#poolBytes = bytesOf(pool);
    this.#direction = direction;
    this.#falls = direction === "down";
    this.#ahead = new TicksAhead({ capacity: MOST_STOPS, direction, refusesNothing: true });
  }

  get table(): LiquidityTable {
    return this.#ahead.table;
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
    return (!isTableStale && this.#ahead.place()) || this.#rebuild() || this.#forget();
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
    const token0 = { vault: header.vault0, mint: header.mint0 };
    const token1 = { vault: header.vault1, mint: header.mint1 };
    const [input, output] = this.#falls ? [token0, token1] : [token1, token0];
    this.#transfers = new PlainTransfers(input, output, isPlainMint);
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
    this.#ahead.tickCurrent = word(data, POOL_STATE.tickCurrent) | 0;
    const { standing } = this.#ahead;
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
    this.table.heldOut = this.#transfers?.heldOut(known) ?? Number.NaN;
    return !Number.isNaN(this.table.heldOut);
  }

  /** Whether other arrays than the last ones may lie around the price. */
  #areMarksOther(known: AccountSet, data: Uint8Array): boolean {
    if (this.#arrays.length === 0) return true;
    const span = ticksPerArray(this.#tickSpacing);
    if (
      this.#ahead.tickCurrent < this.#arrayStart ||
      this.#ahead.tickCurrent >= this.#arrayStart + span
    ) {
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
    this.#arrays = markedArrays(bitmaps, this.#ahead.tickCurrent, this.#direction).map(
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
    this.#arrayStart = Math.floor(this.#ahead.tickCurrent / span) * span;
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

  #rebuild(): boolean {
    if (this.#arrays[0]?.data === null) return false;
    this.#gatherStops();
    return this.#ahead.build(this.#feePpm);
  }

  /** Ticks ahead of the price, array by array, up to the first that is missing or empty. */
  #gatherStops(): void {
    const span = ticksPerArray(this.#tickSpacing);
    this.#ahead.begin(this.#falls ? this.#arrayStart + span : this.#arrayStart);
    for (const { ticks, data } of this.#arrays) {
      const isFirst = ticks === this.#arrays[0]?.ticks;
      if (data === null || (ticks.count === 0 && !isFirst)) return;
      // Orders are filled on the way, and the range's ends stop a swap short of their own price.
      const isPlain = (place: number, tick: number) =>
        ticks.hasOrders[place] === 0 && tick > MIN_TICK && tick < MAX_TICK;
      if (!this.#ahead.gather(ticks, isPlain)) return;
    }
  }
}

function isPlainMint(mint: Mint): boolean {
  return mint.transferFee === null && mint.transferHook === null && !isStopped(mint);
}
