import type { Market } from "#src/measure/market/market.ts";
import type { Address } from "#src/units/address.ts";
import type { Account } from "#src/venues/account-set.ts";
import type { Clock } from "#src/venues/venue.ts";
import { groupsOf } from "../following/followed-tokens.ts";
import type { FollowedToken, LiveState } from "../following/live-state.ts";

/** A market with the accounts that its pools were decoded from, and the clock of its quotes. */
export type SaleGround = {
  readonly market: Market;
  readonly accounts: ReadonlyMap<Address, Account | null>;
  readonly clock: Clock;
};

/** The accounts of the token's pools and of their hops, as they are held now. */
export function accountsBehind(
  state: LiveState,
  token: FollowedToken,
): ReadonlyMap<Address, Account | null> {
  const accounts = new Map<Address, Account | null>();
  for (const { pools } of groupsOf(state, token)) {
    for (const [address, { needs }] of pools) {
      for (const needed of [address, ...needs.keys()]) {
        const account = state.known.get(needed);
        if (account !== undefined) accounts.set(needed, account);
      }
    }
  }
  return accounts;
}
