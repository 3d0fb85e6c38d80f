import type { Reading } from "./stage.ts";

/** A fall that cost holders their exit: C10 at half of what it was within the hour, for 30 minutes on. */
export type Drain = {
  /** Where C10 last stood near its old level. */
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
};

const LOOKBACK_MS = 3_600_000;
const STAYS_MS = 1_800_000;
const NEAR = 0.05;
const LOST_PCT = 50;

export function emptySeries(): TrueSeries {
  return { timesMs: [], logs: [], slippages: [], bases: [] };
}

/** Adds what is true at a reading; one that is older than the newest adds nothing. */
export function addReading(series: TrueSeries, reading: Reading): void {
  if (reading.timeMs <= (series.timesMs.at(-1) ?? 0)) return;
  series.timesMs.push(reading.timeMs);
  series.logs.push(Math.log(Math.max(reading.trueC10Sol, 0.01)));
  series.slippages.push(reading.exitSlippagePct);
  series.bases.push(reading.basis);
}

/** All drains of a market (method.md section 6), found with the whole series at hand. */
export function drainsOf(series: TrueSeries): readonly Drain[] {
  const { timesMs, logs, bases } = series;
  const ahead = highestAhead(series);
  const drains: Drain[] = [];
  let from = 0;
  /** Indices within the lookback whose logs descend: the first is the highest. */
  let peaks: number[] = [];
  for (let index = 0; index < logs.length; index++) {
    const log = logs[index] ?? 0;
    const time = timesMs[index] ?? 0;
    if (index > 0 && bases[index] !== bases[index - 1]) peaks = [];
    while (peaks.length > 0 && (logs[peaks.at(-1) ?? 0] ?? 0) <= log) peaks.pop();
    peaks.push(index);
    while ((timesMs[peaks[0] ?? 0] ?? 0) < time - LOOKBACK_MS) peaks.shift();
    const peak = logs[peaks[0] ?? 0] ?? 0;
    const half = peak - Math.LN2;
    const isLongEnough = (timesMs.at(-1) ?? 0) - time >= STAYS_MS;
    if (log > half || index < from || !isLongEnough || (ahead[index] ?? 0) > half) continue;
    drains.push(drainAt(series, index, peak));
    from = timesMs.findIndex((later) => later > time + LOOKBACK_MS);
    if (from < 0) break;
  }
  return drains;
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
