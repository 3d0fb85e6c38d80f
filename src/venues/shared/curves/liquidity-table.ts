import { ASK_REFERENCE, REFUSED } from "../../fast-quoter.ts";
import type { Direction } from "./direction.ts";

const WORD = 2 ** 32;
const Q64 = 2 ** 64;
const Q64_INVERSE = 2 ** -64;
const LARGEST_EXACT = 2 ** 53;
const FEE_DENOMINATOR = 1_000_000;

/**
 * Errors that values computed in doubles may carry, relative to them. A whole stretch takes at most
 * seven roundings of 2^-53, under half of its bound; a part at most ten, under a third of its own.
 */
const WHOLE_ERROR = 2 ** -49;
const PART_ERROR = 2 ** -48;

/** Ticks ahead of a price in the order in which a sale meets them, unsigned 128-bit values in two parts. */
export type Stops = {
  count: number;
  /** Square root prices, `high * 2^32 + low`, Q64.64. */
  readonly priceHigh: Float64Array;
  readonly priceLow: Float64Array;
  /** What liquidity gains where the price rises through the tick, `high * 2^32 + low`. */
  readonly netHigh: Float64Array;
  readonly netLow: Float64Array;
};

/** The position of the price. Each quoter owns one and overwrites it, so that nothing is allocated. */
export type Standing = {
  priceHigh: number;
  priceLow: number;
  liquidityHigh: number;
  liquidityLow: number;
};

function makeStops(capacity: number): Stops {
  return {
    count: 0,
    priceHigh: new Float64Array(capacity),
    priceLow: new Float64Array(capacity),
    netHigh: new Float64Array(capacity),
    netLow: new Float64Array(capacity),
  };
}

export type LiquidityTableShape = {
  /** Stops at most. */
  readonly capacity: number;
  readonly direction: Direction;
  /** Whether the program refuses an order that pays nothing. */
  readonly refusesNothing: boolean;
};

export type TableSource = {
  readonly standing: Standing;
  readonly feePpm: number;
  /** Whether nothing lies beyond the last stop: the program refuses to go there. */
  readonly endsKnown: boolean;
};

/**
 * A concentrated pool's liquidity in one direction of sale, for pools whose fee is static and taken
 * from the input: Raydium's and Orca's programs compute the same integers there.
 *
 * A stretch between two ticks takes and pays the same whatever the order's size and wherever the
 * price is, so whole stretches are summed up once; a quote is a search in the sums and one step
 * at either end. Every step is computed in doubles and certified: where the real value lies further
 * from the next integer than its error, its floor or ceiling is the program's own. What can't be
 * certified is recomputed in integers while the table is built, and left to the reference in a quote.
 */
export class LiquidityTable {
  /** Steps that had to be recomputed in integers, or were left to the reference; and all steps. */
  uncertified = 0;
  steps = 0;
  /** Written by the quoter before it has the table built. */
  readonly stops: Stops;
  /** Output in the vault, written by the quoter: the program refuses to pay more. */
  heldOut = Number.POSITIVE_INFINITY;
  readonly #falls: boolean;
  readonly #refusesNothing: boolean;
  readonly #price: Float64Array;
  /** Of the stretch that ends at the stop. */
  readonly #liquidity: Float64Array;
  readonly #liquidityHigh: Float64Array;
  readonly #liquidityLow: Float64Array;
  /** Sums over whole stretches from the first stop to this one: input with its fee, and output. */
  readonly #consumed: Float64Array;
  readonly #paid: Float64Array;
  #count = 0;
  /** What lies beyond the last stop: nothing (the program refuses), or more than doubles can represent. */
  #beyond = REFUSED;
  #feePpm = 0;
  /** `10^6 / (10^6 - fee)`. */
  #feeFactor = 1;
  /** The stop ahead of the price, and the stretch up to it. */
  #at = 0;
  #start = 0;
  #firstConsumed = 0;
  #firstPaid = 0;
  /** Results of `#measure`, kept in fields so that nothing is allocated. */
  #needed = 0;
  #output = 0;

  constructor({ capacity, direction, refusesNothing }: LiquidityTableShape) {
    this.#falls = direction === "down";
    this.#refusesNothing = refusesNothing;
    this.stops = makeStops(capacity);
    this.#price = new Float64Array(capacity);
    this.#liquidity = new Float64Array(capacity);
    this.#liquidityHigh = new Float64Array(capacity);
    this.#liquidityLow = new Float64Array(capacity);
    this.#consumed = new Float64Array(capacity);
    this.#paid = new Float64Array(capacity);
  }

