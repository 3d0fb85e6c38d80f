import type { Address } from "#src/units/address.ts";
import type { AccountSet } from "#src/venues/account-set.ts";
import { VENUES } from "#src/venues/all.ts";
import type { Venue } from "#src/venues/venue.ts";

/** A pool by its address, with the token that is sold there: a pump curve does not name its coin. */
export type PoolReference = { readonly pool: Address; readonly mint: Address };

/** The venue whose program owns the account; null where the account is absent or of no modelled program. */
export function venueOf(pool: Address, accounts: AccountSet): Venue<unknown> | null {
  const owner = accounts.get(pool)?.owner;
  return VENUES.find(({ programId }) => programId === owner) ?? null;
}
