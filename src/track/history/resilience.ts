import { type Random, seededRandom } from "#src/platform/seeded-random.ts";
import type { DayGrid } from "./past-day.ts";
import { SAMPLE_EVERY_MS } from "./sample.ts";
import { WAITED_SECONDS } from "./waiting.ts";

/** How the price came back after large sells of the last day. Past frequencies, no forecast. */
export type Resilience = {
  /** Sells that took at least 5 % of C10 within ten seconds. */
  readonly sells: number;
  /** Of what they took from the price, in percent, after `WAITED_SECONDS`; below 0: it fell further. */
  readonly regainedPct: readonly number[];
  /** Until half was regained; null: later than ten minutes. */
  readonly halfLifeSeconds: number | null;
  /** 95 % of resampled sells; null: later than ten minutes. */
  readonly halfLifeFromSeconds: number | null;
  readonly halfLifeToSeconds: number | null;
};

/** Below so many sells, nothing is known. */
const LEAST_SELLS = 30;
const LEAST_SHARE_OF_C10 = 0.05;
/** A withdrawal moves no price. */
const LEAST_FALL = 1e-4;
/** Ten minutes. */
const STEPS_AFTER = 60;
const RESAMPLES = 200;
const STEP_SECONDS = SAMPLE_EVERY_MS / 1_000;

type Sell = {
  /** ln of the price before, less ln of the price after. */
  readonly fall: number;
  /** ln of the price since, by step, less the drift of the whole day; NaN: unknown. */
  readonly regained: Float64Array;
};

/** Null: too few sells. */
export function resilienceOf(grid: DayGrid): Resilience | null {
  const sells = sellsOf(grid);
  if (sells.length < LEAST_SELLS) return null;
  const shares = regainedShares(sells);
  const halfLives = resampledHalfLives(sells);
  const atShare = (share: number) => seconds(halfLives[Math.floor(share * RESAMPLES)] ?? Infinity);
  return {
    sells: sells.length,
    regainedPct: WAITED_SECONDS.map((waited) => {
      const share = shares[waited / STEP_SECONDS] ?? 0;
      return Math.round(share * 1e4) / 100;
    }),
    halfLifeSeconds: seconds(halfLifeOf(shares)),
    halfLifeFromSeconds: atShare(0.025),
    halfLifeToSeconds: atShare(0.975),
  };
}

/** What left the pools within one step was sold where the price fell with it. */
function sellsOf({ steps, mids, c10s, depths, bases }: DayGrid): readonly Sell[] {
  const sells: Sell[] = [];
  const drift = driftOf(mids, bases);
  for (let step = 0; step + 1 + STEPS_AFTER < steps; step++) {
    const after = step + 1;
    if (bases[step] === 0 || bases[step] !== bases[after]) continue;
    const soldSol = at(depths, step) - at(depths, after);
    const fall = Math.log(at(mids, step) / at(mids, after));
    const leastSol = LEAST_SHARE_OF_C10 * at(c10s, step);
    // Where nothing sells within 10 %, no share of that is large.
    if (!(leastSol > 0) || !(soldSol >= leastSol) || !(fall >= LEAST_FALL)) continue;
    const regained = Float64Array.from({ length: STEPS_AFTER + 1 }, (_, later) =>
      bases[after + later] === bases[after]
        ? Math.log(at(mids, after + later) / at(mids, after)) - drift * later
        : Number.NaN,
    );
    sells.push({ fall, regained });
  }
  return sells;
}

/** The mean change of ln price in a step, so that a market that falls all day regains no less. */
function driftOf(mids: Float64Array, bases: Float64Array): number {
  let [sum, count] = [0, 0];
  for (let step = 1; step < mids.length; step++) {
    const change = Math.log(at(mids, step) / at(mids, step - 1));
    if (bases[step] !== bases[step - 1] || !Number.isFinite(change)) continue;
    sum += change;
    count++;
  }
  return count === 0 ? 0 : sum / count;
}

/** By step: the share of the falls that was regained, large falls counting more (least squares). */
function regainedShares(sells: readonly Sell[]): Float64Array {
  return Float64Array.from({ length: STEPS_AFTER + 1 }, (_, later) => {
    let [products, squares] = [0, 0];
    for (const { fall, regained } of sells) {
      const value = regained[later] ?? Number.NaN;
      if (!Number.isFinite(value)) continue;
      products += fall * value;
      squares += fall * fall;
    }
    return squares === 0 ? 0 : products / squares;
  });
}

/** Between two steps as of an exponential decay; infinite where half is never regained. */
function halfLifeOf(shares: Float64Array): number {
  for (let step = 1; step < shares.length; step++) {
    const share = at(shares, step);
    if (share < 0.5) continue;
    const [from, to] = [at(shares, step - 1), share].map(
      (part) => -Math.log(1 - Math.min(part, 0.999)),
    );
    return STEP_SECONDS * (step - 1 + (Math.LN2 - (from ?? 0)) / ((to ?? 1) - (from ?? 0)));
  }
  return Infinity;
}

function resampledHalfLives(sells: readonly Sell[]): Float64Array {
  // A constant: the same samples give the same interval.
  const random: Random = seededRandom(1);
  return Float64Array.from({ length: RESAMPLES }, () => {
    const drawn = sells.map((sell) => sells[Math.floor(random() * sells.length)] ?? sell);
    return halfLifeOf(regainedShares(drawn));
  }).toSorted();
}

function at(values: Float64Array, index: number): number {
  return values[index] ?? Number.NaN;
}

function seconds(value: number): number | null {
  return Number.isFinite(value) ? Math.round(value * 10) / 10 : null;
}
