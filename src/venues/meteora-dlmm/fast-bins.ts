import { EXACT_LIMIT, mulDivCeilExact } from "#src/units/exact-doubles.ts";
import { U64_MAX } from "#src/units/integer.ts";
import { MathError } from "#src/units/math-error.ts";
import type { Account } from "../account-set.ts";
import { binPrice, lowestBinId } from "./bin-price.ts";
import { FEE_PRECISION } from "./fees.ts";
import type { SwapSide } from "./fill-bin.ts";
import { BIN, BIN_ARRAY, DLMM_PROGRAM, MAX_BIN_PER_ARRAY } from "./layout.ts";

const TWO_32 = 4_294_967_296;
const TWO_63 = 2 ** 63;
/** High word of the first amount that a double may not hold exactly. */
const INEXACT_HIGH = 2_097_152;
/** High word of 2^63: an amount that no order of the fast path can carry past u64 lies below. */
const HALF_U64_HIGH = 2_147_483_648;
const RATE_SCALE = Number(FEE_PRECISION);
/**
 * A price takes at most three roundings to become a double, and one more makes an amount of it: the
 * relative error is below 2^-51. Twice that is held clear of every integer.
 */
const DOUBT = 2 ** -50;

const WORD = 4;
const BINS_WORD = BIN_ARRAY.bins / WORD;
const BIN_WORDS = BIN.length / WORD;
const PRICE_WORD = BIN.price / WORD;
const OPEN_WORD = BIN.openOrderAmount / WORD;
const REMAINING_WORD = BIN.processedOrderRemainingAmount / WORD;

/** Read word by word: little-endian, as every machine that V8 and JavaScriptCore run on. */
const scratch = () => {
  const bytes = new Uint8Array(BIN_ARRAY.length);
  return { bytes, words: new Uint32Array(bytes.buffer) };
};

/**
 * The bins of the arrays that one direction visits, in walking order: what each pays out, and the
 * net input that takes it all. Both depend on the bin alone, so a swap elsewhere leaves them standing.
 *
 * Place `slot * 70 + step` is the bin `step` bins into the array of that slot, walking.
 */
export class FastBins {
  readonly indexes: readonly number[];
  /** Base units paid when the bin is drained, before a fee on the output; 0: skip it. */
  readonly out: Float64Array;
  readonly isFeeOnInput: boolean;
  /** Products that no double could prove and integers had to find. */
  exactSteps = 0;
  readonly #side: SwapSide;
  readonly #binStep: number;
  readonly #accounts: (Account | null)[];
  readonly #need: Float64Array;
  readonly #price: Float64Array;
  readonly #priceWords: Uint32Array;
  /** What draining takes from an order, fee included, at the rate beside it. */
  readonly #used: Float64Array;
  readonly #usedAtRate: Float64Array;
  readonly #scratch = scratch();

  constructor(indexes: readonly number[], side: SwapSide, binStep: number) {
    const places = indexes.length * MAX_BIN_PER_ARRAY;
    this.indexes = indexes;
    this.#side = side;
    this.isFeeOnInput = side.isFeeOnInput;
    this.#binStep = binStep;
    this.#accounts = indexes.map(() => null);
    this.out = new Float64Array(places);
    this.#need = new Float64Array(places);
    this.#price = new Float64Array(places);
    this.#priceWords = new Uint32Array(places * 4);
    this.#used = new Float64Array(places);
    this.#usedAtRate = new Float64Array(places).fill(-1);
  }

