import { type Assessment, STANDARD_SIZES } from "#src/measure/assessment.ts";
import { slippageAtSize } from "#src/measure/ladder.ts";
import { logCapacity, pricedPart } from "#src/measure/series/capacity-series.ts";
import { lossesBetween } from "#src/measure/series/losses.ts";
import { readUpdateFile } from "#src/node/update-files.ts";
import { MS_PER_DAY } from "#src/platform/clock.ts";
import { dayGridOf } from "#src/track/history/past-day.ts";
import { type Sample, sampleOf } from "#src/track/history/sample.ts";
import { firstBasis } from "#src/track/history/series.ts";
import { nextBasis } from "#src/track/history/series-basis.ts";
import { changesOf, rangeOf, WAITED_SECONDS } from "#src/track/history/waiting.ts";
import type { MarketReport } from "#src/track/market-report.ts";
import { Tracker } from "#src/track/tracker.ts";
import type { Address } from "#src/units/address.ts";
import { VENUES } from "#src/venues/all.ts";
import { heldWithin } from "./held-within.ts";
import { ReplayedChain } from "./replayed-chain.ts";
import {
  type Alarm,
  type DetectionRow,
  emptyTally,
  noteAlarm,
  rowOf,
  tallyMarket,
} from "./tally.ts";
import { drainsOf, emptySeries, type TrueSeries } from "./truth.ts";

/** The tracker measures at most once in this time, as when it runs live. */
const TICK_MS = 15;
const GAP_MS = 60_000;
/** Whether an alert was right is known after this time. */
const JUDGED_AFTER_MS = 1_800_000;

/** An alert that turned on or off, at a chain time. */
export type ReplayedAlert = {
  readonly mint: Address;
  readonly kind: "on" | "off";
  readonly chainMs: number;
};

export type ReplayedToken = {
  readonly mint: Address;
  /** What the recording says of it, with hindsight. */
  readonly series: TrueSeries;
  readonly alarms: readonly Alarm[];
  /** As history keeps them. */
  readonly samples: readonly Sample[];
};

export type Replay = {
  readonly tokens: readonly ReplayedToken[];
  readonly alerts: readonly ReplayedAlert[];
};

/**
 * Plays recorded account updates through the tracker, on the clock of the recording.
 *
 * @throws RecordingError if a file is not a recording
 */
export async function replayFiles(paths: readonly string[]): Promise<Replay> {
  const chain = new ReplayedChain();
  const tracker = new Tracker({
    source: chain,
    venues: VENUES,
    clock: { nowMs: () => chain.nowMs },
    database: null,
  });
  const hindsight = new Hindsight();
  tracker.onReport((report) => hindsight.add(report));
  const loading = new Set<Address>();
  const watched = new Set<Address>();
  const settle = async (): Promise<void> => {
    for (const mint of loading) {
      if ((await tracker.snapshot(mint)).kind === "assessed") watched.add(mint);
    }
    if (loading.size > 0) tracker.setWatched([...watched]);
    loading.clear();
    tracker.tick();
    await tracker.idle();
    tracker.tick();
  };
  try {
    let settledMs: number | null = null;
    for (const path of paths) {
      for await (const { atMs, event } of readUpdateFile(path)) {
        settledMs ??= atMs;
        if (atMs - settledMs >= TICK_MS) {
          await settle();
          settledMs = atMs;
        }
        chain.nowMs = Math.max(chain.nowMs, atMs);
        chain.apply(event);
        if (event.kind === "token" && !watched.has(event.mint)) loading.add(event.mint);
      }
    }
    await settle();
  } finally {
    await tracker.close();
  }
  return { tokens: hindsight.tokens(), alerts: hindsight.alerts };
}

/** One row for each token and one for all: what the alerts were worth, with hindsight. */
export function judgeReplay({ tokens }: Replay): readonly DetectionRow[] {
  const all = emptyTally();
  const rows = tokens.map((token) => {
    const tally = emptyTally();
    for (const tallied of [tally, all]) tallyMarket(tallied, judged(token));
    return rowOf(token.mint, "exitability, recorded", tally);
  });
  return [...rows, rowOf("all", "exitability, recorded", all)];
}

/** How often the ranges of what waiting cost in the first half of a recording held in the second. */
export type HeldRanges = {
  readonly size: string;
  readonly seconds: number;
  readonly tokens: number;
  /** Of the changes in the second half. */
  readonly held80: number;
  readonly held98: number;
};

