import { BoundedMap, BoundedSet } from "#src/platform/bounded-map.ts";
import type { GeyserUpdate } from "./undecoded-transaction.ts";

/** Slots that a node may work on at a time, forks included. */
const MAX_SLOTS = 64;

/**
 * The account messages of slots that are not processed to their end. A stream of processed state brings
 * each write of a slot; only the state at its end is consistent, and only the last write is needed.
 */
export class UnfinishedSlots {
  readonly #slots = new BoundedMap<string, Map<string, GeyserUpdate>>(MAX_SLOTS);
  readonly #ended = new BoundedSet<string>(MAX_SLOTS);

  /** @returns whether the message waits for the end of its slot */
  add(message: GeyserUpdate): boolean {
    const { account } = message;
    const pubkey = account?.account?.pubkey;
    if (account === undefined || pubkey === undefined || this.#ended.has(account.slot))
      return false;
    const messages = this.#slots.get(account.slot) ?? new Map<string, GeyserUpdate>();
    if (messages.size === 0) this.#slots.set(account.slot, messages);
    messages.set(Buffer.from(pubkey).toString("latin1"), message);
    return true;
  }

  /** The last message of each account in the slot, which is processed to its end. */
  end(slot: string): Iterable<GeyserUpdate> {
    const messages = this.#slots.get(slot);
    this.#slots.delete(slot);
    this.#ended.add(slot);
    return messages?.values() ?? [];
  }

  /** The slot was not replayed to its end; another version of it may be. */
  discard(slot: string): void {
    this.#slots.delete(slot);
  }

  clear(): void {
    this.#slots.clear();
    this.#ended.clear();
  }
}
