import type { Address } from "#src/units/address.ts";
import { ratioToNumber, toNumber } from "#src/units/to-number.ts";
import type { Assessment, HopsShare, PoolShare } from "../assessment.ts";
import { CALIBRATION } from "../calibration.ts";
import { priceNumber } from "../market/price-curve.ts";
import { isClosedForGood } from "../market/priced-market.ts";
import { depthInRow } from "../market/route.ts";
import { isBehindClosedHop, logCapacity, pricedPart } from "./capacity-series.ts";
import { isDepthHidden, isMarketDear, withDepthAlone } from "./hidden-depth.ts";

/**
 * What changed the exit capacity, as natural logarithms: above 0 a part of a fall, below 0 a part of
 * a rise (liquidity put in, purchases).
 */
export type Losses = {
  /** Liquidity taken out by its providers; below 0: put in. */
  readonly withdrawn: number;
  /** Sales; below 0: purchases. */
  readonly sold: number;
  readonly fees: number;
  readonly paused: number;
  /**
   * What pools that appeared added, above 0. No cause: they may only have been found late. Absent: nothing.
   * Never summed up.
   */
  readonly appeared?: number;
};

export const CAUSES = ["withdrawn", "sold", "fees", "paused"] as const;
export type Cause = (typeof CAUSES)[number];

/** The share of a loss that each cause explains, 0 to 1. They add up to 1, or to 0 where no cause is known. */
export type CauseShares = Readonly<Record<Cause, number>>;

export const NO_LOSSES: Losses = { withdrawn: 0, sold: 0, fees: 0, paused: 0 };

/** What is known of a pool's accounts at the later of two times. */
export type Sight = {
  /** Its account is closed: its liquidity is gone, not merely invisible. */
  readonly isClosed: (pool: Address) => boolean;
  /** It is followed as a hop, and could be read: another hop is in its place because that one pays more. */
  readonly isRead: (pool: Address) => boolean;
};

/** A smaller share that is left counts as this one. */
const LEAST_LEFT = 1e-6;

const ALL_IN_SIGHT: Sight = { isClosed: () => true, isRead: () => true };

export function addLosses(sum: Losses, added: Losses | null): Losses {
  if (added === null) return sum;
  return {
    withdrawn: sum.withdrawn + added.withdrawn,
    sold: sum.sold + added.sold,
    fees: sum.fees + added.fees,
    paused: sum.paused + added.paused,
  };
}

/** What was lost between two running totals. */
export function lossesSince(earlier: Losses, later: Losses): Losses {
  return addLosses(later, scaled(earlier, -1));
}

/** All causes together: what of a change is explained. */
export function explainedBy({ withdrawn, sold, fees, paused }: Losses): number {
  return withdrawn + sold + fees + paused;
}

export function causeShares(losses: Losses): CauseShares {
  const { withdrawn, sold, fees, paused } = positive(losses);
  const all = withdrawn + sold + fees + paused;
  if (all <= 0) return NO_LOSSES;
  return { withdrawn: withdrawn / all, sold: sold / all, fees: fees / all, paused: paused / all };
}

/** The cause of most of the fall with its share, 0 to 1; null where none is known. */
export function causeOf(losses: Losses): { readonly kind: Cause; readonly share: number } | null {
  const shares = causeShares(losses);
  let main: Cause = "withdrawn";
  for (const cause of CAUSES) if (shares[cause] > shares[main]) main = cause;
  return shares[main] === 0 ? null : { kind: main, share: shares[main] };
}

/**
 * Why C10 changed between two assessments of one token: read off each pool's fee, price, own near depth
 * and status. Null where one of them is a gap. What no pool explains is left out: a mid that rose, a
 * pool found late or lost from sight change C10, but take nothing away.
 *
 * A sale moves the price, and takes near depth down with the price's square root where the product is
 * constant. A withdrawal takes near depth and leaves the price. Where liquidity is concentrated and the
 * price has moved, what is missing is taken for sold: its near depth may have ended there.
 *
 * Where bids hide the near depth, C10 does not show what is lost: then the pools' near depth without the others counts.
 * On a dear market a small bid moves C10 far: what the pools lose and gain without the others then counts at least once.
 *
 * @param sight what is known of pools that are missing later, or are not a hop any more
 */
