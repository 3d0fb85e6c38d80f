import { compareBigints } from "#src/units/integer.ts";
import type { VenueId } from "#src/venues/venue.ts";
import type { JudgedSwap } from "./judged-swap.ts";

/** The newest swaps of each venue since they were last taken; older ones beyond the limit are dropped. */
export class RecentSwaps {
  readonly #maxPerVenue: number;
  readonly #byVenue = new Map<VenueId, JudgedSwap[]>();

  constructor(maxPerVenue: number) {
    this.#maxPerVenue = maxPerVenue;
  }

  add(swap: JudgedSwap): void {
    const swaps = this.#byVenue.get(swap.venue);
    if (swaps === undefined) {
      this.#byVenue.set(swap.venue, [swap]);
      return;
    }
    swaps.push(swap);
    // Trim only at twice the limit, so that the cost per swap stays constant.
    if (swaps.length >= 2 * this.#maxPerVenue) swaps.splice(0, this.#maxPerVenue);
  }

  /** Takes all swaps held, in slot order. */
  take(): readonly JudgedSwap[] {
    const taken = [...this.#byVenue.values()].flatMap((swaps) => swaps.slice(-this.#maxPerVenue));
    this.#byVenue.clear();
    return taken.toSorted((a, b) => compareBigints(a.slot, b.slot));
  }
}
