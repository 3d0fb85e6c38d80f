import { clockAt, SLOT_MS } from "#src/node/slot-clock.ts";
import type { Address } from "#src/units/address.ts";
import { toNumber } from "#src/units/to-number.ts";
import type { Account } from "#src/venues/account-set.ts";
import type { Clock, VenueId } from "#src/venues/venue.ts";

/** A transaction as the stream sends it. */
export type PlayedTransaction = {
  readonly programId: Address;
  readonly feePayer: Address;
  readonly accounts: readonly Address[];
  readonly data: Uint8Array;
  readonly inner: readonly Uint8Array[];
  readonly logs: readonly string[];
  readonly signature: Uint8Array;
};

/** What is measured from the moment that it was sent. `probe`: a trade in a pool that nothing else touches. */
export type PlayedEvent = {
  readonly kind: "probe" | "born" | "withdrawn" | "graduated";
  readonly mint: Address;
  readonly venue: VenueId;
  /** It was sent once all of these accounts were. */
  readonly accounts: readonly Address[];
};

/** One slot of the chain, played ahead of the moment at which it is sent. */
export type PlayedSlot = {
  readonly clock: Clock;
  /** The accounts as the slot leaves them; null: deleted. */
  readonly changes: ReadonlyMap<Address, Account | null>;
  readonly transactions: readonly PlayedTransaction[];
  readonly events: readonly PlayedEvent[];
  readonly swaps: number;
  readonly isBurst: boolean;
};

/** When a slot begins, by a chain that keeps 400 ms. */
export function timeOfSlot(slot: bigint): number {
  const anchorMs = Math.floor(Date.now() / SLOT_MS) * SLOT_MS;
  return anchorMs + toNumber(slot - clockAt(anchorMs).slot) * SLOT_MS;
}
