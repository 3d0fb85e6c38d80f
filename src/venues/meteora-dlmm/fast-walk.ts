import { EXACT_LIMIT, mulDivCeilExact } from "#src/units/exact-doubles.ts";
import { ASK_REFERENCE, REFUSED } from "../fast-quoter.ts";
import { highestBinId, lowestBinId } from "./bin-price.ts";
import type { FastBins } from "./fast-bins.ts";
import { FEE_PRECISION } from "./fees.ts";
import { MAX_BIN_PER_ARRAY } from "./layout.ts";
import type { DlmmParameters } from "./state.ts";

const RATE_SCALE = Number(FEE_PRECISION);
const MAX_FEE_RATE = 100_000_000;
const VARIABLE_FEE_SCALE = 100_000_000_000;
const BASIS_POINTS = 10_000;
/** Its square is the last below 2^53. */
const LARGEST_SQUARABLE = 94_906_265;
/** Beyond it the base fee alone is far over the cap, and may leave the program's u128. */
const LARGEST_FEE_POWER = 9;
/** An order that leaves more than this over a bin's due drains it beyond doubt. */
const DUST = 2;

/** Whether the fees of a pair stay within what `BinWalk` computes exactly. */
export function hasExactFees(parameters: DlmmParameters): boolean {
  const { baseFeePowerFactor, maxVolatilityAccumulator, binStep } = parameters;
  return (
    baseFeePowerFactor <= LARGEST_FEE_POWER &&
    maxVolatilityAccumulator * binStep < LARGEST_SQUARABLE
  );
}

/**
 * One walk over the bins for ascending orders. Near the reference the variable fee changes from bin
 * to bin, and the walk goes bin by bin; where it has reached its cap for good, a bisection over
 * sums at that one rate finds where each order ends.
 */
export class BinWalk {
  /** Bins read since it was made: for tests and benchmarks. */
  steps = 0;
  readonly #bins: FastBins;
  readonly #parameters: DlmmParameters;
  readonly #baseFeeRate: number;
  #activeId = 0;
  #reference = 0;
  #indexReference = 0;
  #rate = 0;
  /** The order in hand, and what the bins behind it have taken and paid. */
  #order = 0;
  #spent = 0;
  #paid = 0;

