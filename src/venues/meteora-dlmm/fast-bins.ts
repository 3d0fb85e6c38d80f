import { EXACT_LIMIT, mulDivCeilExact } from "#src/units/exact-doubles.ts";
import { U64_MAX } from "#src/units/integer.ts";
import type { Account } from "../account-set.ts";
import { nullOnMathError } from "../shared/refusals.ts";
import { binPrice, lowestBinId } from "./bin-price.ts";
import { FEE_PRECISION } from "./fees.ts";
import type { SwapSide } from "./fill-bin.ts";
import { BIN, BIN_ARRAY, DLMM_PROGRAM, MAX_BIN_PER_ARRAY } from "./layout.ts";

const TWO_32 = 4_294_967_296;
const TWO_63 = 2 ** 63;
const TWO_64 = 2 ** 64;
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
const FEE_DOUBT = 2 ** -51;

/** A need that is not worked out yet: few orders reach every bin. */
const UNKNOWN_NEED = -1;

/**
 * The bins of the arrays that one direction visits, in walking order: what each pays out, and the
 * net input that takes it all. Both depend on the bin alone, so a swap elsewhere does not change them.
 *
 * Place `slot * 70 + step` is the bin `step` bins into the array of that slot, walking.
 */
export class FastBins {
  readonly indexes: readonly number[];
  readonly side: SwapSide;
  /** Base units paid when the bin is drained, before a fee on the output; 0: skip it. */
  readonly out: Float64Array;
  /**
   * What draining all bins before a place takes and pays at the rate of `sumAt`. NaN from the first bin
   * on that only integers can price.
   */
  readonly usedBefore: Float64Array;
  readonly paidBefore: Float64Array;
  /** Products that no double could prove and integers had to find. */
  exactSteps = 0;
  readonly #binStep: number;
  readonly #accounts: (Account | null)[];
  readonly #need: Float64Array;
  readonly #price: Float64Array;
  readonly #priceWords: Uint32Array;
  #summedRate = Number.NaN;

  constructor(indexes: readonly number[], side: SwapSide, binStep: number) {
    const places = indexes.length * MAX_BIN_PER_ARRAY;
    this.indexes = indexes;
    this.side = side;
    this.#binStep = binStep;
    this.#accounts = indexes.map(() => null);
    this.out = new Float64Array(places);
    this.#need = new Float64Array(places);
    this.#price = new Float64Array(places);
    this.#priceWords = new Uint32Array(places * 4);
    this.usedBefore = new Float64Array(places + 1);
    this.paidBefore = new Float64Array(places + 1);
  }

