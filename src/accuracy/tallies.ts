import { MS_PER_HOUR, MS_PER_MINUTE } from "#src/platform/clock.ts";
import type { VenueId } from "#src/venues/venue.ts";
import type { JudgedSwap } from "./judged-swap.ts";
import { countSwap, emptyTally, sumTallies, type Tally } from "./tally.ts";

/** The last hour is counted by minutes, the last thirty days by hours. */
export const SPANS = {
  minute: { lengthMs: MS_PER_MINUTE, kept: 60 },
  hour: { lengthMs: MS_PER_HOUR, kept: 720 },
} as const;
export type Span = keyof typeof SPANS;
export const SPAN_NAMES: readonly Span[] = ["minute", "hour"];

export type TallyWindows = { readonly hour: Tally; readonly day: Tally; readonly month: Tally };

/** The tally of one program in one minute or hour, as stored. */
export type TallyRow = {
  readonly venue: VenueId;
  readonly span: Span;
  /** Whole spans since 1970 in UTC. */
  readonly index: number;
  readonly tally: Tally;
};

/** The results of every program's swaps over the last hour, day and thirty days. */
export class Tallies {
  readonly #byVenue = new Map<VenueId, Record<Span, Map<number, Tally>>>();
  readonly #changed = new Set<Tally>();

  get venues(): readonly VenueId[] {
    return [...this.#byVenue.keys()].toSorted();
  }

  count(swap: JudgedSwap): void {
    for (const span of SPAN_NAMES) {
      const tally = this.#at(swap.venue, span, indexOf(span, swap.atMs));
      countSwap(tally, swap);
      this.#changed.add(tally);
    }
  }

  /** Adds the rows that were stored before. */
  restore(rows: Iterable<TallyRow>): void {
    for (const { venue, span, index, tally } of rows) {
      const held = this.#spans(venue)[span];
      const replaced = held.get(index);
      if (replaced !== undefined) this.#changed.delete(replaced);
      held.set(index, tally);
    }
  }

  /** Replaces tallies by newer ones of the same time ranges. */
  replace(rows: readonly TallyRow[]): void {
    this.restore(rows);
    for (const { tally } of rows) this.#changed.add(tally);
  }

  /** Marks tallies as changed again: they were taken and could not be stored. */
  giveBack(rows: readonly TallyRow[]): void {
    for (const { venue, span, index } of rows) {
      const held = this.#spans(venue)[span].get(index);
      if (held !== undefined) this.#changed.add(held);
    }
  }

  /** Every tally held. */
  rows(): readonly TallyRow[] {
    return [...this.#byVenue].flatMap(([venue, spans]) =>
      SPAN_NAMES.flatMap((span) =>
        Array.from(spans[span], ([index, tally]) => ({ venue, span, index, tally })),
      ),
    );
  }

  windows(venue: VenueId, nowMs: number): TallyWindows {
    return {
      hour: this.#sum(venue, "minute", { nowMs, last: 60 }),
      day: this.#sum(venue, "hour", { nowMs, last: 24 }),
      month: this.#sum(venue, "hour", { nowMs, last: 720 }),
    };
  }

  /** The sum of the last minutes, including the current one. */
  lastMinutes(venue: VenueId, nowMs: number, last: number): Tally {
    return this.#sum(venue, "minute", { nowMs, last });
  }

  /** What changed since the last call; drops what is too old to count. */
  takeChanged(nowMs: number): readonly TallyRow[] {
    const rows: TallyRow[] = [];
    for (const [venue, spans] of this.#byVenue) {
      for (const span of SPAN_NAMES) {
        const oldest = indexOf(span, nowMs) - SPANS[span].kept;
        for (const [index, tally] of spans[span]) {
          if (index <= oldest) spans[span].delete(index);
          else if (this.#changed.has(tally)) rows.push({ venue, span, index, tally });
        }
      }
    }
    this.#changed.clear();
    return rows;
  }

  #sum(
    venue: VenueId,
    span: Span,
    { nowMs, last }: { readonly nowMs: number; readonly last: number },
  ): Tally {
    const newest = indexOf(span, nowMs);
    const within: Tally[] = [];
    for (const [index, tally] of this.#byVenue.get(venue)?.[span] ?? []) {
      if (index > newest - last && index <= newest) within.push(tally);
    }
    return sumTallies(within);
  }

  #at(venue: VenueId, span: Span, index: number): Tally {
    const tallies = this.#spans(venue)[span];
    const found = tallies.get(index) ?? emptyTally();
    tallies.set(index, found);
    return found;
  }

  #spans(venue: VenueId): Record<Span, Map<number, Tally>> {
    const found = this.#byVenue.get(venue) ?? { minute: new Map(), hour: new Map() };
    this.#byVenue.set(venue, found);
    return found;
  }
}

function indexOf(span: Span, atMs: number): number {
  return Math.floor(atMs / SPANS[span].lengthMs);
}