  constructor(bins: FastBins, parameters: DlmmParameters) {
    const power = 10 ** parameters.baseFeePowerFactor;
    this.#bins = bins;
    this.#parameters = parameters;
    this.#baseFeeRate = Math.min(
      parameters.baseFactor * parameters.binStep * 10 * power,
      MAX_FEE_RATE,
    );
  }

  /** Where the walk begins, and what the variable fee is counted from. */
  aim(activeId: number, reference: number, indexReference: number): void {
    this.#activeId = activeId;
    this.#reference = reference;
    this.#indexReference = indexReference;
  }

  /**
   * `orders` holds each order's net input, ascending, and afterwards what the bins pay for it before
   * the output's transfer fee; `REFUSED` where they run out, `ASK_REFERENCE` where it can't be proved.
   */
  run(orders: Float64Array): void {
    const bins = this.#bins;
    const { sellsX } = bins.side;
    this.#order = 0;
    this.#spent = 0;
    this.#paid = 0;
    while (this.#order < orders.length && !((orders[this.#order] ?? 0) > 0)) {
      orders[this.#order++] = REFUSED;
    }
    for (let slot = 0; slot < bins.indexes.length; slot++) {
      const index = bins.indexes[slot] ?? 0;
      const edge = sellsX ? highestBinId(index) : lowestBinId(index);
      const skipped = sellsX ? edge - this.#activeId : this.#activeId - edge;
      for (let step = Math.max(skipped, 0); step < MAX_BIN_PER_ARRAY; step++) {
        const bin = slot * MAX_BIN_PER_ARRAY + step;
        if (bins.out[bin] === 0) continue;
        if (this.#setRate(sellsX ? edge - step : edge + step)) {
          this.#endOrdersByBisection(orders, bin);
          return;
        }
        const used = bins.usedAt(bin, this.#rate);
        this.#endOrdersIn(orders, bin, used);
        if (this.#order === orders.length) return;
        this.#spent += used;
        this.#paid += bins.drainedOut(bins.out[bin] ?? 0, this.#rate);
      }
    }
    orders.fill(REFUSED, this.#order);
  }

  /** Sets the fee rate at a bin. True where it is the same at every bin beyond. */
  #setRate(binId: number): boolean {
    const { maxVolatilityAccumulator, variableFeeControl, binStep } = this.#parameters;
    const beyond = this.#bins.side.sellsX
      ? this.#indexReference - binId
      : binId - this.#indexReference;
    const grown = this.#reference + Math.abs(beyond) * BASIS_POINTS;
    const isCapped = grown >= maxVolatilityAccumulator;
    const distance = (isCapped ? maxVolatilityAccumulator : grown) * binStep;
    const variable = mulDivCeilExact(variableFeeControl, distance * distance, VARIABLE_FEE_SCALE);
    this.#rate = Math.min(this.#baseFeeRate + variable, MAX_FEE_RATE);
    return (isCapped && beyond >= 0) || variableFeeControl === 0;
  }

  /** Ends the orders that end in this bin, which takes `used` from those that drain it. */
  #endOrdersIn(orders: Float64Array, bin: number, used: number): void {
    this.steps++;
    if (Number.isNaN(used)) {
      orders.fill(ASK_REFERENCE, this.#order);
      this.#order = orders.length;
      return;
    }
    for (; this.#order < orders.length; this.#order++) {
      const left = (orders[this.#order] ?? 0) - this.#spent;
      if (left > used + DUST) return;
      const ending = this.#endingOut(bin, left, used);
      if (ending < 0) return;
      const gross = this.#paid + ending;
      orders[this.#order] = gross < EXACT_LIMIT ? gross : ASK_REFERENCE;
    }
  }

  /**
   * Ends all orders left, from `first` on, where one fee rate holds. The sums begin before `first`;
   * their differences are exact as long as they stay below 2^53, and rounding keeps larger ones above.
   */
  #endOrdersByBisection(orders: Float64Array, first: number): void {
    const bins = this.#bins;
    const { usedBefore, paidBefore, out } = bins;
    bins.sumAt(this.#rate);
    const usedByFirst = usedBefore[first] ?? Number.NaN;
    const spent = this.#spent - usedByFirst;
    const paid = this.#paid - (paidBefore[first] ?? Number.NaN);
    let bin = first;
    while (this.#order < orders.length) {
      const spend = (orders[this.#order] ?? 0) - spent - DUST;
      bin = this.#firstToEnd(spend, bin);
      while (bin < out.length && out[bin] === 0) bin++;
      const isExact = usedByFirst < EXACT_LIMIT && spend < EXACT_LIMIT;
      if (bin === out.length || !isExact || !((paidBefore[bin] ?? 0) < EXACT_LIMIT)) {
        orders.fill(bin === out.length && isExact ? REFUSED : ASK_REFERENCE, this.#order);
        return;
      }
      this.#spent = spent + (usedBefore[bin] ?? 0);
      this.#paid = paid + (paidBefore[bin] ?? 0);
      this.#endOrdersIn(orders, bin, bins.usedAt(bin, this.#rate));
      // An order that continues has more left than the dust that a bin swallows.
      bin++;
    }
  }

  /** The first place from `low` on whose bins up to it, itself included, take at least `spend`. */
  #firstToEnd(spend: number, low: number): number {
    const { usedBefore, out } = this.#bins;
    let high = out.length;
    let from = low;
    while (from < high) {
      const middle = (from + high) >> 1;
      // Written so that NaN, from the first bin that only integers can price, counts as enough.
      if ((usedBefore[middle + 1] ?? 0) < spend) from = middle + 1;
      else high = middle;
    }
    return from;
  }

  /** What an order with `left` to spend gets where it ends in this bin; below zero where it goes on. */
  #endingOut(bin: number, left: number, used: number): number {
    const bins = this.#bins;
    const out = bins.out[bin] ?? 0;
    if (bins.side.isFeeOnInput) {
      const net = this.#lessFee(left);
      if (left < used) return bins.partialOut(bin, net);
      // A net input of exactly what the bin needs ends here, and its fee swallows the dust.
      return bins.isExactly(bin, net) ? out : -1;
    }
    if (left > used) return -1;
    return this.#lessFee(left === used ? out : bins.partialOut(bin, left));
  }

  #lessFee(amount: number): number {
    return amount - mulDivCeilExact(amount, this.#rate, RATE_SCALE);
  }
}
