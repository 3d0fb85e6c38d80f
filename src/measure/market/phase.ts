import { WSOL } from "#src/units/known-addresses.ts";
import type { Phase } from "../assessment.ts";
import { isClosedForGood, type PricedMarket, quoteSpot } from "./priced-market.ts";
import { atSpot, depthTogether } from "./route.ts";

/**
 * Phase of the token between its curve and the pools. A full curve still holds what it raised
 * until it migrates: so pools that third parties opened meanwhile are not taken for its own as long as
 * they hold less. A curve that can't be read is taken to sell unless a pool trades.
 */
export function phaseOf(priced: PricedMarket): Phase {
  const { market, routes } = priced;
  // The phase is that of the token: another mint's curve has no part in it.
  const curves = market.pools.filter(
    ({ kind, baseMint }) => kind === "curve" && baseMint === market.mint,
  );
  if (curves.some((curve) => !isClosedForGood(curve.status))) return "on-curve";
  const pools = market.pools.filter((pool) => pool.kind === "amm");
  const isTrading = pools.some((pool) => pool.status === "open" || pool.status === "paused");
  if (curves.length === 0) {
    if (!market.unpriced.some((pool) => pool.kind === "curve")) return "listed";
    return isTrading ? "migrated" : "on-curve";
  }
  if (market.awaitsGraduation) return "migrating";
  const full = curves.filter((curve) => curve.status === "complete");
  if (full.length === 0) {
    return !isTrading && pools.some((pool) => pool.status === "not-open-yet")
      ? "migrating"
      : "migrated";
  }
  let raised = 0n;
  for (const curve of full) {
    const spot = quoteSpot(priced, curve.quoteMint);
    // What has no price may be more than the pools hold.
    if (spot === null && curve.quoteMint !== WSOL) return "migrating";
    // At the spot, also where the hops pay less: else what drains them would end the phase.
    raised += atSpot(curve.raised, spot);
  }
  return isTrading && depthTogether(routes) >= raised ? "migrated" : "migrating";
}
