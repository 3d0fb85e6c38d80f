import { BoundedMap } from "#src/platform/bounded-map.ts";
import { MS_PER_HOUR } from "#src/platform/clock.ts";
import type { Address } from "#src/units/address.ts";

/** Maximum ages of an answer that a sale is compared with, in seconds. */
export const ANSWER_AGES = [10, 60, 600] as const;
export type AnswerAge = (typeof ANSWER_AGES)[number];

/** Only sales in this range are compared: an answer has figures for half a SOL to fifty. */
const SMALLEST_SOL = 0.25;
const LARGEST_SOL = 50;
const MAX_ANSWERS_PER_TOKEN = 600;
const MAX_TOKENS = 2_000;
const HOURS_KEPT = 720;
/** Buckets per factor of e: ten distinguish differences of a tenth. */
const BUCKETS = 10;

/** The parts of a served answer that a sale is compared with. Profile retail. */
export type ServedQuote = {
  readonly mint: Address;
  /** When the answer was made; it was served within the second. */
  readonly atMs: number;
  /** The slot that it is of. */
  readonly slot: bigint;
  /** SOL per base unit at the mid. */
  readonly solPerBaseUnit: number;
  /** Size in SOL and its slippage in percent, ascending; without sizes that can't be sold. */
  readonly ladder: readonly (readonly [sizeSol: number, slippagePct: number])[];
};

/** An executed sale of the token for SOL. */
export type ExecutedSale = {
  readonly mint: Address;
  readonly atMs: number;
  readonly slot: bigint;
  readonly baseUnits: number;
  readonly paidSol: number;
};

/** Differences of one hour against answers of at most one age: the count in each bucket. */
export type QuotedRow = {
  /** Whole hours since 1970 in UTC. */
  readonly hour: number;
  readonly age: AnswerAge;
  readonly counts: Readonly<Record<number, number>>;
};

/** How far sales fell short of answers of at most an age, in basis points of their worth. */
export type QuotedWindow = {
  readonly compared: number;
  readonly p10Bps: number | null;
  readonly p50Bps: number | null;
  readonly p90Bps: number | null;
  readonly p99Bps: number | null;
};

/**
 * The cost of an answer's age: compares each sale with every answer about its token that was served up
 * to ten minutes before, at the sale's own size. An answer of the sale's slot or a later one is of the state after it,
 * even if it was made before the sale arrived here: transactions come over another stream than accounts. The floats are
 * for statistics only; no answer uses them.
 */
export class QuotedExecuted {
  /** The token asked for least recently is dropped first. */
  readonly #answers = new BoundedMap<Address, ServedQuote[]>(MAX_TOKENS);
  readonly #counts = new Map<
    string,
    { hour: number; age: AnswerAge; counts: Map<number, number> }
  >();
  readonly #changed = new Set<string>();

  serve(answer: ServedQuote): void {
    const answers = this.#answers.get(answer.mint) ?? [];
    this.#answers.set(answer.mint, answers);
    answers.push(answer);
    if (answers.length > MAX_ANSWERS_PER_TOKEN) answers.shift();
  }

  execute(sale: ExecutedSale): void {
    for (const answer of this.#answers.get(sale.mint) ?? []) {
      const ageMs = sale.atMs - answer.atMs;
      const bps = shortfallBps(answer, sale);
      if (ageMs <= 0 || answer.slot >= sale.slot || bps === null) continue;
      for (const age of ANSWER_AGES) {
        if (ageMs <= age * 1_000) this.#count(Math.floor(sale.atMs / MS_PER_HOUR), age, bps);
      }
    }
  }

  /** Adds the rows that were stored before. */
  restore(rows: Iterable<QuotedRow>): void {
    for (const { hour, age, counts } of rows) {
      const of = new Map(Object.entries(counts).map(([bucket, count]) => [Number(bucket), count]));
      this.#counts.set(`${hour} ${age}`, { hour, age, counts: of });
    }
  }

  /** Replaces hours by newer counts of the same hours. */
  replace(rows: readonly QuotedRow[]): void {
    this.restore(rows);
    this.giveBack(rows);
  }

