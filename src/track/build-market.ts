import type { Market, UnpricedPool } from "#src/measure/market.ts";
import type { Address } from "#src/units/address.ts";
import type { AccountSet } from "#src/venues/account-set.ts";
import type { QuotablePool } from "#src/venues/quotable-pool.ts";
import type { Mint } from "#src/venues/token/mint.ts";
import type { Clock, VenueId } from "#src/venues/venue.ts";
import { bindOpenPool, type OpenPool, unpricedPool } from "./open-pool.ts";
import { tokenFacts } from "./token-facts.ts";

export type MarketInput = {
  readonly mint: Address;
  readonly mintFacts: Mint | null;
  readonly pools: readonly OpenPool[];
  /** SOL pools of the stables, selling the stable. */
  readonly stablePools: readonly OpenPool[];
  /** Pools that were left out for their number, as one. */
  readonly leftOut: UnpricedPool | null;
  readonly isSearchComplete: boolean;
  /** The clock that quotes are for. */
  readonly clock: Clock;
  /** The newest slot at which all accounts are known to hold, and its block time. */
  readonly slot: bigint;
  readonly stateTimeMs: number;
  readonly nowMs: number;
  readonly historySeconds: number | null;
  readonly exactPctByVenue: ReadonlyMap<VenueId, number>;
};

/** What measuring works on, out of pools that are read already. Pure. */
export function buildMarket(input: MarketInput, known: AccountSet): Market {
  const pools: QuotablePool[] = [];
  const unpriced: UnpricedPool[] = input.leftOut === null ? [] : [input.leftOut];
  const stables = new Set<Address>();
  for (const pool of input.pools) {
    const bound = bindOpenPool(pool, input.clock);
    if (bound !== null) {
      pools.push(bound);
      stables.add(bound.quoteMint);
      continue;
    }
    const reason = unpricedPool(pool, known);
    if (reason !== null) unpriced.push(reason);
  }
  const stablePools: QuotablePool[] = [];
  for (const pool of input.stablePools) {
    if (!stables.has(pool.baseMint)) continue;
    const bound = bindOpenPool(pool, input.clock);
    if (bound !== null) stablePools.push(bound);
  }
  return {
    mint: input.mint,
    token: input.mintFacts === null ? null : tokenFacts(input.mintFacts, input.clock.epoch),
    pools,
    stablePools,
    unpriced,
    isSearchComplete: input.isSearchComplete,
    slot: input.slot,
    stateTimeMs: input.stateTimeMs,
    nowMs: input.nowMs,
    historySeconds: input.historySeconds,
    exactPctByVenue: input.exactPctByVenue,
  };
}
