import type { Address } from "#src/units/address.ts";
import { isMoney } from "#src/units/known-addresses.ts";
import type { Account } from "#src/venues/account-set.ts";
import type { Venue } from "#src/venues/venue.ts";

/**
 * The token that the pool at this address trades against SOL or a stable; null if the account is not such
 * a pool, or if its bytes do not name the token (pump's curve).
 */
export function tokenOfPool(
  venues: readonly Venue<unknown>[],
  address: Address,
  account: Account,
): Address | null {
  const known = new Map([[address, account]]);
  for (const venue of venues) {
    if (venue.programId !== account.owner) continue;
    const pair = venue.outline(address, known);
    if (pair === null) continue;
    const tokens = [pair.mintA, pair.mintB].filter((mint) => !isMoney(mint));
    if (tokens.length === 1) return tokens[0] ?? null;
  }
  return null;
}
