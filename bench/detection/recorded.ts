import type { Assessment } from "#src/measure/assessment.ts";
import { logCapacity, pricedPart } from "#src/measure/capacity-series.ts";
import { lossesBetween } from "#src/measure/losses.ts";
import { readUpdateFile } from "#src/node/update-files.ts";
import { firstBasis } from "#src/track/history/series.ts";
import { nextBasis } from "#src/track/history/series-basis.ts";
import type { MarketReport } from "#src/track/market-report.ts";
import { createTracker } from "#src/track/tracker.ts";
import type { Address } from "#src/units/address.ts";
import { VENUES } from "#src/venues/all.ts";
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
const DAY_MS = 86_400_000;

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
  const tracker = createTracker({
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
    if (loading.size > 0) tracker.setWatched(watched);
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

/** An alert of the last half hour can't be judged yet. */
function judged({ series, alarms }: ReplayedToken) {
  const fromMs = series.timesMs[0] ?? 0;
  const toMs = series.timesMs.at(-1) ?? fromMs;
  const known = alarms.filter((alarm) => alarm.fromMs <= toMs - JUDGED_AFTER_MS);
  return { drains: drainsOf(series), alarms: known, days: (toMs - fromMs) / DAY_MS };
}

type Watched = {
  readonly series: TrueSeries;
  readonly alarms: Alarm[];
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
    if (part === null) return;
    const { last, series } = watched;
    const newestMs = series.timesMs.at(-1) ?? chainMs;
    if (last !== null) {
      const step = { before: last, after: assessment, isClosed: () => false };
      watched.basis = nextBasis(watched.basis, step);
      watched.liquidity -= lossesBetween(last, assessment)?.withdrawn ?? 0;
    }
    if (chainMs - newestMs > GAP_MS) {
      watched.basis = { alert: watched.basis.alert + 1, trend: watched.basis.trend + 1 };
    }
    watched.last = assessment;
    if (series.timesMs.length > 0 && chainMs <= newestMs) return;
    series.timesMs.push(chainMs);
    series.logs.push(logCapacity(part.c10Sol));
    series.slippages.push(assessment.measurement?.retail.slippagePct["5"] ?? 100);
    series.bases.push(watched.basis.alert);
    series.liquidities.push(watched.liquidity);
  }

  tokens(): readonly ReplayedToken[] {
    return Array.from(this.#watched, ([mint, { series, alarms }]) => ({ mint, series, alarms }));
  }

  #of(mint: Address): Watched {
    const found = this.#watched.get(mint);
    if (found !== undefined) return found;
    const basis = { alert: firstBasis(0), trend: firstBasis(0) };
    const made = { series: emptySeries(), alarms: [], last: null, basis, liquidity: 0 };
    this.#watched.set(mint, made);
    return made;
  }
}
