import type { Assessment } from "#src/measure/assessment.ts";
import {
  awaitsHop,
  capacityOfAssessment,
  logCapacity,
  pricedPart,
} from "#src/measure/series/capacity-series.ts";
import {
  applySample,
  copyDeterioration,
  type Deterioration,
  type DeteriorationChange,
  type DeteriorationState,
  initialDeterioration,
  type KeptLevels,
  keptOf,
  noteGap,
} from "#src/measure/series/deterioration.ts";
import { lossesBetween, type Sight } from "#src/measure/series/losses.ts";
import {
  emptyTrendWindow,
  pushTrendSample,
  type Trend,
  type TrendWindow,
  trendOf,
} from "#src/measure/series/trend.ts";
import type { Address } from "#src/units/address.ts";
import { SAMPLE_EVERY_MS, type Sample, sampleOf } from "./sample.ts";
import { nextBasis, type SeriesBasis } from "./series-basis.ts";

/** If the state was not confirmed for this time, the series has a gap. */
const GAP_AFTER_MS = 60_000;

/** A token's recent history. `observe` advances it in place. */
export type TokenSeries = {
  basis: SeriesBasis;
  readonly window: TrendWindow;
  trend: Trend;
  deterioration: DeteriorationState;
  /** The newest assessment whose priced part was known. */
  last: Assessment | null;
  /** Since when there are samples of this basis without a gap; null: there are none. */
  sinceMs: number | null;
  sampledAtMs: number;
};

export type Observed = {
  /** The sample of this interval of ten seconds; null if it has one already, or may have none. */
  readonly sample: Sample | null;
  readonly change: DeteriorationChange | null;
};

export type Observation = {
  readonly assessment: Assessment;
  /** The local clock: the grid of samples. */
  readonly nowMs: number;
  /** The newest block time: everything that the alert depends on. */
  readonly chainMs: number;
  readonly isClosed: Sight["isClosed"];
  /** Absent: all pools of hops are. */
  readonly isRead?: Sight["isRead"];
  /** Whether a pool of the token is not read yet. Absent: none is. */
  readonly isUnread?: (pool: Address) => boolean;
};

/**
 * A number above every basis stored by an earlier process: the seconds since 1970. A token's basis
 * changes less often than once a second.
 */
export function firstBasis(nowMs: number): number {
  // Not `% 2 ** 32`, of whose result V8 makes an object.
  return Math.floor(nowMs / 1_000) >>> 0;
}

/** The series of a token without comparable history. */
export function newSeries(basis: number): TokenSeries {
  return {
    basis: { alert: basis, trend: basis },
    window: emptyTrendWindow(basis),
    trend: "stable",
    deterioration: initialDeterioration(null, { timeMs: 0, basis }),
    last: null,
    sinceMs: null,
    sampledAtMs: 0,
  };
}

/** A series that stays as it is while the other is advanced. */
export function copySeries(series: TokenSeries): TokenSeries {
  const { window, deterioration } = series;
  return { ...series, window: { ...window }, deterioration: copyDeterioration(deterioration) };
}

/** Whole seconds without a gap up to the newest sample. */
export function historySeconds({ sinceMs, sampledAtMs }: TokenSeries): number {
  return sinceMs === null ? 0 : Math.max(0, Math.floor((sampledAtMs - sinceMs) / 1_000));
}

/** What an earlier process knew: the levels that a fall is measured from, and the pools they are of. */
export type KeptSeries = { readonly levels: KeptLevels; readonly last: Assessment };

/** Continues the levels that an earlier process kept. The next sample is compared over the time between. */
export function restoreLevels(series: TokenSeries, { levels, last }: KeptSeries): void {
  const { alert, timeMs } = series.deterioration;
  if (alert !== null) return;
  // Samples that were taken while the record was read are forgotten for the alert.
  series.deterioration = initialDeterioration(levels, { timeMs, basis: series.basis.alert });
  series.last = last;
}

/** What of the series is to be kept for the next process. */
export function keptLevels({ deterioration }: TokenSeries): KeptLevels {
  return keptOf(deterioration);
}

/** An alert that was on when an earlier process ended stays on until its time is over. */
export function restoreAlert({ deterioration, last }: TokenSeries, alert: OpenAlert): void {
  if (deterioration.alert !== null) return;
  const { unexplained } = deterioration;
  const { startedAtMs: sinceMs, ...known } = alert;
  deterioration.alert = {
    deterioration: { ...known, sinceMs },
    level: last === null ? null : logCapacity(known.levelSol) + unexplained,
    low: logCapacity(known.c10Sol) + unexplained,
    lowAtMs: sinceMs,
  };
}

