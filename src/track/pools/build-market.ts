import type { Market, TokenFacts, UnpricedPool } from "#src/measure/market/market.ts";
import type { Address } from "#src/units/address.ts";
import { isMoney } from "#src/units/known-addresses.ts";
import type { AccountSet } from "#src/venues/account-set.ts";
import type { QuotablePool } from "#src/venues/quotable-pool.ts";
import { decodeMint, type Mint } from "#src/venues/shared/token/mint.ts";
import type { Clock } from "#src/venues/venue.ts";
import { bindOpenPool, clockFor, type OpenPool, unpricedPool } from "./open-pool.ts";
import { tokenFacts } from "./token-facts.ts";

export type MarketInput = Omit<
  Market,
  "token" | "pools" | "hopPools" | "hopTokens" | "unpriced" | "executedVenues"
> & {
  readonly mintFacts: Mint | null;
  readonly pools: readonly OpenPool[];
  /** Pools that sell what the token's pools pay in, and what those pay in turn. */
  readonly hopPools: readonly OpenPool[];
  /** The pools left out because there are too many, summed into one. */
  readonly leftOut: readonly UnpricedPool[];
  /** The chain's clock; quotes use a later one if the pools' accounts are newer. */
  readonly clock: Clock;
};

/** The mints of hops whose pools are not all searched; undefined where there are none. */
export function unsearchedHops(
  hops: readonly { readonly mint: Address; readonly isSearchComplete: boolean }[],
): ReadonlySet<Address> | undefined {
  const unsearched = hops.filter(({ isSearchComplete }) => !isSearchComplete);
  return unsearched.length === 0 ? undefined : new Set(unsearched.map(({ mint }) => mint));
}

/** Builds the input of the measurement from decoded pools. Pure. */
export function buildMarket(input: MarketInput, known: AccountSet): Market {
  const { mintFacts, leftOut, clock: received, ...facts } = input;
  const clock = clockFor([...input.pools, ...input.hopPools], received);
  const pools: QuotablePool[] = [];
  const unpriced: UnpricedPool[] = [...leftOut];
  for (const pool of input.pools) {
    const bound = bindOpenPool(pool, clock);
    if (bound !== null) {
      pools.push(bound);
      continue;
    }
    const reason = unpricedPool(pool, known);
    if (reason !== null) unpriced.push(reason);
  }
  const hopPools: QuotablePool[] = [];
  for (const pool of input.hopPools) {
    const bound = bindOpenPool(pool, clock);
    if (bound !== null) hopPools.push(bound);
  }
  const token = mintFacts === null ? null : tokenFacts(mintFacts, clock.epoch);
  const hopTokens = hopTokensOf(hopPools, known, clock.epoch);
  return {
    ...facts,
    token,
    pools,
    hopPools,
    ...(hopTokens === null ? {} : { hopTokens }),
    unpriced,
  };
}

/** Null where sales go through SOL and the stables alone. */
function hopTokensOf(
  hopPools: readonly QuotablePool[],
  known: AccountSet,
  epoch: bigint,
): ReadonlyMap<Address, TokenFacts> | null {
  const tokens = new Map<Address, TokenFacts>();
  for (const { baseMint } of hopPools) {
    if (isMoney(baseMint) || tokens.has(baseMint)) continue;
    const mint = decodeMint(known.get(baseMint));
    if (mint !== null) tokens.set(baseMint, tokenFacts(mint, epoch));
  }
  return tokens.size === 0 ? null : tokens;
}
