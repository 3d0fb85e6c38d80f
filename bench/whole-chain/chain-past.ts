import type { Ledger } from "#src/node/ledger.ts";
import type { Address } from "#src/units/address.ts";
import type { Account, AccountSet } from "#src/venues/account-set.ts";
import type { PlayedSlot } from "./played-slot.ts";

type PastSlot = {
  readonly slot: bigint;
  readonly clock: PlayedSlot["clock"];
  /** The accounts that it changed, as they were before. */
  readonly before: ReadonlyMap<Address, Account | null>;
};

/** Two minutes: figures that are older than that count as those of no slot. */
const KEPT_SLOTS = 300;

/** The accounts of the chain as they were at recent slots. */
export class ChainPast {
  readonly #ledger: Ledger;
  #slots: PastSlot[] = [];

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** Notes a slot before its changes are applied to the ledger. */
  add({ clock, changes }: PlayedSlot): void {
    const before = new Map(
      Array.from(changes, ([address]) => [address, this.#ledger.get(address)]),
    );
    this.#slots.push({ slot: clock.slot, clock, before });
    if (this.#slots.length > KEPT_SLOTS) this.#slots.shift();
  }

  /** The slots whose accounts are known, oldest first. */
  slotsFrom(first: bigint): readonly bigint[] {
    return this.#slots.map(({ slot }) => slot).filter((slot) => slot >= first);
  }

  get oldest(): bigint | null {
    return this.#slots[0]?.slot ?? null;
  }

  /** The accounts after a slot: they are valid until the next change of a slot. */
  at(slot: bigint): AccountSet {
    const later = this.#slots.filter((past) => past.slot > slot);
    return {
      get: (address) => {
        for (const { before } of later) {
          const account = before.get(address);
          if (account !== undefined) return account;
        }
        return this.#ledger.get(address);
      },
    };
  }
}
