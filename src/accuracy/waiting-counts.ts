import { MS_PER_DAY, MS_PER_HOUR } from "#src/platform/clock.ts";
import { WAITED_SECONDS, WAITING_SIZES } from "#src/track/history/waiting.ts";

const HOURS_KEPT = 720;
const HOURS_OF_DAY = 24;
/** With fewer judgements a share is unknown. */
export const LEAST_JUDGED = 200;

/** How long the service had known a token when its range was computed. */
export const TOKEN_AGES = ["under-1-day", "1-to-7-days", "over-7-days"] as const;
export type TokenAge = (typeof TOKEN_AGES)[number];

export type WaitedSeconds = (typeof WAITED_SECONDS)[number];

/** Judgements that are counted together. */
export type WaitingCell = {
  /** Standard size in SOL. */
  readonly size: number;
  readonly seconds: WaitedSeconds;
  readonly age: TokenAge;
};

/** Counts of exit changes that were compared with a range computed before they began. */
export type HeldCounts = {
  readonly judged: number;
  /** Between the quantiles 10 and 90, ends included. */
  readonly held80: number;
  /** Between the quantiles 1 and 99, ends included. */
  readonly held98: number;
  /** Below the quantile 10: the exit paid less. */
  readonly below10: number;
};

/** The counts of one hour, by the name of the cell. */
export type WaitingRow = {
  /** Whole hours since 1970 in UTC. */
  readonly hour: number;
  readonly counts: Readonly<Record<string, HeldCounts>>;
};

/** How often the ranges of a cell held, in percent; null below `LEAST_JUDGED`. */
export type HeldWindow = {
  readonly judged: number;
  readonly held80Pct: number | null;
  readonly held98Pct: number | null;
  readonly below10Pct: number | null;
};

export type WaitingReport = WaitingCell & {
  readonly day: HeldWindow;
  readonly month: HeldWindow;
};

type CellCounts = ReadonlyMap<string, HeldCounts>;

/** The sums of the hours before one, by the name of the cell. */
type PastSums = { readonly hour: number; readonly day: CellCounts; readonly month: CellCounts };

const NONE: HeldCounts = { judged: 0, held80: 0, held98: 0, below10: 0 };

const CELLS: readonly WaitingCell[] = WAITING_SIZES.flatMap((size) =>
  WAITED_SECONDS.flatMap((seconds) => TOKEN_AGES.map((age) => ({ size, seconds, age }))),
);

export function tokenAgeOf(knownMs: number): TokenAge {
  if (knownMs < MS_PER_DAY) return "under-1-day";
  return knownMs < 7 * MS_PER_DAY ? "1-to-7-days" : "over-7-days";
}

/** How often the ranges of what waiting cost held afterwards, by hour for thirty days: at most 720 times 54 cells. */
export class HeldWaitings {
  readonly #hours = new Map<number, Map<string, HeldCounts>>();
  readonly #changed = new Set<number>();
  /** The sums of past hours, computed once an hour, because only the newest hour still changes. Null: not computed. */
  #past: PastSums | null = null;

  /** @param atMs end of the waiting */
  count(cell: WaitingCell, held: HeldCounts, atMs: number): void {
    const hour = Math.floor(atMs / MS_PER_HOUR);
    const counts = this.#hours.get(hour) ?? new Map<string, HeldCounts>();
    this.#hours.set(hour, counts);
    const name = nameOf(cell);
    counts.set(name, sum(counts.get(name) ?? NONE, held));
    this.#changed.add(hour);
    if (this.#past !== null && hour < this.#past.hour) this.#past = null;
  }

  /** Sets the hours that were stored before. */
  restore(rows: Iterable<WaitingRow>): void {
    for (const { hour, counts } of rows) this.#hours.set(hour, new Map(Object.entries(counts)));
    this.#past = null;
  }

  /** Marks hours as changed again if they could not be stored. */
  giveBack(rows: readonly WaitingRow[]): void {
    for (const { hour } of rows) this.#changed.add(hour);
  }

  /** The hours changed since the last call; drops hours older than thirty days. */
  takeChanged(nowMs: number): readonly WaitingRow[] {
    const oldest = Math.floor(nowMs / MS_PER_HOUR) - HOURS_KEPT;
    const rows: WaitingRow[] = [];
    for (const [hour, counts] of this.#hours) {
      if (hour <= oldest) this.#drop(hour);
      else if (this.#changed.has(hour)) rows.push({ hour, counts: Object.fromEntries(counts) });
    }
    this.#changed.clear();
    return rows;
  }

  #drop(hour: number): void {
    this.#hours.delete(hour);
    this.#past = null;
  }

  /** Every cell in which something was judged in the last thirty days. */
  report(nowMs: number): readonly WaitingReport[] {
    const newest = Math.floor(nowMs / MS_PER_HOUR);
    const past = this.#pastOf(newest);
    const now = this.#hours.get(newest);
    return CELLS.flatMap((cell) => {
      const name = nameOf(cell);
      const windowOf = (before: CellCounts) =>
        heldWindow(sum(before.get(name) ?? NONE, now?.get(name) ?? NONE));
      const month = windowOf(past.month);
      return month.judged === 0 ? [] : [{ ...cell, day: windowOf(past.day), month }];
    });
  }

  #pastOf(newest: number): PastSums {
    if (this.#past?.hour === newest) return this.#past;
    const [day, month] = [new Map<string, HeldCounts>(), new Map<string, HeldCounts>()];
    for (const [hour, counts] of this.#hours) {
      if (hour <= newest - HOURS_KEPT || hour >= newest) continue;
      addTo(month, counts);
      if (hour > newest - HOURS_OF_DAY) addTo(day, counts);
    }
    this.#past = { hour: newest, day, month };
    return this.#past;
  }
}

function addTo(sums: Map<string, HeldCounts>, counts: CellCounts): void {
  for (const [name, held] of counts) sums.set(name, sum(sums.get(name) ?? NONE, held));
}

function heldWindow({ judged, held80, held98, below10 }: HeldCounts): HeldWindow {
  const pct = (held: number) =>
    judged < LEAST_JUDGED ? null : Math.round((1e4 * held) / judged) / 100;
  return {
    judged,
    held80Pct: pct(held80),
    held98Pct: pct(held98),
    below10Pct: pct(below10),
  };
}

function nameOf({ size, seconds, age }: WaitingCell): string {
  return `${size} ${seconds} ${age}`;
}

function sum(a: HeldCounts, b: HeldCounts): HeldCounts {
  return {
    judged: a.judged + b.judged,
    held80: a.held80 + b.held80,
    held98: a.held98 + b.held98,
    below10: a.below10 + b.below10,
  };
}
