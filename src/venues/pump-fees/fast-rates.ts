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

  private constructor(schedule: FeeSchedule) {
    this.#schedule = schedule;
    this.#thresholds = Float64Array.from(schedule, ({ threshold }) => Number(threshold));
    this.#rates = Float64Array.from(
      schedule.flatMap(({ rates }) => [rates.lpBps, rates.protocolBps, rates.creatorBps]),
      Number,
    );
    this.#take(0);
  }

  /** Null where a rate is above the whole amount, which no fast path has to reckon with. */
  static of(schedule: FeeSchedule): FastRates | null {
    const isSmall = schedule.every(
      ({ rates }) =>
        rates.lpBps <= LARGEST_BPS &&
        rates.protocolBps <= LARGEST_BPS &&
        rates.creatorBps <= LARGEST_BPS,
    );
    return isSmall ? new FastRates(schedule) : null;
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
    let tier = 0;
    for (let index = this.#thresholds.length - 1; index > 0; index--) {
      const threshold = this.#thresholds[index] ?? 0;
      if (marketCap - threshold > margin) {
        tier = index;
        break;
      }
      if (marketCap - threshold >= -margin) return this.#pickExactly(quote, supply, base);
    }
    this.#take(tier);
    return true;
  }

  #pickExactly(quote: number, supply: number, base: number): boolean {
    const rates = ratesAt(this.#schedule, (BigInt(quote) * BigInt(supply)) / BigInt(base));
    this.#take(this.#schedule.findIndex((tier) => tier.rates === rates));
    return true;
  }

  #take(tier: number): void {
    this.lpBps = this.#rates[3 * tier] ?? 0;
    this.protocolBps = this.#rates[3 * tier + 1] ?? 0;
    this.creatorBps = this.#rates[3 * tier + 2] ?? 0;
  }
}
