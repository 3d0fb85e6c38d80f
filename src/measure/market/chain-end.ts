import type { Address } from "#src/units/address.ts";
import { isMoney } from "#src/units/known-addresses.ts";
import type { QuotablePool } from "#src/venues/quotable-pool.ts";
import type { PricedMarket } from "./priced-market.ts";
import { isPaused } from "./route.ts";

/** Why a chain of coins quoted in each other does not reach SOL. */
export type ChainEnd =
  /** It leads back to a coin that it came from. */
  | "loop"
  /** More coins follow each other than the program allows. */
  | "too-deep"
  /** No pool of the coin is known. */
  | "unknown-coin"
  /** The coin's curve is full, and its pool does not exist yet. */
  | "full-curve"
  /** The coin's pools are paused or not open yet. */
  | "paused"
  /** The coin's pools pay nothing now. */
  | "no-buyer";

/** The coin at which the chain ends, and why. */
export type EndOfChain = { readonly reason: ChainEnd; readonly mint: Address };

const MOST_COINS = 5;

/** Where the way out of the token's pools ends, if none of them can be sold in now; null: no chain ends. */
export function endOfChain({ market, open }: PricedMarket): EndOfChain | null {
  if (open.length > 0) return null;
  for (const pool of market.pools) {
    if (pool.chain === undefined || pool.spotPrice === null || isMoney(pool.quoteMint)) continue;
    const end = endBehind(pool.quoteMint, market.hopPools, new Set([market.mint]));
    if (end !== null) return end;
  }
  return null;
}

function endBehind(
  mint: Address,
  hopPools: readonly QuotablePool[],
  passed: ReadonlySet<Address>,
): EndOfChain | null {
  if (isMoney(mint)) return null;
  if (passed.has(mint)) return { reason: "loop", mint };
  if (passed.size > MOST_COINS) return { reason: "too-deep", mint };
  const pools = hopPools.filter(({ baseMint }) => baseMint === mint);
  const [first] = pools;
  if (first === undefined) return { reason: "unknown-coin", mint };
  // Where another pool leads on, one that leads back is not the way that ends here.
  const onward = pools.filter(({ quoteMint }) => !passed.has(quoteMint));
  if (onward.length === 0) return { reason: "loop", mint: first.quoteMint };
  const open = onward.filter(({ status, spotPrice }) => status === "open" && spotPrice !== null);
  if (open.length === 0) {
    const isFull = onward.some(({ status }) => status === "complete");
    if (isFull) return { reason: "full-curve", mint };
    return { reason: onward.some(isPaused) ? "paused" : "no-buyer", mint };
  }
  const ends = open.map(({ quoteMint }) =>
    endBehind(quoteMint, hopPools, new Set([...passed, mint])),
  );
  return ends.includes(null) ? null : (ends[0] ?? null);
}
