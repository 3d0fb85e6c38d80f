import type { Assessment, PoolShare } from "#src/measure/assessment.ts";
import type { Address } from "#src/units/address.ts";
import { toNumber } from "#src/units/to-number.ts";

/**
 * Which samples may be compared (method.md section 6): a number that changes when what is measured
 * changed, and not what it is worth.
 */
export type SeriesBasis = {
  /** For alerts: changes when something that counted can't be seen any more, or the token graduated. */
  readonly alert: number;
  /** For the trend: changes also when a pool that counts came in, for it may only have been found late. */
  readonly trend: number;
};

/** A pool counts from this share of all D10 on. Dust that strangers add changes no basis. */
const COUNTS_FROM = 0.05;

export type BasisStep = {
  readonly before: Assessment;
  readonly after: Assessment;
  /** Whether the pool's account is known to be closed: then it lost its liquidity, not our sight. */
  readonly isClosed: (pool: Address) => boolean;
};

/** The basis of the later assessment. A block in between is a gap already and changes nothing. */
export function nextBasis(basis: SeriesBasis, step: BasisStep): SeriesBasis {
  const { before, after, isClosed } = step;
  if (before.measurement === null || after.measurement === null) return basis;
  const earlier = countingPools(before.measurement.pools);
  const later = new Set(after.measurement.pools.map(({ address }) => address));
  const hasLostSight = [...earlier].some((pool) => !later.has(pool) && !isClosed(pool));
  if (hasLostSight || hasGraduated(before, after)) {
    return { alert: basis.alert + 1, trend: basis.trend + 1 };
  }
  const known = new Set(before.measurement.pools.map(({ address }) => address));
  const hasNew = [...countingPools(after.measurement.pools)].some((pool) => !known.has(pool));
  return hasNew ? { ...basis, trend: basis.trend + 1 } : basis;
}

function hasGraduated(before: Assessment, after: Assessment): boolean {
  const wasOnCurve = before.phase === "on-curve" || before.phase === "migrating";
  return wasOnCurve && after.phase !== before.phase;
}

function countingPools(pools: readonly PoolShare[]): ReadonlySet<Address> {
  const depths = pools.map(({ nearDepthLamports }) => toNumber(nearDepthLamports));
  const all = depths.reduce((sum, depth) => sum + depth, 0);
  const counting = pools.filter((_, index) => (depths[index] ?? 0) >= COUNTS_FROM * all);
  return new Set(all === 0 ? [] : counting.map(({ address }) => address));
}
