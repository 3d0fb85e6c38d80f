import { STANDARD_SIZES } from "#src/measure/assessment.ts";
import { type Resilience, resilienceOf } from "./resilience.ts";
import { HOLDS_FOR_MS, SAMPLE_EVERY_MS, type Sample } from "./sample.ts";
import { type WaitingRange, waitingRanges } from "./waiting.ts";

/** What a token's samples of one day say of waiting. Past frequencies, no forecast. */
export type PastDay = {
  readonly fromMs: number;
  readonly toMs: number;
  /** By standard size, then by time waited, in the order of `STANDARD_SIZES` and `WAITED_SECONDS`. */
  readonly waiting: readonly (readonly (WaitingRange | null)[])[];
  readonly resilience: Resilience | null;
};

/** A series on a grid of ten seconds; NaN: unknown. */
export type DayGrid = {
  readonly steps: number;
  readonly mids: Float64Array;
  readonly c10s: Float64Array;
  readonly depths: Float64Array;
  /** Percent by standard size; NaN where the size can't be sold whole. */
  readonly slippages: readonly Float64Array[];
  /** 1: the size rule of the family "other" holds, and the slippages of the sizes that it leaves out are unknown. */
  readonly sizeRules: Uint8Array;
  /** Steps of different bases are never compared; 0: unknown. */
  readonly bases: Float64Array;
};

type DayRange = { readonly fromMs: number; readonly toMs: number };

/** @param samples ascending by time */
export function pastDayOf(samples: readonly Sample[], range: DayRange): PastDay {
  const grid = dayGridOf(samples, range);
  return { ...range, waiting: waitingRanges(grid), resilience: resilienceOf(grid) };
}

/** Each sample holds until the next one, but at most as long as samples of a tracked token are apart. */
export function dayGridOf(samples: readonly Sample[], { fromMs, toMs }: DayRange): DayGrid {
  const steps = Math.max(0, Math.floor((toMs - fromMs) / SAMPLE_EVERY_MS));
  const unknown = () => new Float64Array(steps).fill(Number.NaN);
  const grid = {
    steps,
    mids: unknown(),
    c10s: unknown(),
    depths: unknown(),
    slippages: STANDARD_SIZES.map(unknown),
    sizeRules: new Uint8Array(steps),
    bases: new Float64Array(steps),
  };
  let next = 0;
  let held: Sample | null = null;
  for (let step = 0; step < steps; step++) {
    const atMs = fromMs + (step + 1) * SAMPLE_EVERY_MS;
    for (let sample = samples[next]; sample !== undefined; sample = samples[++next]) {
      if (sample.atMs > atMs) break;
      held = sample;
    }
    if (held === null || atMs - held.atMs > HOLDS_FOR_MS || held.c10Sol === null) continue;
    grid.bases[step] = held.basis;
    grid.c10s[step] = held.c10Sol;
    grid.mids[step] = held.mid ?? Number.NaN;
    grid.depths[step] = held.depthSol ?? Number.NaN;
    grid.sizeRules[step] = held.hasSizeRule === true ? 1 : 0;
    for (const [index, slippages] of grid.slippages.entries()) {
      slippages[step] = held.slippagesPct[index] ?? Number.NaN;
    }
  }
  return grid;
}