export function lossesBetween(
  before: Assessment,
  after: Assessment,
  sight: Sight = ALL_IN_SIGHT,
): Losses | null {
  const earlier = pricedPart(before);
  const later = pricedPart(after);
  if (earlier === null || later === null) return null;
  const fall = logCapacity(earlier.c10Sol) - logCapacity(later.c10Sol);
  if (earlier === later) return NO_LOSSES;
  const isHiddenBefore = isDepthHidden(earlier.pools);
  const isHiddenAfter = isDepthHidden(later.pools);
  const isHidden = isHiddenBefore || isHiddenAfter;
  if (fall === 0 && !isHidden) return NO_LOSSES;
  if (fall > 0 && after.blocked === "all-paused") return { ...NO_LOSSES, paused: fall };
  const alone = (): DepthChanges =>
    changesBetween(withDepthAlone(earlier.pools), withDepthAlone(later.pools), {
      sight,
      isFall: true,
    });
  const shown = (): Losses => {
    if (isMarketDear(earlier.pools)) return shownLosses(alone(), { fall, isDear: true });
    const changes = changesBetween(earlier.pools, later.pools, { sight, isFall: fall > 0 });
    return shownLosses(changes, { fall, isDear: false });
  };
  if (!isHidden) return shown();
  const hidden = hiddenLosses(alone(), { isStillHidden: isHiddenBefore && isHiddenAfter });
  if (isHiddenBefore) return hidden;
  // The loss itself may have left the bid alone: then C10 shows what it was.
  const c10 = shown();
  return explainedBy(c10) > explainedBy(hidden) ? c10 : hidden;
}

/** What changed of the near depth of pools, in lamports. */
type DepthChanges = {
  /** Of all pools before. */
  readonly whole: number;
  readonly lost: Losses;
  readonly gained: Losses;
  /** In pools that were not there before. */
  readonly appeared: number;
};

/** @param context.isFall whether pools that were closed meanwhile count */
function changesBetween(
  before: readonly PoolShare[],
  after: readonly PoolShare[],
  { sight, isFall }: { readonly sight: Sight; readonly isFall: boolean },
): DepthChanges {
  const seen = new Map(after.map((pool) => [pool.address, pool]));
  let whole = 0;
  let lost = NO_LOSSES;
  let gained = NO_LOSSES;
  for (const pool of before) {
    const now = seen.get(pool.address);
    seen.delete(pool.address);
    whole += toNumber(pool.nearDepthLamports);
    if (now !== undefined) {
      const falls = fallsBetween(pool, now, sight);
      lost = addLosses(lost, lossesOf(pool, now, falls));
      gained = addLosses(gained, gainsOf(pool, now, falls));
    } else if (isFall && sight.isClosed(pool.address)) lost = addLosses(lost, closedPool(pool));
  }
  let appeared = 0;
  for (const pool of seen.values()) appeared += toNumber(pool.nearDepthLamports);
  return { whole, lost, gained, appeared };
}

/** How C10 fell, and whether it did on a dear market. */
type ShownBy = { readonly fall: number; readonly isDear: boolean };

/**
 * The changes as far as they explain the fall of C10, or what hid one. On a dear market they count once where C10 does
 * not show them.
 */
function shownLosses(changes: DepthChanges, { fall, isDear }: ShownBy): Losses {
  const { whole, lost, gained, appeared } = changes;
  if (whole === 0) return NO_LOSSES;
  const { explainedFactor } = CALIBRATION.deterioration.cause;
  const lostLog = -Math.log1p(-Math.min(explainedBy(lost) / whole, 1));
  const gainedLog = Math.log1p(-explainedBy(gained) / whole);
  const mostGained = explainedFactor * gainedLog;
  const mostAppeared = explainedFactor * Math.log1p(appeared / whole);
  // What came at the same time can hide a loss: it counts as far as that may have made up for it. A rise beyond that
  // makes it no smaller.
  const hidden = isDear
    ? lostLog
    : Math.min(lostLog, Math.max(0, fall) + mostGained + mostAppeared);
  const taken = Math.max(0, Math.min(explainedFactor * lostLog, Math.max(fall, hidden)));
  const rise = Math.max(0, taken - fall, isDear ? gainedLog : 0);
  const added = Math.min(rise, mostGained);
  const counted = addLosses(summingTo(lost, taken), summingTo(gained, -added));
  if (appeared === 0) return counted;
  return { ...counted, appeared: Math.min(rise - added, mostAppeared) };
}

/**
 * Changes of near depth as natural logarithms of all near depth. Exactly what is put in and taken out again cancels, in
 * steps or at once, so that it can't add up; an addition that is only found late is one.
 */
