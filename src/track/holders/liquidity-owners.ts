import type { Market } from "#src/measure/market/market.ts";
import { priceMarket } from "#src/measure/market/priced-market.ts";
import type { PoolHolders } from "#src/measure/questions/share-holders.ts";
import type { Address } from "#src/units/address.ts";
import { compareBigints } from "#src/units/integer.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import type { AccountSet } from "#src/venues/account-set.ts";
import type { LiquidityShares } from "#src/venues/liquidity-shares.ts";
import type { PoolRef } from "../pools/open-pool.ts";
import type { SharedPool, ShareHolders } from "./share-holders.ts";

/** Maximum number of pools per token whose holders are read: the deepest ones. */
const MAX_POOLS_READ = 8;

/** Who can withdraw liquidity from each pool of a market, as far as readable. */
export async function liquidityOwners(
  market: Market,
  refs: Iterable<PoolRef>,
  { known, holders }: { readonly known: AccountSet; readonly holders: ShareHolders },
): Promise<ReadonlyMap<Address, PoolHolders>> {
  const owners = new Map<Address, PoolHolders>();
  const shared: SharedPool[] = [];
  const quoteMints = new Map(market.pools.map((pool) => [pool.address, pool.quoteMint]));
  for (const { venue, address } of refs) {
    const shares: LiquidityShares | null = venue.shares(address, known);
    if (shares === null) continue;
    if (shares.kind === "nobody") owners.set(address, { kind: "nobody" });
    else if (shares.kind === "unread-positions") {
      owners.set(address, { kind: "unknown", reason: "positions-not-read" });
    } else {
      const quoteMint = quoteMints.get(address) ?? WSOL;
      shared.push({ pool: address, quoteMint, shares });
    }
  }
  const asked = deepestFirst(market, shared);
  for (const { pool } of asked.slice(MAX_POOLS_READ)) {
    owners.set(pool, { kind: "unknown", reason: "not-among-the-deepest" });
  }
  const read = await holders.of(asked.slice(0, MAX_POOLS_READ));
  return new Map([...owners, ...read]);
}

function deepestFirst(market: Market, pools: readonly SharedPool[]): readonly SharedPool[] {
  if (pools.length <= MAX_POOLS_READ) return pools;
  const depths = new Map(
    priceMarket(market).routes.map(({ pool, depthLamports }) => [pool.address, depthLamports]),
  );
  const depthOf = ({ pool }: SharedPool): bigint => depths.get(pool) ?? 0n;
  return pools.toSorted((a, b) => compareBigints(depthOf(b), depthOf(a)));
}