  /** Sums up the stretches between the stops, from the liquidity before the first. */
  build(source: TableSource): void {
    const { stops } = this;
    this.#feePpm = source.feePpm;
    this.#feeFactor = FEE_DENOMINATOR / (FEE_DENOMINATOR - source.feePpm);
    this.#beyond = source.endsKnown ? REFUSED : ASK_REFERENCE;
    this.#count = 0;
    let high = source.standing.liquidityHigh;
    let low = source.standing.liquidityLow;
    let consumed = 0;
    let paid = 0;
    for (let index = 0; index < stops.count; index++) {
      this.#price[index] = (stops.priceHigh[index] ?? 0) * WORD + (stops.priceLow[index] ?? 0);
      this.#liquidityHigh[index] = high;
      this.#liquidityLow[index] = low;
      this.#liquidity[index] = high * WORD + low;
      if (index > 0) {
        this.#measure(index, stops.priceHigh[index - 1] ?? 0, stops.priceLow[index - 1] ?? 0);
        consumed += this.#needed;
        paid += this.#output;
      }
      // No order that doubles hold gets past a sum of 2^53: the stretch can only be sold into in part.
      this.#consumed[index] = consumed < LARGEST_EXACT ? consumed : Number.POSITIVE_INFINITY;
      this.#paid[index] = paid < LARGEST_EXACT ? paid : ASK_REFERENCE;
      this.#count = index + 1;
      if (consumed >= LARGEST_EXACT) return;
      high += this.#falls ? -(stops.netHigh[index] ?? 0) : (stops.netHigh[index] ?? 0);
      low += this.#falls ? -(stops.netLow[index] ?? 0) : (stops.netLow[index] ?? 0);
      const carry = Math.floor(low / WORD);
      low -= carry * WORD;
      high += carry;
      if (high < 0 || high >= LARGEST_EXACT) {
        // Also for an order that ends at this stop exactly: the program crosses it, or fails to.
        this.#paid[index] = ASK_REFERENCE;
        return;
      }
    }
  }