  /** Reads an array again where it changed. False: its numbers are out of the fast path's range. */
  read(slot: number, account: Account): boolean {
    if (this.#accounts[slot] === account) return true;
    if (account.owner !== DLMM_PROGRAM || account.data.length !== BIN_ARRAY.length) return false;
    this.#accounts[slot] = null;
    this.#scratch.bytes.set(account.data);
    for (let place = 0; place < MAX_BIN_PER_ARRAY; place++) {
      const step = this.#side.sellsX ? MAX_BIN_PER_ARRAY - 1 - place : place;
      const id = lowestBinId(this.indexes[slot] ?? 0) + place;
      if (!this.#readBin(slot * MAX_BIN_PER_ARRAY + step, place, id)) return false;
    }
    this.#accounts[slot] = account;
    return true;
  }

  /** What draining the bin takes from an order at that fee rate; NaN where only integers can say. */
  usedAt(bin: number, rate: number): number {
    if (this.#usedAtRate[bin] === rate) return this.#used[bin] ?? Number.NaN;
    const need = this.#need[bin] ?? Number.NaN;
    const isOnInput = this.#side.isFeeOnInput && need !== Number.POSITIVE_INFINITY;
    const used = isOnInput ? mulDivCeilExact(need, RATE_SCALE, RATE_SCALE - rate) : need;
    this.#used[bin] = used;
    this.#usedAtRate[bin] = rate;
    return used;
  }

  /** Whether net input of exactly this size takes the bin whole and leaves nothing. */
  isExactly(bin: number, net: number): boolean {
    return this.#need[bin] === net;
  }

  /** What the bin pays for net input that does not drain it, before a fee on the output. */
  partialOut(bin: number, net: number): number {
    const price = this.#price[bin] ?? Number.NaN;
    const value = this.#side.sellsX ? net * price : net / price;
    const floor = Math.floor(value);
    const fraction = value - floor;
    const doubt = value * DOUBT;
    if (fraction > doubt && fraction < 1 - doubt) return floor;
    this.exactSteps++;
    const exactPrice = this.#exactPrice(bin);
    const exact = this.#side.sellsX
      ? (BigInt(net) * exactPrice) >> 64n
      : (BigInt(net) << 64n) / exactPrice;
    return Number(exact);
  }

  #readBin(bin: number, place: number, id: number): boolean {
    const { words } = this.#scratch;
    const { sellsX } = this.#side;
    const at = BINS_WORD + place * BIN_WORDS;
    const outAt = at + (sellsX ? 2 : 0);
    const inHigh = words[at + (sellsX ? 1 : 3)] ?? HALF_U64_HIGH;
    if (inHigh >= HALF_U64_HIGH || this.#holdsOrders(at)) return false;
    const high = words[outAt + 1] ?? INEXACT_HIGH;
    if (high >= INEXACT_HIGH) return false;
    const out = high * TWO_32 + (words[outAt] ?? 0);
    if (out === 0) {
      this.out[bin] = 0;
      return true;
    }
    const hasNewPrice = this.#takePrice(bin, at + PRICE_WORD, id);
    if (Number.isNaN(this.#price[bin])) return false;
    if (!hasNewPrice && this.out[bin] === out) return true;
    this.out[bin] = out;
    this.#need[bin] = this.#needOf(bin, out);
    this.#usedAtRate[bin] = -1;
    return true;
  }

  #holdsOrders(at: number): boolean {
    if (!this.#side.countsOrders) return false;
    const { words, bytes } = this.#scratch;
    const open = (words[at + OPEN_WORD] ?? 0) | (words[at + OPEN_WORD + 1] ?? 0);
    const remaining = (words[at + REMAINING_WORD] ?? 0) | (words[at + REMAINING_WORD + 1] ?? 0);
    if ((open | remaining) === 0) return false;
    const isAskSide = bytes[at * WORD + BIN.limitOrderAskSide] !== 0;
    return isAskSide !== this.#side.sellsX;
  }

  /** Takes over the stored price, or computes one that is not stored. True where it is another than before. */
  #takePrice(bin: number, at: number, id: number): boolean {
    const { words } = this.#scratch;
    const w0 = words[at] ?? 0;
    const w1 = words[at + 1] ?? 0;
    const w2 = words[at + 2] ?? 0;
    const w3 = words[at + 3] ?? 0;
    const own = this.#priceWords;
    const to = bin * 4;
    if (own[to] === w0 && own[to + 1] === w1 && own[to + 2] === w2 && own[to + 3] === w3) {
      if ((w0 | w1 | w2 | w3) !== 0) return false;
    }
    if ((w0 | w1 | w2 | w3) === 0) return this.#computePrice(bin, id);
    own[to] = w0;
    own[to + 1] = w1;
    own[to + 2] = w2;
    own[to + 3] = w3;
    this.#price[bin] = w3 * TWO_32 + w2 + (w1 * TWO_32 + w0) / (TWO_32 * TWO_32);
    return true;
  }

  #computePrice(bin: number, id: number): true {
    const price = computedPrice(id, this.#binStep);
    for (let word = 0; word < 4; word++) {
      this.#priceWords[bin * 4 + word] = Number((price >> BigInt(32 * word)) & 0xffff_ffffn);
    }
    this.#price[bin] = price === 0n ? Number.NaN : Number(price) / (TWO_32 * TWO_32);
    return true;
  }

  /** `ceil(out * 2^64 / price)` for X, `ceil(out * price / 2^64)` for Y; infinite: more than any order here. */
  #needOf(bin: number, out: number): number {
    const price = this.#price[bin] ?? Number.NaN;
    const value = this.#side.sellsX ? out / price : out * price;
    const floor = Math.floor(value);
    const fraction = value - floor;
    const doubt = value * DOUBT;
    if (fraction > doubt && fraction < 1 - doubt) return floor + 1;
    if (value > 2 * EXACT_LIMIT && value < TWO_63) return Number.POSITIVE_INFINITY;
    this.exactSteps++;
    const exactPrice = this.#exactPrice(bin);
    const product = this.#side.sellsX ? BigInt(out) << 64n : BigInt(out) * exactPrice;
    const divisor = this.#side.sellsX ? exactPrice : 1n << 64n;
    const exact = (product + divisor - 1n) / divisor;
    if (exact > U64_MAX) return Number.NaN;
    return exact < BigInt(EXACT_LIMIT) ? Number(exact) : Number.POSITIVE_INFINITY;
  }

  #exactPrice(bin: number): bigint {
    let price = 0n;
    for (let word = 3; word >= 0; word--) {
      price = (price << 32n) | BigInt(this.#priceWords[bin * 4 + word] ?? 0);
    }
    return price;
  }
}

/** Zero where the program can't compute the price either. */
function computedPrice(id: number, binStep: number): bigint {
  try {
    return binPrice(id, binStep);
  } catch (error) {
    if (error instanceof MathError) return 0n;
    throw error;
  }
}
