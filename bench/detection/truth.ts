import { MS_PER_DAY } from "#src/platform/clock.ts";
import type { Reading } from "./stage.ts";

/**
 * A fall that cost holders their exit: C10 at half of a level that had lasted a minute, for 30 minutes
 * on. Of that within the hour, whatever the reason; of that within a day, if most of the fall is
 * withdrawn liquidity: a price that slides for hours is not a drain.
 */
export type Drain = {
  /** When C10 was last near its old level. */
  readonly fromMs: number;
  /** Where it was down by half. */
  readonly atMs: number;
  /** Where a 5 SOL exit first lost more than half; null where it never did. */
  readonly lostMs: number | null;
};

/** The true series of one market, appended to as it is played. */
export type TrueSeries = {
  readonly timesMs: number[];
  readonly logs: number[];
  readonly slippages: number[];
  readonly bases: number[];
  /** ln of the liquidity, which trades leave as it is. */
  readonly liquidities: number[];
};

const LOOKBACK_MS = 3_600_000;
const LASTED_MS = 60_000;
const STAYS_MS = 1_800_000;
const NEAR = 0.05;
const LOST_PCT = 50;

export function emptySeries(): TrueSeries {
  return { timesMs: [], logs: [], slippages: [], bases: [], liquidities: [] };
}

/** Adds what is true at a reading; one that is older than the newest adds nothing. */
export function addReading(series: TrueSeries, reading: Reading): void {
  if (reading.timeMs <= (series.timesMs.at(-1) ?? 0)) return;
  series.timesMs.push(reading.timeMs);
  series.logs.push(Math.log(Math.max(reading.trueC10Sol, 0.01)));
  series.slippages.push(reading.exitSlippagePct);
  series.bases.push(reading.basis);
  const { quote, base } = reading.market;
  series.liquidities.push(0.5 * Math.log(quote * base));
}

/** All drains of a market (method.md section 6), found with the whole series at hand. */
export function drainsOf(series: TrueSeries): readonly Drain[] {
  const { timesMs, logs, bases } = series;
  const ahead = highestAhead(series);
  const levels = lastedMinute(series, logs);
  const kept = lastedMinute(series, series.liquidities);
  const drains: Drain[] = [];
  const hour = new Peaks(timesMs, levels, LOOKBACK_MS);
  const day = new Peaks(timesMs, levels, MS_PER_DAY);
  let quietUntilMs = 0;
  for (let index = 0; index < logs.length; index++) {
    const log = logs[index] ?? 0;
    const time = timesMs[index] ?? 0;
    if (index > 0 && bases[index] !== bases[index - 1]) {
      hour.clear();
      day.clear();
    }
    if (time <= quietUntilMs) day.clear();
    hour.add(index);
    day.add(index);
    const isLongEnough = (timesMs.at(-1) ?? 0) - time >= STAYS_MS;
    if (time <= quietUntilMs || !isLongEnough) continue;
    const peak = [hour.highest, day.highest].find((from, isDay) => {
      const half = (levels[from] ?? 0) - Math.LN2;
      if (log > half || (ahead[index] ?? 0) > half) return false;
      const withdrawn = (kept[from] ?? 0) - (series.liquidities[index] ?? 0);
      return isDay === 0 || withdrawn >= ((levels[from] ?? 0) - log) / 2;
    });
    if (peak === undefined) continue;
    drains.push(drainAt(series, index, levels[peak] ?? 0));
    quietUntilMs = time + LOOKBACK_MS;
  }
  return drains;
}

/** The highest level within a time before the newest reading. */
class Peaks {
  readonly #timesMs: readonly number[];
  readonly #levels: Float64Array;
  readonly #lookbackMs: number;
  /** Indices whose levels descend: the first is the highest. */
  #indices: number[] = [];

  constructor(timesMs: readonly number[], levels: Float64Array, lookbackMs: number) {
    this.#timesMs = timesMs;
    this.#levels = levels;
    this.#lookbackMs = lookbackMs;
  }

  get highest(): number {
    return this.#indices[0] ?? 0;
  }

  clear(): void {
    this.#indices = [];
  }

  add(index: number): void {
    const indices = this.#indices;
    const level = this.#levels[index] ?? 0;
    while (indices.length > 0 && (this.#levels[indices.at(-1) ?? 0] ?? 0) <= level) indices.pop();
    indices.push(index);
    const oldest = (this.#timesMs[index] ?? 0) - this.#lookbackMs;
    while ((this.#timesMs[indices[0] ?? 0] ?? 0) < oldest) indices.shift();
  }
}

/** The lowest value of the minute before each reading. */
function lastedMinute({ timesMs, bases }: TrueSeries, values: readonly number[]): Float64Array {
  return Float64Array.from(values, (value, index) => {
    let lowest = value;
    for (let earlier = index - 1; earlier >= 0 && bases[earlier] === bases[index]; earlier--) {
      lowest = Math.min(lowest, values[earlier] ?? lowest);
      if ((timesMs[earlier] ?? 0) <= (timesMs[index] ?? 0) - LASTED_MS) break;
    }
    return lowest;
  });
}

/** The highest value within the next half hour of the same series. */
function highestAhead({ timesMs, logs, bases }: TrueSeries): Float64Array {
  const highest = new Float64Array(logs.length);
  const queue: number[] = [];
  let head = 0;
  for (let index = logs.length - 1; index >= 0; index--) {
    const log = logs[index] ?? 0;
    if (bases[index] !== bases[index + 1]) {
      queue.length = 0;
      head = 0;
    }
    while (queue.length > head && (logs[queue.at(-1) ?? 0] ?? 0) <= log) queue.pop();
    queue.push(index);
    while ((timesMs[queue[head] ?? 0] ?? 0) > (timesMs[index] ?? 0) + STAYS_MS) head++;
    highest[index] = logs[queue[head] ?? index] ?? log;
  }
  return highest;
}

function drainAt(series: TrueSeries, index: number, peak: number): Drain {
  const { timesMs, logs, slippages, bases } = series;
  let start = index;
  while (start > 0 && (logs[start] ?? 0) < peak - NEAR) start--;
  let lost = start;
  while (lost < logs.length && bases[lost] === bases[index] && (slippages[lost] ?? 0) <= LOST_PCT) {
    lost++;
  }
  const isLost = lost < logs.length && bases[lost] === bases[index];
  return {
    fromMs: timesMs[start] ?? 0,
    atMs: timesMs[index] ?? 0,
    lostMs: isLost ? (timesMs[lost] ?? null) : null,
  };
}
