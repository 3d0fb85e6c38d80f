import { lamportsPerMicroUsd } from "#src/measure/market/usd-price.ts";
import { STABLE_MINTS } from "#src/units/known-addresses.ts";
import type { Ratio } from "#src/units/ratio.ts";
import type { LiveState } from "../following/live-state.ts";
import { bindOpenPool, clockFor } from "../pools/open-pool.ts";
import { openPools } from "./assess-token.ts";

/** Lamports per millionth of a USD, by the stables' SOL pools that are followed now; null without one. */
export function usdPrice(state: LiveState): Ratio | null {
  const clock = state.times.newest;
  if (clock === null) return null;
  const pools = STABLE_MINTS.flatMap((mint) => {
    const group = state.hops.get(mint);
    if (group === undefined) return [];
    const open = openPools(state, group);
    const latest = clockFor(open, clock);
    return open.flatMap((pool) => bindOpenPool(pool, latest) ?? []);
  });
  return lamportsPerMicroUsd(pools);
}
