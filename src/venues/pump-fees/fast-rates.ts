import { EXACT_LIMIT } from "#src/units/exact-doubles.ts";
import { type FeeSchedule, ratesAt } from "./fee-config.ts";

const LARGEST_BPS = 10_000n;
/** Wider than what three roundings and a rounded threshold can be off by. */
const MARGIN = 2 ** -48;

/**
 * A fee schedule in doubles. The tier is found by the market cap as a double; where that lies too
 * near to a threshold to tell, exact integers decide.
 */
export class FastRates {
  lpBps = 0;
  protocolBps = 0;
  creatorBps = 0;
  readonly #schedule: FeeSchedule;
  readonly #thresholds: Float64Array;
  /** Three rates of each tier, one after another. */
  readonly #rates: Float64Array;
  /** Market caps between which the present tier holds. */
  #from = 0;
  #to = 0;

  private constructor(schedule: FeeSchedule) {
    this.#schedule = schedule;
    this.#thresholds = Float64Array.from(schedule, ({ threshold }) => Number(threshold));
    this.#rates = Float64Array.from(
      schedule.flatMap(({ rates }) => [rates.lpBps, rates.protocolBps, rates.creatorBps]),
      Number,
    );
    this.#take(0);
  }

  /** Null where a rate is above the whole amount, or thresholds do not ascend: left to the reference. */
  static of(schedule: FeeSchedule): FastRates | null {
    const isUsual = schedule.every(
      ({ threshold, rates }, index) =>
        rates.lpBps <= LARGEST_BPS &&
        rates.protocolBps <= LARGEST_BPS &&
        rates.creatorBps <= LARGEST_BPS &&
        threshold >= (schedule[index - 1]?.threshold ?? 0n),
    );
    return isUsual ? new FastRates(schedule) : null;
  }

  /**
   * Takes the rates at a market cap of `floor(quote * supply / base)`; all three are integers below
   * 2^53, and base is not zero. False where they are not.
   */
  pick(quote: number, supply: number, base: number): boolean {
    if (this.#thresholds.length === 1) return true;
    if (!(quote < EXACT_LIMIT && supply < EXACT_LIMIT && base < EXACT_LIMIT)) return false;
    const marketCap = (quote * supply) / base;
    const margin = marketCap * MARGIN;
    if (marketCap - this.#from > margin && this.#to - marketCap > margin) return true;
    for (let tier = this.#thresholds.length - 1; tier >= 0; tier--) {
      const threshold = tier === 0 ? 0 : (this.#thresholds[tier] ?? 0);
      if (marketCap - threshold > margin) {
        this.#take(tier);
        return true;
      }
      if (marketCap - threshold >= -margin) return this.#pickExactly(quote, supply, base);
    }
    return false;
  }

  #pickExactly(quote: number, supply: number, base: number): boolean {
    const rates = ratesAt(this.#schedule, (BigInt(quote) * BigInt(supply)) / BigInt(base));
    this.#take(this.#schedule.findIndex((tier) => tier.rates === rates));
    return true;
  }

  #take(tier: number): void {
    this.#from = tier === 0 ? 0 : (this.#thresholds[tier] ?? 0);
    this.#to = this.#thresholds[tier + 1] ?? Number.POSITIVE_INFINITY;
    this.lpBps = this.#rates[3 * tier] ?? 0;
    this.protocolBps = this.#rates[3 * tier + 1] ?? 0;
    this.creatorBps = this.#rates[3 * tier + 2] ?? 0;
  }
}

/** Splits an amount for `feeOfSplit`: `high * 10,000 + low`. */
export function highOf(amount: number): number {
  return Math.floor(amount / 10_000);
}

/**
 * `ceil((high * 10,000 + low) * bps / 10,000)` for an amount below 2^52, bps up to 10,000 and low
 * below 10,000: the high part is exact, and the half unit keeps the low one clear of integers.
 */
export function feeOfSplit(high: number, low: number, bps: number): number {
  return high * bps + Math.floor((low * bps + 9_999.5) * 0.0001);
}
