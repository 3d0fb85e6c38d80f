import type { Assessment } from "#src/measure/assessment.ts";
import { capacityOfAssessment, logCapacity } from "#src/measure/capacity-series.ts";
import {
  applySample,
  type Deterioration,
  type DeteriorationChange,
  type DeteriorationState,
  initialDeterioration,
} from "#src/measure/deterioration.ts";
import { lossesBetween } from "#src/measure/losses.ts";
import {
  emptyTrendWindow,
  pushTrendSample,
  type Trend,
  type TrendWindow,
  trendOf,
} from "#src/measure/trend.ts";
import type { Address } from "#src/units/address.ts";
import { SAMPLE_EVERY_MS, type Sample, sampleOf } from "./sample.ts";
import { nextBasis, type SeriesBasis } from "./series-basis.ts";

/** A state that was not confirmed for this long says nothing about now: a gap in the series. */
const GAP_AFTER_MS = 60_000;

/** What is remembered of a token's past. Plain data, replaced by `observe` and never changed. */
export type TokenSeries = {
  readonly basis: SeriesBasis;
  readonly window: TrendWindow;
  readonly trend: Trend;
  readonly deterioration: DeteriorationState;
  /** The newest assessment that was no gap. */
  readonly last: Assessment | null;
  /** Since when samples have been kept without a gap on this basis; null: there are none. */
  readonly sinceMs: number | null;
  readonly sampledAtMs: number;
};

export type Observed = {
  readonly series: TokenSeries;
  /** The sample of these ten seconds, the first time that they are seen. */
  readonly sample: Sample | null;
  readonly change: DeteriorationChange | null;
};

export type Observation = {
  readonly assessment: Assessment;
  readonly nowMs: number;
  readonly isClosed: (pool: Address) => boolean;
};

/**
 * A number above every basis of samples that an earlier process stored: the seconds since 1970, as
 * a token's basis changes less often than once a second.
 */
export function firstBasis(nowMs: number): number {
  return Math.floor(nowMs / 1_000) % 2 ** 32;
}

/** A token of whose past nothing is known that could be compared. */
export function newSeries(basis: number): TokenSeries {
  return {
    basis: { alert: basis, trend: basis },
    window: emptyTrendWindow(basis),
    trend: "stable",
    deterioration: { ...initialDeterioration(), basis },
    last: null,
    sinceMs: null,
    sampledAtMs: 0,
  };
}

/** Whole seconds without a gap until the newest sample. */
export function historySeconds({ sinceMs, sampledAtMs }: TokenSeries): number {
  return sinceMs === null ? 0 : Math.max(0, Math.floor((sampledAtMs - sinceMs) / 1_000));
}

/** An alert that was on when an earlier process ended stays on until its time is over. */
export function withOpenAlert(series: TokenSeries, alert: OpenAlert): TokenSeries {
  if (series.deterioration.alert !== null) return series;
  const { detector, cause, startedAtMs: sinceMs, levelSol, c10Sol } = alert;
  return {
    ...series,
    deterioration: {
      ...series.deterioration,
      alert: {
        deterioration: { detector, cause, sinceMs, levelSol, c10Sol },
        level: null,
        low: logCapacity(c10Sol),
        lowAtMs: sinceMs,
      },
    },
  };
}

/** An alert that is on, as it was stored. */
export type OpenAlert = Omit<Deterioration, "sinceMs"> & { readonly startedAtMs: number };

/** Whether these ten seconds have no sample yet. */
export function isSampleDue({ sampledAtMs }: TokenSeries, nowMs: number): boolean {
  return Math.floor(nowMs / SAMPLE_EVERY_MS) !== Math.floor(sampledAtMs / SAMPLE_EVERY_MS);
}

/** Takes in an assessment: on every change, and at least every ten seconds. */
export function observe(series: TokenSeries, observation: Observation): Observed {
  const { assessment, nowMs, isClosed } = observation;
  const isCurrent = nowMs - assessment.stateTimeMs < GAP_AFTER_MS;
  const c10Sol = isCurrent ? capacityOfAssessment(assessment) : null;
  const before = series.last;
  const basis =
    before === null || c10Sol === null
      ? series.basis
      : nextBasis(series.basis, { before, after: assessment, isClosed });
  const losses = before === null || c10Sol === null ? null : lossesBetween(before, assessment);
  const judged = applySample(series.deterioration, {
    timeMs: nowMs,
    c10Sol,
    basis: basis.alert,
    losses,
  });
  const next: TokenSeries = {
    ...series,
    basis,
    deterioration: judged.state,
    last: c10Sol === null ? series.last : assessment,
    sinceMs: c10Sol === null || basis.trend !== series.basis.trend ? null : series.sinceMs,
  };
  if (!isSampleDue(series, nowMs)) return { series: next, sample: null, change: judged.change };
  const window = pushTrendSample(next.window, { timeMs: nowMs, c10Sol, basis: basis.trend });
  const isGap = nowMs - series.sampledAtMs > GAP_AFTER_MS;
  const sinceMs = c10Sol === null ? null : isGap ? nowMs : (next.sinceMs ?? nowMs);
  return {
    series: { ...next, window, trend: trendOf(window), sinceMs, sampledAtMs: nowMs },
    sample: sampleOf(assessment, nowMs, basis.trend),
    change: judged.change,
  };
}