function hiddenLosses(
  { whole, lost, gained, appeared }: DepthChanges,
  { isStillHidden }: { readonly isStillHidden: boolean },
): Losses {
  if (whole === 0) return NO_LOSSES;
  // Of a fee that changes to and fro only the rises would count.
  const counted = isStillHidden ? { ...lost, fees: 0 } : lost;
  const changes = addLosses(counted, { ...gained, withdrawn: gained.withdrawn - appeared });
  const share = explainedBy(changes) / whole;
  const log = -Math.log1p(-Math.min(share, 1 - LEAST_LEFT));
  return scaled(changes, (share === 0 ? 1 : log / share) / whole);
}

/** Changes of near depth as natural logarithms of C10: scaled so that together they are `sum`. */
function summingTo(changes: Losses, sum: number): Losses {
  const all = explainedBy(changes);
  return all === 0 ? NO_LOSSES : scaled(changes, sum / all);
}

/**
 * What one pool lost, as a part of the near depth W that it had: lamports. Liquidity far from the market
 * has no weight, so that junk bids hide no loss. What its hops lost, the pool lost.
 */
function lossesOf(before: PoolShare, after: PoolShare, falls: Falls): Losses {
  const weight = toNumber(before.nearDepthLamports);
  if (weight === 0 || before.spotPrice === null) return NO_LOSSES;
  if (isPaused(after)) return { ...NO_LOSSES, paused: weight };
  if (isClosedForGood(after.status) || isBehindClosedHop(after)) return NO_LOSSES;
  if (after.spotPrice === null) return { ...NO_LOSSES, withdrawn: weight };
  const { nearFall, priceFall, hopFall, hopNearFall } = falls;
  const isProduct = isConstantProduct(before);
  const withdrawn = isProduct || isQuiet(priceFall) ? Math.max(0, nearFall - priceFall / 2) : 0;
  const sold = Math.max(0, isProduct ? priceFall / 2 : nearFall - withdrawn);
  const logs = {
    withdrawn: withdrawn + (isQuiet(hopFall) ? hopNearFall : 0),
    sold: sold + Math.max(0, hopFall) + (isQuiet(hopFall) ? 0 : hopNearFall),
    fees: Math.max(0, feeLossBetween(before, after)),
    paused: 0,
  };
  const all = explainedBy(logs);
  return all === 0 ? NO_LOSSES : scaled(logs, (weight * -Math.expm1(-all)) / all);
}

function closedPool({ nearDepthLamports, spotPrice }: PoolShare): Losses {
  return spotPrice === null ? NO_LOSSES : { ...NO_LOSSES, withdrawn: toNumber(nearDepthLamports) };
}

/** What was put into one pool, and what purchases added to it: lamports, below 0. */
function gainsOf(before: PoolShare, after: PoolShare, falls: Falls): Losses {
  const weight = toNumber(before.nearDepthLamports);
  if (after.spotPrice === null) return NO_LOSSES;
  // Trading again is not an addition: a pool that is switched off and on would hide withdrawals.
  if (isPaused(before)) return { ...NO_LOSSES, paused: -toNumber(after.nearDepthLamports) };
  if (isBehindClosedHop(before)) return NO_LOSSES;
  if (before.spotPrice === null || weight === 0 || before.ownNearDepthLamports === 0n) {
    return { ...NO_LOSSES, withdrawn: -toNumber(after.nearDepthLamports) };
  }
  const { priceFall, hopFall, wayFall } = falls;
  const gain = weight * Math.expm1(-wayFall);
  if (gain <= 0) return NO_LOSSES;
  const isProduct = isConstantProduct(before);
  const isMoved = !isProduct && !isQuiet(priceFall);
  if (isMoved || !isQuiet(hopFall)) return { ...NO_LOSSES, sold: -gain };
  const moved = (isProduct ? priceFall / 2 : 0) + hopFall;
  const bought = Math.min(gain, Math.max(0, weight * Math.expm1(-moved)));
  return { ...NO_LOSSES, withdrawn: bought - gain, sold: -bought };
}

/** Falls between two shares of one pool, as natural logarithms; below 0: rises. */
type Falls = {
  /** Of the pool's own near depth and price, in units of its quote mint. */
  readonly nearFall: number;
  readonly priceFall: number;
  /** Of the quote mint's price in SOL. */
  readonly hopFall: number;
  /** Of the near depth of the pool and its hops together, in SOL; where other hops are only seen now, of the pool's own. */
  readonly wayFall: number;
  /** What that fell beyond the pool's own; never below 0. */
  readonly hopNearFall: number;
};

