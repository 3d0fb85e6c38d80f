import { BoundedMap } from "#src/platform/bounded-map.ts";
import type { ComputedDay } from "#src/track/history/archive.ts";
import { gridOf } from "#src/track/history/past-day.ts";
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

/** Tokens whose ranges wait for their judgement at the same time, about 2 kB each. */
const MAX_TOKENS = 2_000;
/** A token that gave no samples for this long after its range was computed is given up. */
const GIVEN_UP_AFTER_MS = 600_000;

type Ranges = Pick<ComputedDay, "mint" | "toMs" | "firstSeenMs" | "waiting">;

type Pending = {
  readonly ranges: Ranges;
  /** The first sample after the ranges were computed: the waiting begins there. */
  before: Sample | null;
  /** Index of the next time waited that is judged. */
  next: number;
};

/**
 * Compares the ranges of waiting with what happened after them: from the next sample to those 10 s, 60 s
 * and 5 minutes later, by the rules of the ranges themselves. One waiting per token at a time, so that
 * judgements do not overlap however often a token is asked for.
 */
export class WaitingJudge {
  readonly #record: HeldWaitings;
  readonly #pending = new BoundedMap<Address, Pending>(MAX_TOKENS);

  constructor(record: HeldWaitings) {
    this.#record = record;
  }

  /** Ranges are ignored while earlier ones of the token are being judged, or where all are unknown. */
  compute(ranges: Ranges): void {
    if (ranges.waiting.every((bySeconds) => bySeconds.every((range) => range === null))) return;
    const earlier = this.#pending.get(ranges.mint);
    if (earlier !== undefined && ranges.toMs - earlier.ranges.toMs < GIVEN_UP_AFTER_MS) return;
    this.#pending.set(ranges.mint, { ranges, before: null, next: 0 });
  }

  /** Samples of one token on the grid of ten seconds, in their order, as the history keeps them. */
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
      // A sample that comes later is another cell of the grid: without one here nothing is known.
      if (lateMs === 0) this.#judge(pending.ranges, pending.next, pending.before, sample);
    }
    this.#pending.delete(mint);
  }

  #judge(ranges: Ranges, waited: number, before: Sample, after: Sample): void {
    const { waiting, firstSeenMs, toMs } = ranges;
    const seconds = WAITED_SECONDS[waited];
    if (seconds === undefined) return;
    const grid = gridOf([before, after], {
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

/** @param change percent of what the exit paid before, rounded as the range is */
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
