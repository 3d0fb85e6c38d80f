import { BoundedMap } from "#src/platform/bounded-map.ts";
import type { ComputedDay } from "#src/track/history/archive.ts";
import { dayGridOf } from "#src/track/history/past-day.ts";
import { SAMPLE_EVERY_MS, type Sample } from "#src/track/history/sample.ts";
import {
  changesOf,
  roundedPct,
  WAITED_SECONDS,
  WAITING_SIZES,
  type WaitingRange,
} from "#src/track/history/waiting.ts";
import type { Address } from "#src/units/address.ts";
import { type HeldCounts, type HeldWaitings, tokenAgeOf } from "./waiting-counts.ts";

/** Maximum number of tokens whose ranges wait to be judged, about 2 kB each. */
const MAX_TOKENS = 2_000;
/** After this time, unfinished judgements of a token are dropped when new ranges are computed. */
const GIVEN_UP_AFTER_MS = 600_000;

type Ranges = Pick<ComputedDay, "mint" | "toMs" | "firstSeenMs" | "waiting">;

type Pending = {
  readonly ranges: Ranges;
  /** The first sample after the ranges were computed, where the waiting begins. */
  before: Sample | null;
  /** Index of the next waiting time to judge. */
  next: number;
};

/**
 * Compares the ranges of what waiting cost with later changes: from the next sample to the samples 10 s,
 * 60 s and 5 minutes later, by the rules of the ranges. A token has one waiting at a time, so that its
 * judgements never overlap, however often the token is requested.
 */
export class WaitingJudge {
  readonly #record: HeldWaitings;
  readonly #pending = new BoundedMap<Address, Pending>(MAX_TOKENS);

  constructor(record: HeldWaitings) {
    this.#record = record;
  }

  /** Ignores the ranges while earlier ranges of the token are being judged, or if all are unknown. */
  compute(ranges: Ranges): void {
    if (ranges.waiting.every((bySeconds) => bySeconds.every((range) => range === null))) return;
    const earlier = this.#pending.get(ranges.mint);
    if (earlier !== undefined && ranges.toMs - earlier.ranges.toMs < GIVEN_UP_AFTER_MS) return;
    this.#pending.set(ranges.mint, { ranges, before: null, next: 0 });
  }

  /** Takes a token's next sample, in order, on the grid of ten seconds, rounded as the history stores it. */
  sample(mint: Address, sample: Sample): void {
    const pending = this.#pending.get(mint);
    if (pending === undefined) return;
    if (pending.before === null) {
      pending.before = sample;
      return;
    }
    const waitedMs = sample.atMs - pending.before.atMs;
    for (; pending.next < WAITED_SECONDS.length; pending.next++) {
      const lateMs = waitedMs - 1_000 * (WAITED_SECONDS[pending.next] ?? 0);
      if (lateMs < 0) return;
      // A later sample belongs to another cell of the grid: without a sample at this time nothing is judged.
      if (lateMs === 0) this.#judge(pending.ranges, pending.next, pending.before, sample);
    }
    this.#pending.delete(mint);
  }

  #judge(ranges: Ranges, waited: number, before: Sample, after: Sample): void {
    const { waiting, firstSeenMs, toMs } = ranges;
    const seconds = WAITED_SECONDS[waited];
    if (seconds === undefined) return;
    const grid = dayGridOf([before, after], {
      fromMs: before.atMs - SAMPLE_EVERY_MS,
      toMs: after.atMs,
    });
    const age = tokenAgeOf(toMs - firstSeenMs);
    for (const [index, size] of WAITING_SIZES.entries()) {
      const range = waiting[index]?.[waited] ?? null;
      const [change] = changesOf(grid, { size: index, waited: grid.steps - 1 });
      if (range === null || change === undefined) continue;
      this.#record.count({ size, seconds, age }, heldBy(range, roundedPct(change)), after.atMs);
    }
  }
}

/** @param change in percent of the exit's earlier payment, rounded like the range */
function heldBy({ quantilesPct }: WaitingRange, change: number): HeldCounts {
  const [p1 = 0, p10 = 0, , p90 = 0, p99 = 0] = quantilesPct;
  const within = (from: number, to: number) => (change >= from && change <= to ? 1 : 0);
  return {
    judged: 1,
    held80: within(p10, p90),
    held98: within(p1, p99),
    below10: change < p10 ? 1 : 0,
  };
}
