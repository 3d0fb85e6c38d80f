import type { VenueId } from "#src/venues/venue.ts";
import { isReplayed, type JudgedSwap, type ReplayedSwap } from "./judged-swap.ts";
import { Tallies, type TallyRow, type TallyWindows } from "./tallies.ts";
import type { Tally } from "./tally.ts";

/** A venue below this share of exact replays lowers confidence (method.md section 4), percent. */
const LINE_PCT = 99;
/** The last five minutes decide where they hold enough replays; else the last hour does. */
const RECENT_MINUTES = 5;
const ENOUGH_REPLAYS = 20;
/** Failures lower confidence only from this many pools and signers: fewer can be one person's doing. */
const WIDESPREAD: Spread = { pools: 5, signers: 5 };
/** Every answer asks for the shares: they are computed at most this often. */
const CHECK_EVERY_MS = 500;

/** From how many distinct pools and signers failures have to come before they lower confidence. */
export type Spread = { readonly pools: number; readonly signers: number };

export type LineCrossing = {
  readonly isBelow: boolean;
  /** Null: no swap of the venue was replayed for an hour, so the venue no longer counts as inexact. */
  readonly exactPct: number | null;
};

/** A venue fell below the line, or is above it again. */
export type LineListener = (venue: VenueId, crossing: LineCrossing) => void;

export type VenueAccuracy = {
  readonly venue: VenueId;
  readonly windows: TallyWindows;
  /** The share of the last minutes or hour; null while nothing was replayed. */
  readonly exactPct: number | null;
  /** The share is below the line, and the failures come from enough pools and signers. */
  readonly lowersConfidence: boolean;
};

/** The share of exact replays by venue, and which venues are below the line. */
export class AccuracyRecord {
  readonly tallies = new Tallies();
  readonly #below = new Set<VenueId>();
  #onLine: LineListener = () => {};
  #shares: ReadonlyMap<VenueId, number> = new Map();
  #sharesDueMs = 0;
  readonly #spread: Spread;

  constructor(spread: Spread = WIDESPREAD) {
    this.#spread = spread;
  }

  onLine(listener: LineListener): void {
    this.#onLine = listener;
  }

  /** Replaces tallies by newer ones of the same time ranges. */
  replace(rows: readonly TallyRow[]): void {
    this.tallies.replace(rows);
    this.#sharesDueMs = 0;
  }

  /** One venue's record, whether or not a swap of it was seen. */
  venue(venue: VenueId, nowMs: number): VenueAccuracy {
    const exactPct = this.#exactPct(venue, nowMs);
    return {
      venue,
      windows: this.tallies.windows(venue, nowMs),
      exactPct,
      lowersConfidence:
        exactPct !== null && exactPct < LINE_PCT && this.#isWidespread(venue, nowMs),
    };
  }

  /** As `check`, at most 500 ms old. */
  exactPctByVenue(nowMs: number): ReadonlyMap<VenueId, number> {
    if (nowMs >= this.#sharesDueMs) {
      this.#sharesDueMs = nowMs + CHECK_EVERY_MS;
      this.#shares = this.check(nowMs);
    }
    return this.#shares;
  }

  /**
   * Share of exact replays by venue, percent. Venues without replays are left out, and those whose
   * failures come from too few pools or signers. Reports crossings.
   */
  check(nowMs: number): ReadonlyMap<VenueId, number> {
    const shares = new Map<VenueId, number>();
    for (const venue of this.tallies.venues) {
      const exactPct = this.#exactPct(venue, nowMs);
      const isBelow = exactPct !== null && exactPct < LINE_PCT;
      if (exactPct !== null && (!isBelow || this.#isWidespread(venue, nowMs))) {
        shares.set(venue, exactPct);
      }
      if (isBelow === this.#below.has(venue)) continue;
      if (isBelow) this.#below.add(venue);
      else this.#below.delete(venue);
      this.#onLine(venue, { isBelow, exactPct });
    }
    return shares;
  }

  /** Whether the failures alone, dust excluded, are too many, and from enough pools and signers. */
  #isWidespread(venue: VenueId, nowMs: number): boolean {
    const { replayed, failures } = this.#deciding(venue, nowMs);
    if (failures === undefined || 100 * failures.swaps <= (100 - LINE_PCT) * replayed) return false;
    const { pools, signers } = this.tallies.windows(venue, nowMs).hour.failures ?? failures;
    return pools.length >= this.#spread.pools && signers.length >= this.#spread.signers;
  }

  #deciding(venue: VenueId, nowMs: number): Tally {
    const recent = this.tallies.lastMinutes(venue, nowMs, RECENT_MINUTES);
    return recent.replayed >= ENOUGH_REPLAYS ? recent : this.tallies.windows(venue, nowMs).hour;
  }

  #exactPct(venue: VenueId, nowMs: number): number | null {
    const { replayed, exact } = this.#deciding(venue, nowMs);
    return replayed === 0 ? null : (100 * exact) / replayed;
  }
}

/** Whether the model was wrong. */
export function isMismatch(swap: JudgedSwap): swap is ReplayedSwap {
  return isReplayed(swap) && swap.outcome.modelled !== swap.outcome.executed;
}
