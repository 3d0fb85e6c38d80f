import { toNumber } from "#src/units/to-number.ts";
import { REFUSED } from "../fast-quoter.ts";
import { nullOnMathError } from "../shared/refusals.ts";
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
  readonly #isBySlot: boolean;
  readonly #schedule: FastSchedule;
  #point = -1n;
  #period = Number.NaN;
  #numerator = Number.NaN;

  /** @param state opened at a point below 2^53 */
  constructor(state: DammV2State, isAToB: boolean) {
    this.#state = state;
    this.#isAToB = isAToB;
    this.#isBySlot = state.activationType === "slot";
    this.#schedule = scheduleOf(state);
  }

  /** NaN where the fee depends on the amount: a rate limiter at work. REFUSED where none can be had. */
  numeratorAt(clock: Clock): number {
    const point = this.#isBySlot ? clock.slot : clock.unixTimestamp;
    if (point === this.#point) return this.#numerator;
    this.#point = point;
    const { activation, frequency, last } = this.#schedule;
    const period = Math.min(Math.floor((toNumber(point) - activation) / frequency), last);
    if (period === this.#period) return this.#numerator;
    this.#period = period;
    this.#numerator = this.#compute(point, period);
    return this.#numerator;
  }

  #compute(point: bigint, period: number): number {
    const isLimited = this.#state.baseFee.kind === "rate-limiter" && !this.#isAToB && period === 0;
    if (isLimited) return Number.NaN;
    const context = { isAToB: this.#isAToB, point, amountIn: 1n };
    const numerator = nullOnMathError(() => tradeFeeNumerator(this.#state, context));
    return numerator === null ? REFUSED : toNumber(numerator);
  }
}

/** Points of equal `min(floor((point - activation) / frequency), last)` have the same fee. */
type FastSchedule = {
  readonly activation: number;
  readonly frequency: number;
  readonly last: number;
};

function scheduleOf({ baseFee, activationPoint }: DammV2State): FastSchedule {
  const activation = toNumber(activationPoint);
  switch (baseFee.kind) {
    case "time-linear":
    case "time-exponential": {
      const frequency = toNumber(baseFee.periodFrequency);
      if (frequency === 0) return { activation, frequency: 1, last: 0 };
      return { activation, frequency, last: toNumber(baseFee.periods) };
    }
    // These two hold for a while, the last point included, and then no more.
    case "rate-limiter":
      return { activation, frequency: toNumber(baseFee.maxDuration) + 1, last: 1 };
    case "market-cap-linear":
    case "market-cap-exponential":
      return { activation, frequency: toNumber(baseFee.expiry) + 1, last: 1 };
  }
}
