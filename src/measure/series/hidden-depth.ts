import { isMoney } from "#src/units/known-addresses.ts";
import { toNumber } from "#src/units/to-number.ts";
import type { PoolShare } from "../assessment.ts";
import { CALIBRATION } from "../calibration.ts";
import { priceNumber } from "../market/price-curve.ts";
import { depthInRow, nearAfterFees } from "../market/route.ts";

/**
 * Whether bids that hold little hide nearly all near depth. Within the fees of a dear pool nothing is arbitraged: a
 * small bid there takes the mid and all W, and what the pool loses then moves neither W nor C10.
 */
export function isDepthHidden(pools: readonly PoolShare[]): boolean {
  if (pools.length < 2) return false;
  const { hiddenShare } = CALIBRATION.deterioration.cause;
  return nearDepthOf(pools) < hiddenShare * nearDepthOf(withDepthAlone(pools));
}

/**
 * Whether most of the pools' own near depth is behind high fees. C10 is then what the price may still fall between the
 * fee and the slippage of C10: a bid of 3 % of the near depth can double it.
 */
export function isMarketDear(pools: readonly PoolShare[]): boolean {
  const { dearFeePpm } = CALIBRATION.deterioration.cause;
  let excess = 0;
  for (const { feePpm, ownNearDepthLamports } of pools) {
    const near = toNumber(ownNearDepthLamports);
    excess += feePpm >= dearFeePpm ? near : -near;
  }
  return excess > 0;
}

/**
 * The pools, each with the near depth that it has without the others, in lamports rounded down, where the bids are not
 * above its ask. Of tokens that anyone can make, many pools may share one hop: these keep W.
 */
export function withDepthAlone(pools: readonly PoolShare[]): readonly PoolShare[] {
  const bid = meanBid(pools);
  return pools.map((pool) => {
    const { spotPrice, feePpm, nearDepthLamports, ownNearDepthLamports: own, hops } = pool;
    if (spotPrice === null || !isMoney(pool.quoteMint)) return pool;
    if (priceNumber(spotPrice) < bid * keptShare(feePpm)) return pool;
    const near = hops === undefined ? own : depthInRow(own, hops.nearDepthLamports);
    const alone = nearAfterFees(near, feePpm / 1e6);
    return alone <= nearDepthLamports ? pool : { ...pool, nearDepthLamports: alone };
  });
}

/**
 * Lamports per base unit that all near depth pays together, after the pools' own fees; 0 where there is none. A mean by
 * base units: dust far above the market does not move it.
 */
function meanBid(pools: readonly PoolShare[]): number {
  let lamports = 0;
  let units = 0;
  for (const { spotPrice, feePpm, nearDepthLamports } of pools) {
    if (spotPrice === null || nearDepthLamports === 0n) continue;
    const paid = toNumber(nearDepthLamports);
    lamports += paid;
    units += paid / (priceNumber(spotPrice) * keptShare(feePpm));
  }
  return units === 0 ? 0 : lamports / units;
}

function nearDepthOf(pools: readonly PoolShare[]): number {
  return pools.reduce((sum, { nearDepthLamports }) => sum + toNumber(nearDepthLamports), 0);
}

function keptShare(feePpm: number): number {
  return Math.max(0, 1 - feePpm / 1e6);
}
