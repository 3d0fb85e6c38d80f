import { BoundedMap, BoundedSet } from "#src/platform/bounded-map.ts";
import type { Address } from "#src/units/address.ts";
import type { GeyserUpdate } from "./geyser-update.ts";

/** Slots that a node may work on at a time, forks included. */
const MAX_SLOTS = 64;

/**
 * The account messages of slots that are not processed to their end. A stream of processed state brings
 * each write of a slot; only the state at its end is consistent, and only the last write is needed.
 */
export class UnfinishedSlots {
  readonly #slots = new BoundedMap<bigint, Map<Address, GeyserUpdate>>(MAX_SLOTS);
  readonly #ended = new BoundedSet<bigint>(MAX_SLOTS);

  /** @returns whether the message waits for the end of its slot */
  add(message: GeyserUpdate): boolean {
    const update = message.account?.update ?? null;
    if (update === null || this.#ended.has(update.slot)) return false;
    const messages = this.#slots.get(update.slot) ?? new Map<Address, GeyserUpdate>();
    if (messages.size === 0) this.#slots.set(update.slot, messages);
    messages.set(update.address, message);
    return true;
  }

  /** The last message of each account in the slot, which is processed to its end. */
  end(slot: bigint): Iterable<GeyserUpdate> {
    const messages = this.#slots.get(slot);
    this.#slots.delete(slot);
    this.#ended.add(slot);
    return messages?.values() ?? [];
  }

  /** The slot was not replayed to its end; another version of it may be. */
  discard(slot: bigint): void {
    this.#slots.delete(slot);
  }

  clear(): void {
    this.#slots.clear();
    this.#ended.clear();
  }
}
