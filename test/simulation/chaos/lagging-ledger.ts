import { Ledger } from "#src/node/ledger.ts";
import type { Address } from "#src/units/address.ts";
import { CLOCK_SYSVAR } from "#src/units/known-addresses.ts";
import type { Account } from "#src/venues/account-set.ts";
import type { Clock } from "#src/venues/venue.ts";

type Slot = { readonly clock: Clock; readonly changes: Map<Address, Account | null> };

/** A second ledger that repeats what the first one does, `slotsBehind` slots later. */
export function lagBehind(leader: Ledger, slotsBehind: number): Ledger {
  const follower = new Ledger({ ...leader.clock, slot: leader.clock.slot - BigInt(slotsBehind) });
  follower.apply(new Map([...leader.addresses()].map((found) => [found, leader.get(found)])));
  const pending: Slot[] = [];
  let changes = new Map<Address, Account | null>();
  leader.listen({
    onAccount: (address, account) => {
      if (address !== CLOCK_SYSVAR) changes.set(address, account);
    },
    onTransaction: () => {},
    onSlot: () => {
      pending.push({ clock: leader.clock, changes });
      changes = new Map();
      if (pending.length <= slotsBehind) return;
      const due = pending.shift();
      if (due === undefined) return;
      follower.apply(due.changes);
      follower.advance(due.clock);
    },
  });
  return follower;
}