/** A stored alert that has not ended. */
export type OpenAlert = Omit<Deterioration, "sinceMs"> & { readonly startedAtMs: number };

/** Whether the current interval of ten seconds has no sample yet. */
export function isSampleDue({ sampledAtMs }: TokenSeries, nowMs: number): boolean {
  return Math.floor(nowMs / SAMPLE_EVERY_MS) !== Math.floor(sampledAtMs / SAMPLE_EVERY_MS);
}

/** Whether nothing but the time changes in the series while its token's state is not confirmed. */
export function isInGap({ sinceMs, deterioration }: TokenSeries): boolean {
  return sinceMs === null && deterioration.statistics === null && deterioration.alert === null;
}

/** Adds an assessment: on every change, and at least every ten seconds. */
export function observe(series: TokenSeries, observation: Observation): Observed {
  const { assessment, nowMs } = observation;
  const lacksPool = lacksKnownPool(series, observation);
  const change = judge(series, observation, lacksPool);
  const { window, basis } = series;
  if (basis.trend !== window.basis) forgetTrend(series);
  if (!isSampleDue(series, nowMs)) return { change, sample: null };
  const isCurrent = nowMs - assessment.stateTimeMs < GAP_AFTER_MS && !lacksPool;
  const c10Sol = isCurrent ? capacityOfAssessment(assessment) : null;
  const isGap = nowMs - series.sampledAtMs > GAP_AFTER_MS;
  pushTrendSample(window, { timeMs: nowMs, c10Sol, basis: basis.trend });
  series.trend = trendOf(window);
  series.sinceMs = c10Sol === null ? null : isGap ? nowMs : (series.sinceMs ?? nowMs);
  series.sampledAtMs = nowMs;
  return { change, sample: lacksPool ? null : sampleOf(assessment, nowMs, basis.trend) };
}

/**
 * Whether a pool that the newest known assessment measured is not read yet, as after a restart: until it is, the
 * series has a gap, since the other pools show neither what it lost nor that it lost nothing.
 */
function lacksKnownPool({ last }: TokenSeries, { isUnread }: Observation): boolean {
  const pools = last === null || isUnread === undefined ? undefined : pricedPart(last)?.pools;
  return pools?.some(({ address }) => isUnread?.(address) === true) === true;
}

/** The samples so far are of another basis: the trend is not known until there are five minutes of the new one. */
function forgetTrend(series: TokenSeries): void {
  series.trend = "stable";
  series.sinceMs = null;
}

/**
 * Judges the token's alert on the priced pools, whether the answer is blocked or not. All times are
 * the chain's, so that an error of the local clock changes no alert.
 */
function judge(
  series: TokenSeries,
  observation: Observation,
  lacksPool: boolean,
): DeteriorationChange | null {
  const { assessment, chainMs, isClosed, isRead = () => true } = observation;
  const { last: before, deterioration } = series;
  const isCurrent = chainMs - assessment.stateTimeMs < GAP_AFTER_MS && !lacksPool;
  const earlier = before === null ? null : pricedPart(before);
  const part = pricedPart(assessment);
  const isGapOfHop = earlier !== null && part !== null && awaitsHop(earlier, part);
  const c10Sol = isCurrent && !isGapOfHop ? (part?.c10Sol ?? null) : null;
  const isKnown = before !== null && c10Sol !== null;
  const basis = isKnown
    ? nextBasis(series.basis, { before, after: assessment, isClosed })
    : series.basis;
  const losses = isKnown ? lossesBetween(before, assessment, { isClosed, isRead }) : null;
  // Nothing is set before all that reads the assessment has ended: where it fails, the series is as it was.
  series.basis = basis;
  if (c10Sol !== null) series.last = assessment;
  if (chainMs - deterioration.timeMs > GAP_AFTER_MS) noteGap(deterioration);
  // A slot that replaces a dropped one may state an earlier second. As an old sample it would be left out, and its
  // losses never counted.
  const timeMs = Math.max(chainMs, deterioration.timeMs);
  return applySample(deterioration, { timeMs, c10Sol, basis: basis.alert, losses });
}
