import type { Address } from "#src/units/address.ts";
import type { AccountSet } from "#src/venues/account-set.ts";
import type { Venue } from "#src/venues/venue.ts";

/** The state of a pool that decodes. @throws Error with the venue's reason where it does not */
export function decodedState<State>(
  venue: Pick<Venue<State>, "decode">,
  pool: Address,
  known: AccountSet,
  mint?: Address,
): State {
  const decoded = venue.decode(pool, known, mint);
  if (decoded.kind !== "pool") throw new Error(decoded.detail);
  return decoded.state;
}
