import type { VenueId } from "#src/venues/venue.ts";
import { isReplayed, type JudgedSwap, type ReplayedSwap } from "./judged-swap.ts";
import { Tallies, type Windows } from "./tallies.ts";

/** A venue below this share of exact replays is not believed (method.md section 4), percent. */
const LINE_PCT = 99;
/** The last five minutes speak for a venue where they hold enough; else its last hour does. */
const RECENT_MINUTES = 5;
const ENOUGH_REPLAYS = 20;

export type AccuracyRecordDeps = {
  /** The operator's alert: a venue fell below the line, or is above it again. */
  readonly onLine: (venue: VenueId, crossing: LineCrossing) => void;
};

export type LineCrossing = {
  readonly isBelow: boolean;
  /** Null: nothing of it was replayed for an hour, so it is no longer held to be off. */
  readonly exactPct: number | null;
};

export type VenueAccuracy = {
  readonly venue: VenueId;
  readonly windows: Windows;
  /** What confidence goes by; null while nothing was replayed. */
  readonly exactPct: number | null;
};

/** How exact each venue's replays proved, and which venues are not believed for it. */
export class AccuracyRecord {
  readonly tallies = new Tallies();
  readonly #deps: AccuracyRecordDeps;
  readonly #below = new Set<VenueId>();

  constructor(deps: AccuracyRecordDeps) {
    this.#deps = deps;
  }

  add(swap: JudgedSwap): void {
    this.tallies.count(swap);
  }

  report(nowMs: number): readonly VenueAccuracy[] {
    return this.tallies.venues.map((venue) => this.venue(venue, nowMs));
  }

  /** One venue's record, whether or not any swap of it was seen. */
  venue(venue: VenueId, nowMs: number): VenueAccuracy {
    return {
      venue,
      windows: this.tallies.windows(venue, nowMs),
      exactPct: this.#exactPct(venue, nowMs),
    };
  }

  /** Share of exact replays by venue, percent: those with none are left out. Tells of the line crossed. */
  check(nowMs: number): ReadonlyMap<VenueId, number> {
    const shares = new Map<VenueId, number>();
    for (const venue of this.tallies.venues) {
      const exactPct = this.#exactPct(venue, nowMs);
      if (exactPct !== null) shares.set(venue, exactPct);
      const isBelow = exactPct !== null && exactPct < LINE_PCT;
      if (isBelow === this.#below.has(venue)) continue;
      if (isBelow) this.#below.add(venue);
      else this.#below.delete(venue);
      this.#deps.onLine(venue, { isBelow, exactPct });
    }
    return shares;
  }

  #exactPct(venue: VenueId, nowMs: number): number | null {
    const recent = this.tallies.lastMinutes(venue, nowMs, RECENT_MINUTES);
    const { replayed, exact } =
      recent.replayed >= ENOUGH_REPLAYS ? recent : this.tallies.windows(venue, nowMs).hour;
    return replayed === 0 ? null : (100 * exact) / replayed;
  }
}

/** Whether the model was off. */
export function isMismatch(swap: JudgedSwap): swap is ReplayedSwap {
  return isReplayed(swap) && swap.outcome.modelled !== swap.outcome.executed;
}
