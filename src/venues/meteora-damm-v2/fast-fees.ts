import { MathError } from "#src/units/math-error.ts";
import { toNumber } from "#src/units/to-number.ts";
import { REFUSED } from "../fast-quoter.ts";
import type { Clock } from "../venue.ts";
import type { DammV2State } from "./decode.ts";
import { tradeFeeNumerator } from "./fees.ts";

/**
 * The trading fee over 10^9 as the clock goes on. The reference computes it once for each period of
 * a schedule; within a period it does not change.
 */
export class FastTradeFee {
  readonly #state: DammV2State;
  readonly #isAToB: boolean;
  readonly #activation: number;
  #period = Number.NaN;
  #numerator = Number.NaN;

  /** @param state opened at a point below 2^53 */
  constructor(state: DammV2State, isAToB: boolean) {
    this.#state = state;
    this.#isAToB = isAToB;
    this.#activation = toNumber(state.activationPoint);
  }

  /** NaN where the fee depends on the amount: a rate limiter at work. REFUSED where none can be had. */
  numeratorAt(clock: Clock): number {
    const isBySlot = this.#state.activationType === "slot";
    const point = isBySlot ? clock.slot : clock.unixTimestamp;
    const period = this.#periodAt(toNumber(point) - this.#activation);
    if (period === this.#period) return this.#numerator;
    this.#period = period;
    this.#numerator = this.#compute(point, period);
    return this.#numerator;
  }

  #compute(point: bigint, period: number): number {
    const isLimited = this.#state.baseFee.kind === "rate-limiter" && !this.#isAToB && period === 0;
    if (isLimited) return Number.NaN;
    try {
      const context = { isAToB: this.#isAToB, point, amountIn: 1n };
      return toNumber(tradeFeeNumerator(this.#state, context));
    } catch (error) {
      if (error instanceof MathError) return REFUSED;
      throw error;
    }
  }

  /** Equal for two clocks only where their fee is the same. */
  #periodAt(elapsed: number): number {
    const { baseFee } = this.#state;
    switch (baseFee.kind) {
      case "time-linear":
      case "time-exponential": {
        const frequency = toNumber(baseFee.periodFrequency);
        const passed = frequency === 0 ? 0 : Math.floor(elapsed / frequency);
        return Math.min(passed, toNumber(baseFee.periods));
      }
      case "rate-limiter":
        return elapsed > toNumber(baseFee.maxDuration) ? 1 : 0;
      case "market-cap-linear":
      case "market-cap-exponential":
        return elapsed > toNumber(baseFee.expiry) ? 1 : 0;
    }
  }
}