  /**
   * Puts the price before the stop at `index`. False where price or liquidity are not those that the
   * sums were made with.
   */
  place(index: number, standing: Standing): boolean {
    if (index >= this.#count) return false;
    if (this.#liquidityHigh[index] !== standing.liquidityHigh) return false;
    if (this.#liquidityLow[index] !== standing.liquidityLow) return false;
    this.#at = index;
    this.#start = standing.priceHigh * WORD + standing.priceLow;
    this.#measure(index, standing.priceHigh, standing.priceLow);
    this.#firstConsumed = this.#needed;
    this.#firstPaid = this.#output;
    return this.#needed >= 0;
  }

  /** What each of these ascending amounts pays: an exact amount, `REFUSED` or `ASK_REFERENCE`. */
  quoteAscending(amountsIn: Float64Array, amountsOut: Float64Array): void {
    const at = this.#at;
    const consumedBefore = this.#consumed[at] ?? 0;
    const paidBefore = this.#paid[at] ?? 0;
    const last = this.#count - 1;
    let reached = at;
    for (let order = 0; order < amountsIn.length; order++) {
      const amount = amountsIn[order] ?? 0;
      let paid: number;
      if (amount <= 0) {
        paid = REFUSED;
      } else if (amount < this.#firstConsumed) {
        paid = this.#sellPart(this.#start, this.#liquidity[at] ?? 0, amount);
      } else {
        const sought = amount - this.#firstConsumed + consumedBefore;
        if (sought >= LARGEST_EXACT) {
          amountsOut[order] = ASK_REFERENCE;
          continue;
        }
        reached = this.#search(reached, sought);
        paid = this.#firstPaid + (this.#paid[reached] ?? 0) - paidBefore;
        const left = sought - (this.#consumed[reached] ?? 0);
        if (left > 0) {
          paid +=
            reached < last
              ? this.#sellPart(this.#price[reached] ?? 0, this.#liquidity[reached + 1] ?? 0, left)
              : Number.NEGATIVE_INFINITY;
        }
      }
      if (paid === Number.NEGATIVE_INFINITY) paid = this.#beyond;
      else if (paid === 0 && this.#refusesNothing) paid = REFUSED;
      else if (paid >= LARGEST_EXACT) paid = ASK_REFERENCE;
      else if (paid > this.heldOut) paid = REFUSED;
      amountsOut[order] = paid;
    }
  }

  /** The last stop that an order which takes `sought` in sums gets to, from one that it does get to. */
  #search(from: number, sought: number): number {
    let low = from;
    let high = from + 1;
    let stride = 1;
    while (high < this.#count && (this.#consumed[high] ?? 0) <= sought) {
      low = high;
      stride *= 2;
      high = low + stride;
    }
    if (high > this.#count) high = this.#count;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if ((this.#consumed[middle] ?? 0) <= sought) low = middle;
      else high = middle;
    }
    return low;
  }

  /**
   * Input with its fee (`#needed`) and output (`#output`) of the whole stretch from a price to the
   * stop at `index`; infinite where they leave the exact doubles.
   */
  #measure(index: number, fromHigh: number, fromLow: number): void {
    const liquidity = this.#liquidity[index] ?? 0;
    const toHigh = this.stops.priceHigh[index] ?? 0;
    const toLow = this.stops.priceLow[index] ?? 0;
    const difference = this.#falls
      ? (fromHigh - toHigh) * WORD + (fromLow - toLow)
      : (toHigh - fromHigh) * WORD + (toLow - fromLow);
    if (liquidity === 0 || difference === 0) {
      this.#needed = 0;
      this.#output = 0;
      return;
    }
    this.steps++;
    const area = liquidity * difference;
    const product = (fromHigh * WORD + fromLow) * (this.#price[index] ?? 0);
    const amount1 = area * Q64_INVERSE;
    const amount0 = (area / product) * Q64;
    if (!isCertain(amount0) || !isCertain(amount1)) {
      this.uncertified++;
      this.#measureExactly(index, fromHigh, fromLow);
      return;
    }
    const net = this.#falls ? Math.ceil(amount0) : Math.ceil(amount1);
    // The two are one ceiling: net + ceil(net * fee / kept) = ceil(net * 10^6 / kept).
    const gross = net * this.#feeFactor;
    this.#needed = isCertain(gross) ? Math.ceil(gross) : withFee(net, this.#feePpm);
    this.#output = this.#falls ? Math.floor(amount1) : Math.floor(amount0);
  }

  #measureExactly(index: number, fromHigh: number, fromLow: number): void {
    const from = joined(fromHigh, fromLow);
    const to = joined(this.stops.priceHigh[index] ?? 0, this.stops.priceLow[index] ?? 0);
    const liquidity = joined(this.#liquidityHigh[index] ?? 0, this.#liquidityLow[index] ?? 0);
    const area = liquidity * (this.#falls ? from - to : to - from);
    const product = from * to;
    const net = this.#falls
      ? ((area << 64n) + product - 1n) / product
      : (area + 0xffff_ffff_ffff_ffffn) >> 64n;
    const output = this.#falls ? area >> 64n : (area << 64n) / product;
    this.#needed =
      net < LARGEST_EXACT ? withFee(Number(net), this.#feePpm) : Number.POSITIVE_INFINITY;
    this.#output = output < LARGEST_EXACT ? Number(output) : Number.POSITIVE_INFINITY;
  }

  /**
   * Output of an order that ends inside a stretch. The program rounds the price that it moves to, which
   * takes up to one unit of price off the move: the lower bound is widened by what that unit holds.
   */
  #sellPart(price: number, liquidity: number, amount: number): number {
    this.steps++;
    const usable = lessFee(amount, this.#feePpm);
    if (usable === 0) return 0;
    let value: number;
    let unit: number;
    if (this.#falls) {
      const grown = usable * price;
      const move = (grown * price) / (liquidity * Q64 + grown);
      value = liquidity * move * Q64_INVERSE;
      unit = liquidity * Q64_INVERSE;
    } else {
      const move = (usable * Q64) / liquidity;
      value = ((liquidity * move) / (price * (price + move))) * Q64;
      unit = (liquidity / (price * price)) * Q64;
    }
    const whole = Math.floor(value);
    const rest = value - whole;
    const error = value * PART_ERROR;
    if (rest > error + unit * (1 + PART_ERROR) && rest < 1 - error) return whole;
    this.uncertified++;
    return ASK_REFERENCE;
  }
}

/** Whether a value so computed has the floor and the ceiling of the real one. */
function isCertain(value: number): boolean {
  const rest = value - Math.floor(value);
  const error = value * WHOLE_ERROR;
  return rest > error && rest < 1 - error;
}

/** `net + ceil(net * fee / (10^6 - fee))`, exact for a net and a result below 2^53. */
function withFee(net: number, feePpm: number): number {
  const kept = FEE_DENOMINATOR - feePpm;
  const wholes = Math.floor(net / kept);
  return wholes * FEE_DENOMINATOR + Math.ceil(((net - wholes * kept) * FEE_DENOMINATOR) / kept);
}

/** `floor(amount * (10^6 - fee) / 10^6)`, exact for an amount below 2^53. */
function lessFee(amount: number, feePpm: number): number {
  const kept = FEE_DENOMINATOR - feePpm;
  const wholes = Math.floor(amount / FEE_DENOMINATOR);
  const rest = amount - wholes * FEE_DENOMINATOR;
  return wholes * kept + Math.floor((rest * kept) / FEE_DENOMINATOR);
}

function joined(high: number, low: number): bigint {
  return BigInt(high) * 0x1_0000_0000n + BigInt(low);
}
