import { clockOf } from "#src/track/pools/chain-clock.ts";
import type { Address } from "#src/units/address.ts";
import type { AccountSet } from "#src/venues/account-set.ts";
import type { Clock, Quote, UnusableReason } from "#src/venues/venue.ts";
import { type PoolReference, venueOf } from "./pool-reference.ts";

export type PoolOrder = PoolReference & {
  /** The token that the trader pays: either one of the pair. */
  readonly inputMint: Address;
  /** Base units of `inputMint`. */
  readonly amountIn: bigint;
  readonly accounts: AccountSet;
  /** By default the Clock sysvar among the accounts. */
  readonly clock?: Clock;
};

export type PoolQuote =
  | Quote<unknown>
  /** The pool cannot be quoted from these accounts. */
  | { readonly kind: "unusable"; readonly reason: UnusableReason; readonly detail: string };

/** What the program pays for one exact-in order on these account bytes, to the base unit. Never throws. */
export function quotePool({ pool, mint, inputMint, amountIn, ...order }: PoolOrder): PoolQuote {
  const { accounts, clock = clockOf(accounts) } = order;
  if (clock === null) return missing("the Clock sysvar is not among the accounts");
  const venue = venueOf(pool, accounts);
  if (venue === null) return missing("the pool's account is absent or of no modelled program");
  const decoded = venue.decode(pool, accounts, mint);
  if (decoded.kind === "unusable") return decoded;
  return venue.quoteExactIn(decoded.state, { inputMint, amountIn, clock });
}

function missing(detail: string): PoolQuote {
  return { kind: "unusable", reason: "missing-account", detail };
}