  /** Marks hours as changed again: they were taken and could not be stored. */
  giveBack(rows: readonly QuotedRow[]): void {
    for (const { hour, age } of rows) this.#changed.add(`${hour} ${age}`);
  }

  /** Every hour that is held. */
  rows(): readonly QuotedRow[] {
    return Array.from(this.#counts.values(), ({ counts, ...row }) => ({
      ...row,
      counts: Object.fromEntries(counts),
    }));
  }

  /** The hours changed since the last call; drops hours older than thirty days. */
  takeChanged(nowMs: number): readonly QuotedRow[] {
    const oldest = Math.floor(nowMs / MS_PER_HOUR) - HOURS_KEPT;
    const rows: QuotedRow[] = [];
    for (const [name, { hour, age, counts }] of this.#counts) {
      if (hour <= oldest) this.#counts.delete(name);
      else if (this.#changed.has(name))
        rows.push({ hour, age, counts: Object.fromEntries(counts) });
    }
    this.#changed.clear();
    return rows;
  }

  /** The distribution over the last hours. */
  window(age: AnswerAge, nowMs: number, lastHours: number): QuotedWindow {
    const newest = Math.floor(nowMs / MS_PER_HOUR);
    const sum = new Map<number, number>();
    let compared = 0;
    for (const { hour, age: of, counts } of this.#counts.values()) {
      if (of !== age || hour <= newest - lastHours || hour > newest) continue;
      for (const [bucket, count] of counts) {
        sum.set(bucket, (sum.get(bucket) ?? 0) + count);
        compared += count;
      }
    }
    const sorted = [...sum].toSorted(([a], [b]) => a - b);
    const at = (share: number): number | null => {
      let below = 0;
      for (const [bucket, count] of sorted) {
        below += count;
        if (below >= share * compared) return bpsOf(bucket);
      }
      return null;
    };
    return { compared, p10Bps: at(0.1), p50Bps: at(0.5), p90Bps: at(0.9), p99Bps: at(0.99) };
  }

  #count(hour: number, age: AnswerAge, bps: number): void {
    const name = `${hour} ${age}`;
    const row = this.#counts.get(name) ?? { hour, age, counts: new Map<number, number>() };
    this.#counts.set(name, row);
    const bucket = bucketOf(bps);
    row.counts.set(bucket, (row.counts.get(bucket) ?? 0) + 1);
    this.#changed.add(name);
  }
}

/**
 * How much less the sale was paid than the answer stated, in basis points of its worth at the answer's mid;
 * below zero where it was paid more. Null where the answer has no figure for a sale of that worth.
 */
export function shortfallBps(answer: ServedQuote, sale: ExecutedSale): number | null {
  const worthSol = sale.baseUnits * answer.solPerBaseUnit;
  if (!(worthSol >= SMALLEST_SOL && worthSol <= LARGEST_SOL)) return null;
  const slippagePct = slippageAt(answer.ladder, worthSol);
  if (slippagePct === null) return null;
  return 10_000 * (1 - sale.paidSol / worthSol) - 100 * slippagePct;
}

/** Linear between two standard sizes; below the first, extrapolated from the first two. */
function slippageAt(ladder: ServedQuote["ladder"], sizeSol: number): number | null {
  const above = ladder.findIndex(([size]) => size >= sizeSol);
  if (above === -1) return null;
  const [low, high] = above === 0 ? [ladder[0], ladder[1]] : [ladder[above - 1], ladder[above]];
  if (low === undefined || high === undefined) return null;
  const [lowSol, lowPct] = low;
  const [highSol, highPct] = high;
  return Math.max(0, lowPct + ((highPct - lowPct) * (sizeSol - lowSol)) / (highSol - lowSol));
}

function bucketOf(bps: number): number {
  return Math.sign(bps) * Math.round(BUCKETS * Math.log1p(Math.abs(bps)));
}

/** One decimal. */
function bpsOf(bucket: number): number {
  const size = Math.expm1(Math.abs(bucket) / BUCKETS);
  return Math.round(10 * Math.sign(bucket) * size) / 10;
}
