import { compareBigints } from "#src/units/integer.ts";
export type SlotOutcome = "confirmed" | "dropped";

export type SlotOutcomesOptions = {
  /** Called once for each slot, in ascending order. */
  readonly onEnd: (slot: bigint, outcome: SlotOutcome) => void;
  /** It is not known what became of some slots: a parent was never received. */
  readonly onUnknown: () => void;
};

/** Slots that are neither confirmed nor dropped; a chain that confirms nothing for longer has stopped. */
const MAX_SLOTS = 512;

/**
 * What becomes of processed slots: with a slot its ancestors are confirmed, and every other slot before
 * it is dropped.
 */
export class SlotOutcomes {
  readonly #options: SlotOutcomesOptions;
  /** The parent of each slot that has not ended; null: not named. */
  readonly #parents = new Map<bigint, bigint | null>();
  #confirmed = -1n;

  constructor(options: SlotOutcomesOptions) {
    this.#options = options;
  }

  processed(slot: bigint, parent: bigint | null): void {
    if (slot <= this.#confirmed) return;
    this.#parents.set(slot, parent);
    if (this.#parents.size > MAX_SLOTS) this.#forget();
  }

  confirmed(slot: bigint): void {
    if (slot <= this.#confirmed) return;
    const chain = new Set<bigint>();
    let ancestor: bigint | null = slot;
    while (ancestor !== null && ancestor > this.#confirmed && this.#parents.has(ancestor)) {
      chain.add(ancestor);
      ancestor = this.#parents.get(ancestor) ?? null;
    }
    const isWhole = ancestor !== null && ancestor <= this.#confirmed;
    const known = [...this.#parents.keys()].filter((each) => each <= slot);
    const lowest = [...chain].at(-1) ?? slot;
    this.#confirmed = slot;
    if (!isWhole && known.some((each) => each < lowest)) {
      this.#forget();
      return;
    }
    for (const each of known.toSorted(compareBigints)) {
      this.#parents.delete(each);
      this.#options.onEnd(each, chain.has(each) ? "confirmed" : "dropped");
    }
  }

  /** The node could not replay the slot. */
  dead(slot: bigint): void {
    if (this.#parents.delete(slot)) this.#options.onEnd(slot, "dropped");
  }

  /** Messages were missed: nothing is known of the slots so far. */
  clear(): void {
    this.#parents.clear();
  }

  #forget(): void {
    this.clear();
    this.#options.onUnknown();
  }
}