  /** Reads an array again where it changed. False: its numbers are out of the fast path's range. */
  read(slot: number, account: Account): boolean {
    if (this.#accounts[slot] === account) return true;
    if (account.owner !== DLMM_PROGRAM || account.data.length !== BIN_ARRAY.length) return false;
    this.#accounts[slot] = null;
    this.#summedRate = Number.NaN;
    const { buffer, byteOffset, byteLength } = account.data;
    if (!this.#readBins(slot, new DataView(buffer, byteOffset, byteLength))) return false;
    this.#accounts[slot] = account;
    return true;
  }

  /** One loop with everything at hand: it reads every bin of every array that changed. */
  #readBins(slot: number, view: DataView): boolean {
    const priceWords = this.#priceWords;
    const price = this.#price;
    const need = this.#need;
    const { out } = this;
    const { sellsX, countsOrders } = this.side;
    const outOffset = sellsX ? BIN.amountY : BIN.amountX;
    const inOffset = sellsX ? BIN.amountX : BIN.amountY;
    const stride = sellsX ? -1 : 1;
    const lowestId = lowestBinId(this.indexes[slot] ?? 0);
    let bin = slot * MAX_BIN_PER_ARRAY + (sellsX ? MAX_BIN_PER_ARRAY - 1 : 0);
    let at: number = BIN_ARRAY.bins;
    for (let place = 0; place < MAX_BIN_PER_ARRAY; place++, bin += stride, at += BIN.length) {
      if (view.getUint32(at + inOffset + 4, true) >= HALF_U64_HIGH) return false;
      if (countsOrders && this.#holdsOrders(view, at)) return false;
      const high = view.getUint32(at + outOffset + 4, true);
      if (high >= INEXACT_HIGH) return false;
      const amount = high * TWO_32 + view.getUint32(at + outOffset, true);
      if (amount !== 0) {
        const own = bin * 4;
        const w0 = view.getUint32(at + BIN.price, true);
        const w1 = view.getUint32(at + BIN.price + 4, true);
        const w2 = view.getUint32(at + BIN.price + 8, true);
        const w3 = view.getUint32(at + BIN.price + 12, true);
        if (
          priceWords[own] !== w0 ||
          priceWords[own + 1] !== w1 ||
          priceWords[own + 2] !== w2 ||
          priceWords[own + 3] !== w3 ||
          price[bin] === 0
        ) {
          priceWords[own] = w0;
          priceWords[own + 1] = w1;
          priceWords[own + 2] = w2;
          priceWords[own + 3] = w3;
          price[bin] = w3 * TWO_32 + w2 + (w1 * TWO_32 + w0) / TWO_64;
          need[bin] = UNKNOWN_NEED;
          if (price[bin] === 0 && !this.#computePrice(bin, lowestId + place)) return false;
        } else if (out[bin] !== amount) {
          need[bin] = UNKNOWN_NEED;
        }
      }
      out[bin] = amount;
    }
    return true;
  }

  /** Sums up what draining takes and pays at one fee rate, for `usedBefore` and `paidBefore`. */
  sumAt(rate: number): void {
    if (this.#summedRate === rate) return;
    this.#summedRate = rate;
    const { out, usedBefore, paidBefore } = this;
    const need = this.#need;
    const { isFeeOnInput } = this.side;
    let used = 0;
    let paid = 0;
    for (let bin = 0; bin < out.length; bin++) {
      const amount = out[bin] ?? 0;
      if (amount !== 0) {
        if (need[bin] === UNKNOWN_NEED) need[bin] = this.#needOf(bin, amount);
        const net = need[bin] ?? Number.NaN;
        used += isFeeOnInput ? withFee(net, rate) : net;
        paid += isFeeOnInput ? amount : amount - mulDivCeilExact(amount, rate, RATE_SCALE);
      }
      usedBefore[bin + 1] = used;
      paidBefore[bin + 1] = paid;
    }
  }

  /** What draining the bin takes from an order at that fee rate; NaN where only integers can say. */
  usedAt(bin: number, rate: number): number {
    let need = this.#need[bin] ?? Number.NaN;
    if (need === UNKNOWN_NEED) {
      need = this.#needOf(bin, this.out[bin] ?? 0);
      this.#need[bin] = need;
    }
    return this.side.isFeeOnInput ? withFee(need, rate) : need;
  }

  /** What an order gets for draining a bin of `out` base units. */
  drainedOut(out: number, rate: number): number {
    return this.side.isFeeOnInput ? out : out - mulDivCeilExact(out, rate, RATE_SCALE);
  }

  /** Whether net input of exactly this size takes the bin, whose use is known, whole and leaves nothing. */
  isExactly(bin: number, net: number): boolean {
    return this.#need[bin] === net;
  }

  /** What the bin pays for net input that does not drain it, before a fee on the output. */
  partialOut(bin: number, net: number): number {
    const price = this.#price[bin] ?? Number.NaN;
    const value = this.side.sellsX ? net * price : net / price;
    const floor = Math.floor(value);
    const fraction = value - floor;
    const doubt = value * DOUBT;
    if (fraction > doubt && fraction < 1 - doubt) return floor;
    this.exactSteps++;
    const exactPrice = this.#exactPrice(bin);
    const exact = this.side.sellsX
      ? (BigInt(net) * exactPrice) >> 64n
      : (BigInt(net) << 64n) / exactPrice;
    return Number(exact);
  }

  /** Whether there are orders on the side that is sold into. */
  #holdsOrders(view: DataView, at: number): boolean {
    const open = at + BIN.openOrderAmount;
    const remaining = at + BIN.processedOrderRemainingAmount;
    const some =
      view.getUint32(open, true) |
      view.getUint32(open + 4, true) |
      view.getUint32(remaining, true) |
      view.getUint32(remaining + 4, true);
    if (some === 0) return false;
    const isAskSide = view.getUint8(at + BIN.limitOrderAskSide) !== 0;
    return isAskSide !== this.side.sellsX;
  }

  /** A price that is not stored; its words are valid until the account stores one. False where there is none. */
  #computePrice(bin: number, id: number): boolean {
    // Null where the program can't compute the price either.
    const price = nullOnMathError(() => binPrice(id, this.#binStep));
    if (price === null) return false;
    for (let word = 0; word < 4; word++) {
      this.#priceWords[bin * 4 + word] = Number((price >> BigInt(32 * word)) & 0xffff_ffffn);
    }
    this.#price[bin] = Number(price) / TWO_64;
    return true;
  }

  /** `ceil(out * 2^64 / price)` for X, `ceil(out * price / 2^64)` for Y; infinite: more than any order here. */
  #needOf(bin: number, out: number): number {
    const price = this.#price[bin] ?? Number.NaN;
    const value = this.side.sellsX ? out / price : out * price;
    const floor = Math.floor(value);
    const fraction = value - floor;
    const doubt = value * DOUBT;
    if (fraction > doubt && fraction < 1 - doubt) return floor + 1;
    if (value > 2 * EXACT_LIMIT && value < TWO_63) return Number.POSITIVE_INFINITY;
    return this.#needInIntegers(bin, out);
  }

  #needInIntegers(bin: number, out: number): number {
    this.exactSteps++;
    const exactPrice = this.#exactPrice(bin);
    const product = this.side.sellsX ? BigInt(out) << 64n : BigInt(out) * exactPrice;
    const divisor = this.side.sellsX ? exactPrice : 1n << 64n;
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

/**
 * `ceil(need * 10^9 / (10^9 - rate))`: the need with the fee on top. The quotient of the rates and the
 * product round once each, so the relative error is below 2^-52; where that leaves doubt, exactly.
 */
function withFee(need: number, rate: number): number {
  const value = need * (RATE_SCALE / (RATE_SCALE - rate));
  const floor = Math.floor(value);
  const fraction = value - floor;
  const doubt = value * FEE_DOUBT;
  if (fraction > doubt && fraction < 1 - doubt) return floor + 1;
  if (need === Number.POSITIVE_INFINITY) return need;
  return mulDivCeilExact(need, RATE_SCALE, RATE_SCALE - rate);
}
