import { SLOT_MS } from "#src/node/slot-clock.ts";

/** What a slot of the run brings. */
export type PlannedSlot = {
  readonly swaps: number;
  readonly births: number;
  readonly graduations: number;
  readonly withdrawals: number;
  readonly probes: number;
  readonly isBurst: boolean;
};

export type PlanOptions = {
  readonly swapsPerSecond: number;
  /** Launches, graduations and withdrawals of so many seconds happen in one. */
  readonly compression: number;
};

const SECONDS_PER_DAY = 86_400;
/** Of a day on the chain. Withdrawals: assumed, a tenth of the graduations each hour. */
const PER_DAY = { births: 24_000, graduations: 400, withdrawals: 3_600 } as const;
const PROBES_PER_SECOND = 10;
const BURST = { everySeconds: 180, seconds: 10, firstAfterSeconds: 90, factor: 10 } as const;
const SLOTS_PER_SECOND = 1_000 / SLOT_MS;

/** How many of each thing happen in which slot: even rates, and bursts of swaps. */
export class SlotPlan {
  readonly #options: PlanOptions;
  #begunAt = 0;

  constructor(options: PlanOptions) {
    this.#options = options;
  }

  begin(place: number): void {
    this.#begunAt = place;
  }

  slot(place: number): PlannedSlot {
    const { swapsPerSecond, compression } = this.#options;
    const passed = place - this.#begunAt;
    const isBurst = isBurstAt(passed / SLOTS_PER_SECOND);
    const factor = isBurst ? BURST.factor : 1;
    const daily = (perDay: number): number =>
      countIn(passed, (perDay / SECONDS_PER_DAY) * compression);
    return {
      swaps: countIn(passed, swapsPerSecond) * factor,
      births: daily(PER_DAY.births),
      graduations: daily(PER_DAY.graduations),
      withdrawals: daily(PER_DAY.withdrawals),
      probes: countIn(passed, PROBES_PER_SECOND),
      isBurst,
    };
  }
}

/** Whether swaps come ten times as often so many seconds after the beginning. */
function isBurstAt(seconds: number): boolean {
  const { everySeconds, seconds: long, firstAfterSeconds } = BURST;
  return seconds >= firstAfterSeconds && (seconds - firstAfterSeconds) % everySeconds < long;
}

/** How many of `perSecond` fall into this slot. */
function countIn(place: number, perSecond: number): number {
  const perSlot = perSecond / SLOTS_PER_SECOND;
  return Math.floor((place + 1) * perSlot) - Math.floor(place * perSlot);
}