/** Empty where no token was recorded for long enough: 67 minutes for a wait of 10 s. */
export function judgeWaiting({ tokens }: Pick<Replay, "tokens">): readonly HeldRanges[] {
  const halves = tokens.map(({ samples }) => {
    const fromMs = samples[0]?.atMs ?? 0;
    const toMs = samples.at(-1)?.atMs ?? 0;
    const middleMs = (fromMs + toMs) / 2;
    return {
      first: dayGridOf(samples, { fromMs, toMs: middleMs }),
      second: dayGridOf(samples, { fromMs: middleMs, toMs }),
    };
  });
  return STANDARD_SIZES.flatMap((size, index) =>
    WAITED_SECONDS.flatMap((seconds) => {
      const place = { size: index, waited: seconds / 10 };
      const counts = { tokens: 0, all: 0, held80: 0, held98: 0 };
      for (const { first, second } of halves) {
        const range = rangeOf(changesOf(first, place), place.waited);
        const changes = changesOf(second, place);
        if (range === null || changes.length === 0) continue;
        const [p1 = 0, p10 = 0, , p90 = 0, p99 = 0] = range.quantilesPct;
        counts.tokens++;
        counts.all += changes.length;
        counts.held80 += heldWithin(changes, p10, p90);
        counts.held98 += heldWithin(changes, p1, p99);
      }
      if (counts.all === 0) return [];
      const share = (held: number) => Math.round((1e4 * held) / counts.all) / 1e4;
      const { held80, held98 } = counts;
      return { size, seconds, tokens: counts.tokens, held80: share(held80), held98: share(held98) };
    }),
  );
}

/** An alert of the last half hour can't be judged yet. */
function judged({ series, alarms }: ReplayedToken) {
  const fromMs = series.timesMs[0] ?? 0;
  const toMs = series.timesMs.at(-1) ?? fromMs;
  const known = alarms.filter((alarm) => alarm.fromMs <= toMs - JUDGED_AFTER_MS);
  return { drains: drainsOf(series), alarms: known, days: (toMs - fromMs) / MS_PER_DAY };
}

type Watched = {
  readonly series: TrueSeries;
  readonly alarms: Alarm[];
  readonly samples: Sample[];
  last: Assessment | null;
  basis: { readonly alert: number; readonly trend: number };
  /** ln of the liquidity that was put in, less what was withdrawn. */
  liquidity: number;
};

/** The series and the alerts of each token, from the tracker's reports. */
class Hindsight {
  readonly alerts: ReplayedAlert[] = [];
  readonly #watched = new Map<Address, Watched>();

  add({ snapshot, alertChange, chainMs }: MarketReport): void {
    const { assessment } = snapshot;
    const watched = this.#of(assessment.mint);
    if (alertChange !== null) {
      this.alerts.push({ mint: assessment.mint, kind: alertChange.kind, chainMs });
      noteAlarm(watched.alarms, alertChange.kind, chainMs);
    }
    const part = pricedPart(assessment);
    const { last, series } = watched;
    const newestMs = series.timesMs.at(-1) ?? chainMs;
    if (last !== null && part !== null) {
      const step = { before: last, after: assessment, isClosed: () => false };
      watched.basis = nextBasis(watched.basis, step);
      watched.liquidity -= lossesBetween(last, assessment)?.withdrawn ?? 0;
    }
    if (chainMs - newestMs > GAP_MS) {
      watched.basis = { alert: watched.basis.alert + 1, trend: watched.basis.trend + 1 };
    }
    const sample = sampleOf(assessment, chainMs, watched.basis.trend);
    if (sample.atMs > (watched.samples.at(-1)?.atMs ?? 0)) watched.samples.push(sample);
    if (part === null) return;
    watched.last = assessment;
    if (series.timesMs.length > 0 && chainMs <= newestMs) return;
    series.timesMs.push(chainMs);
    series.logs.push(logCapacity(part.c10Sol));
    const { measurement } = assessment;
    const slippage = measurement === null ? null : slippageAtSize(measurement.retail, "5");
    series.slippages.push(slippage ?? 100);
    series.bases.push(watched.basis.alert);
    series.liquidities.push(watched.liquidity);
  }

  tokens(): readonly ReplayedToken[] {
    return Array.from(this.#watched, ([mint, { series, alarms, samples }]) => ({
      mint,
      series,
      alarms,
      samples,
    }));
  }

  #of(mint: Address): Watched {
    const found = this.#watched.get(mint);
    if (found !== undefined) return found;
    const basis = { alert: firstBasis(0), trend: firstBasis(0) };
    const made = {
      series: emptySeries(),
      alarms: [],
      samples: [],
      last: null,
      basis,
      liquidity: 0,
    };
    this.#watched.set(mint, made);
    return made;
  }
}
