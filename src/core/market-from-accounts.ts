import type { Market } from "#src/measure/market/market.ts";
import { buildMarket } from "#src/track/pools/build-market.ts";
import { blockTimeMs, clockOf } from "#src/track/pools/chain-clock.ts";
import { type OpenPool, openPool } from "#src/track/pools/open-pool.ts";
import type { Address } from "#src/units/address.ts";
import type { AccountSet } from "#src/venues/account-set.ts";
import { decodeMint } from "#src/venues/shared/token/mint.ts";
import { type PoolReference, venueOf } from "./pool-reference.ts";

export type MarketAccounts = {
  /** The token to sell. */
  readonly mint: Address;
  /** Its pools. */
  readonly pools: readonly Address[];
  /** Pools that sell what those pay in, if that is not SOL; `mint` is the token sold there. */
  readonly hopPools?: readonly PoolReference[];
  /** Everything that `neededAccounts` names, at one slot, the Clock sysvar included. */
  readonly accounts: AccountSet;
  /** Whether `pools` is every pool of the token. False lowers the confidence or blocks the answer. */
  readonly isSearchComplete: boolean;
  /** The caller's clock, against which the age of the accounts is measured. */
  readonly nowMs: number;
  /** For how long the caller has followed the token without a gap; below 300 the confidence is limited. */
  readonly historySeconds?: number;
};

/**
 * The market of a token from account bytes, for `assess` and `exitAt`. Pure: the same input gives the
 * same market.
 *
 * @throws TypeError where the Clock sysvar is missing, or a pool is of no modelled program
 */
export function marketFromAccounts(input: MarketAccounts): Market {
  const { mint, accounts, hopPools = [] } = input;
  const clock = clockOf(accounts);
  if (clock === null) throw new TypeError("the Clock sysvar is not among the accounts");
  const open = (reference: PoolReference) => openReferenced(reference, accounts);
  return buildMarket(
    {
      mint,
      mintFacts: decodeMint(accounts.get(mint)),
      pools: input.pools.map((pool) => open({ pool, mint })),
      hopPools: hopPools.map(open),
      leftOut: [],
      isSearchComplete: input.isSearchComplete,
      awaitsGraduation: false,
      clock,
      slot: clock.slot,
      stateTimeMs: blockTimeMs(clock),
      nowMs: input.nowMs,
      historySeconds: input.historySeconds ?? null,
      exactPctByVenue: new Map(),
    },
    accounts,
  );
}

function openReferenced({ pool, mint }: PoolReference, accounts: AccountSet): OpenPool {
  const venue = venueOf(pool, accounts);
  if (venue === null) throw new TypeError(`${pool} is absent or of no modelled program`);
  return openPool({ venue, address: pool, mint, isReserved: false }, mint, accounts);
}
