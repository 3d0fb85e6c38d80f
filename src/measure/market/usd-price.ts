import type { Address } from "#src/units/address.ts";
import { STABLE_MINTS, WSOL } from "#src/units/known-addresses.ts";
import type { Ratio } from "#src/units/ratio.ts";
import type { QuotablePool } from "#src/venues/quotable-pool.ts";
import { deepestRoute, type Route, weighRoutes } from "./route.ts";

/**
 * Lamports per millionth of a USD: the spot of the deepest SOL pool among the stables', each stable
 * taken for one USD. Null where no such pool can be sold into.
 */
export function lamportsPerMicroUsd(stablePools: readonly QuotablePool[]): Ratio | null {
  const deepest: Route[] = [];
  for (const mint of STABLE_MINTS) {
    const ways = stablePools
      .filter((pool) => isSolPoolOf(pool, mint))
      .map((pool) => ({ pool, hops: [] }));
    const route = deepestRoute(weighRoutes(ways));
    if (route !== null) deepest.push(route);
  }
  const [first, ...others] = deepest;
  if (first === undefined) return null;
  return others.reduce(
    (best, route) => (route.nearDepthLamports > best.nearDepthLamports ? route : best),
    first,
  ).spotPrice;
}

function isSolPoolOf({ baseMint, quoteMint }: QuotablePool, mint: Address): boolean {
  return baseMint === mint && quoteMint === WSOL;
}
