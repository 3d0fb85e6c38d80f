import type { Market, UnpricedPool } from "#src/measure/market.ts";
import type { Address } from "#src/units/address.ts";
import type { AccountSet } from "#src/venues/account-set.ts";
import type { QuotablePool } from "#src/venues/quotable-pool.ts";
import type { Mint } from "#src/venues/shared/token/mint.ts";
import type { Clock, VenueId } from "#src/venues/venue.ts";
import { bindOpenPool, type OpenPool, unpricedPool } from "./open-pool.ts";
import { tokenFacts } from "./token-facts.ts";

export type MarketInput = {
  readonly mint: Address;
  readonly mintFacts: Mint | null;
  readonly pools: readonly OpenPool[];
  /** Pools that sell what the token's pools pay in, and what those pay in turn. */
  readonly hopPools: readonly OpenPool[];
  /** The pools left out because there are too many, summed into one. */
  readonly leftOut: readonly UnpricedPool[];
  readonly isSearchComplete: boolean;
  readonly awaitsGraduation: boolean;
  /** The clock that quotes use. */
  readonly clock: Clock;
  /** The newest slot at which all accounts are known to hold, and its block time. */
  readonly slot: bigint;
  readonly stateTimeMs: number;
  readonly nowMs: number;
  readonly historySeconds: number | null;
  readonly exactPctByVenue: ReadonlyMap<VenueId, number>;
  readonly newDeployments?: ReadonlySet<VenueId>;
};

/** Builds the input of the measurement from decoded pools. Pure. */
export function buildMarket(input: MarketInput, known: AccountSet): Market {
  const pools: QuotablePool[] = [];
  const unpriced: UnpricedPool[] = [...input.leftOut];
  for (const pool of input.pools) {
    const bound = bindOpenPool(pool, input.clock);
    if (bound !== null) {
      pools.push(bound);
      continue;
    }
    const reason = unpricedPool(pool, known);
    if (reason !== null) unpriced.push(reason);
  }
  const hopPools: QuotablePool[] = [];
  for (const pool of input.hopPools) {
    const bound = bindOpenPool(pool, input.clock);
    if (bound !== null) hopPools.push(bound);
  }
  return {
    mint: input.mint,
    token: input.mintFacts === null ? null : tokenFacts(input.mintFacts, input.clock.epoch),
    pools,
    hopPools,
    unpriced,
    isSearchComplete: input.isSearchComplete,
    awaitsGraduation: input.awaitsGraduation,
    slot: input.slot,
    stateTimeMs: input.stateTimeMs,
    nowMs: input.nowMs,
    historySeconds: input.historySeconds,
    exactPctByVenue: input.exactPctByVenue,
    ...(input.newDeployments === undefined ? {} : { newDeployments: input.newDeployments }),
  };
}
