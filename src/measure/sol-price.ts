import { STABLE_MINTS, WSOL } from "#src/units/known-addresses.ts";
import { ratioToNumber } from "#src/units/to-number.ts";
import type { QuotablePool } from "#src/venues/quotable-pool.ts";

/** Lamports per SOL over base units per dollar: the known stables have six decimals. */
const SCALE = 1_000n;

/**
 * Dollars for one SOL: the spot price of the deepest pool that sells a stable for SOL. Null where there is
 * none among the pools. Only for display: nothing is measured with it.
 */
export function solUsdOf(pools: readonly QuotablePool[]): number | null {
  let deepest: { readonly pool: QuotablePool; readonly lamports: bigint } | null = null;
  for (const pool of pools) {
    const isStable = STABLE_MINTS.some((mint) => mint === pool.baseMint);
    if (!isStable || pool.quoteMint !== WSOL || pool.spotPrice === null) continue;
    const lamports = pool.reachable(1_000);
    if (deepest === null || lamports > deepest.lamports) deepest = { pool, lamports };
  }
  const price = deepest?.pool.spotPrice ?? null;
  if (price === null || price.numerator === 0n) return null;
  return ratioToNumber(SCALE * price.denominator, price.numerator);
}
