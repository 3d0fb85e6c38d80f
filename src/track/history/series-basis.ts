import type { Assessment, PoolShare } from "#src/measure/assessment.ts";
import { pricedPart } from "#src/measure/series/capacity-series.ts";
import type { Address } from "#src/units/address.ts";
import { toNumber } from "#src/units/to-number.ts";

/**
 * Which samples may be compared (method.md section 6): a number that changes when the measured pools
 * change, not when their value does.
 */
export type SeriesBasis = {
  /** For alerts: changes when the token graduated. What they compare over other changes is named by cause. */
  readonly alert: number;
  /** For the trend: changes also when a pool that counts came in, or can't be seen any more. */
  readonly trend: number;
};

/**
 * A pool counts from this share of all near depth on: twice what an attacker may have (method.md
 * section 7), since its share grows while others withdraw. A smaller one found late makes no trend:
 * one step is never significant.
 */
const COUNTS_FROM = 0.1;

export type BasisStep = {
  readonly before: Assessment;
  readonly after: Assessment;
  /** Whether the pool's account is known to be closed: then its liquidity is gone, not merely invisible. */
  readonly isClosed: (pool: Address) => boolean;
};

/** The basis of the later assessment. A blocked assessment is a gap already and changes nothing. */
export function nextBasis(basis: SeriesBasis, step: BasisStep): SeriesBasis {
  const { before, after, isClosed } = step;
  const poolsBefore = pricedPart(before)?.pools;
  const poolsAfter = pricedPart(after)?.pools;
  if (poolsBefore === undefined || poolsAfter === undefined) return basis;
  if (hasGraduated(before, after)) return { alert: basis.alert + 1, trend: basis.trend + 1 };
  if (areSamePools(poolsBefore, poolsAfter)) return basis;
  const later = new Set(poolsAfter.map(({ address }) => address));
  const hasLostSight = [...countingPools(poolsBefore)].some(
    (pool) => !later.has(pool) && !isClosed(pool),
  );
  const known = new Set(poolsBefore.map(({ address }) => address));
  const hasNew = [...countingPools(poolsAfter)].some((pool) => !known.has(pool));
  return hasLostSight || hasNew ? { ...basis, trend: basis.trend + 1 } : basis;
}

function hasGraduated(before: Assessment, after: Assessment): boolean {
  const wasOnCurve = before.phase === "on-curve" || before.phase === "migrating";
  return wasOnCurve && after.phase !== before.phase;
}

function areSamePools(before: readonly PoolShare[], after: readonly PoolShare[]): boolean {
  if (before === after) return true;
  if (before.length !== after.length) return false;
  return before.every(({ address }, index) => address === after[index]?.address);
}

function countingPools(pools: readonly PoolShare[]): ReadonlySet<Address> {
  const depths = pools.map(({ nearDepthLamports }) => toNumber(nearDepthLamports));
  const all = depths.reduce((sum, depth) => sum + depth, 0);
  const counting = pools.filter((_, index) => (depths[index] ?? 0) >= COUNTS_FROM * all);
  return new Set(all === 0 ? [] : counting.map(({ address }) => address));
}
