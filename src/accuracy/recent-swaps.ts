import type { VenueId } from "#src/venues/venue.ts";
import type { JudgedSwap } from "./judged-swap.ts";

/** The newest swaps of each venue since they were last taken; what a busy venue has beyond is let go. */
export class RecentSwaps {
  readonly #mostPerVenue: number;
  readonly #byVenue = new Map<VenueId, JudgedSwap[]>();

  constructor(mostPerVenue: number) {
    this.#mostPerVenue = mostPerVenue;
  }

  add(swap: JudgedSwap): void {
    const swaps = this.#byVenue.get(swap.venue);
    if (swaps === undefined) {
      this.#byVenue.set(swap.venue, [swap]);
      return;
    }
    swaps.push(swap);
    // Twice as many before they are cut: no swap pays for moving the others.
    if (swaps.length >= 2 * this.#mostPerVenue) swaps.splice(0, this.#mostPerVenue);
  }

  /** Takes what is held, in the order in which the swaps were made. */
  take(): readonly JudgedSwap[] {
    const taken = [...this.#byVenue.values()].flatMap((swaps) => swaps.slice(-this.#mostPerVenue));
    this.#byVenue.clear();
    return taken.toSorted((a, b) => (a.slot < b.slot ? -1 : a.slot > b.slot ? 1 : 0));
  }
}