function fallsBetween(before: PoolShare, after: PoolShare, sight: Sight): Falls {
  const own = logRatio(before.ownNearDepthLamports, after.ownNearDepthLamports);
  const price = fallOf(before, after);
  const { hops } = before;
  if (hops === undefined || after.hops === undefined)
    return { nearFall: own, priceFall: price, hopFall: 0, wayFall: own, hopNearFall: 0 };
  const hopFall = fallOf(hops, after.hops);
  if (!isComparable(hops, after.hops, sight)) {
    const nearFall = own - hopFall;
    return { nearFall, priceFall: price - hopFall, hopFall: 0, wayFall: nearFall, hopNearFall: 0 };
  }
  const wayFall = logRatio(
    depthInRow(before.ownNearDepthLamports, hops.nearDepthLamports),
    depthInRow(after.ownNearDepthLamports, after.hops.nearDepthLamports),
  );
  return {
    ...{ nearFall: own - hopFall, priceFall: price - hopFall, hopFall, wayFall },
    hopNearFall: Math.max(0, wayFall - own),
  };
}

/** Whether other hops are a loss of the earlier ones, and not these lost from sight or a curve that graduated. */
function isComparable(before: HopsShare, after: HopsShare, { isClosed, isRead }: Sight): boolean {
  const gone = before.pools.filter((pool) => !after.pools.includes(pool));
  return gone.length === 0 || (!before.hasCurve && gone.every((it) => isRead(it) || isClosed(it)));
}

/** The fall from one near depth to another; one of more than a million counts as a million. */
function logRatio(before: bigint, after: bigint): number {
  const from = toNumber(before);
  return from === 0 ? 0 : Math.log(from / Math.max(toNumber(after), LEAST_LEFT * from));
}

function isPaused({ status, hopStatus }: PoolShare): boolean {
  return status === "paused" || hopStatus === "paused";
}

type Priced = Pick<PoolShare, "spotPrice">;

function fallOf({ spotPrice: before }: Priced, { spotPrice: after }: Priced): number {
  if (before === null || after === null) return 0;
  return Math.log(priceNumber(before)) - Math.log(priceNumber(after));
}

function isQuiet(priceFall: number): boolean {
  return Math.abs(priceFall) < CALIBRATION.deterioration.cause.quietPrice;
}

/** Whether near depth is the share of the depth that it is at constant product: 1 - sqrt(0.9). */
function isConstantProduct({ ownNearDepthLamports, depthLamports }: PoolShare): boolean {
  const { ownNearFallBps } = CALIBRATION.mid;
  const expected = 1 - Math.sqrt(1 - ownNearFallBps / 10_000);
  const share = ratioToNumber(ownNearDepthLamports, depthLamports);
  return Math.abs(share / expected - 1) < CALIBRATION.deterioration.cause.constantProductTolerance;
}

/** Under the same terms, what transfer fees with a maximum take more of a smaller sale is not a raised fee. */
function feeLossBetween(before: PoolShare, after: PoolShare): number {
  if (before.cappedFee?.terms !== after.cappedFee?.terms)
    return feeLoss(before.feePpm, after.feePpm);
  return feeLoss(feePpmWithoutCapped(before), feePpmWithoutCapped(after));
}

function feePpmWithoutCapped({ feePpm, cappedFee }: PoolShare): number {
  if (cappedFee === undefined) return feePpm;
  const left = 1e6 - cappedFee.ppm;
  return left <= 0 ? 0 : 1e6 * (1 - (1e6 - feePpm) / left);
}

/** How much less a constant-product pool's C10 is under the later fee, as a natural logarithm. */
function feeLoss(beforePpm: number, afterPpm: number): number {
  const kept = 1 - toNumber(CALIBRATION.capacity.slippageBps) / 10_000;
  const room = (feePpm: number) => Math.max(1e-3, (1 - feePpm / 1e6) / kept - 1);
  return Math.log(room(beforePpm) / room(afterPpm));
}

function positive({ withdrawn, sold, fees, paused }: Losses): Losses {
  return {
    withdrawn: Math.max(0, withdrawn),
    sold: Math.max(0, sold),
    fees: Math.max(0, fees),
    paused: Math.max(0, paused),
  };
}

function scaled({ withdrawn, sold, fees, paused }: Losses, factor: number): Losses {
  return {
    withdrawn: withdrawn * factor,
    sold: sold * factor,
    fees: fees * factor,
    paused: paused * factor,
  };
}
