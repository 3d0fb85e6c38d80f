import type { Address } from "#src/units/address.ts";
import { percentOf } from "#src/units/to-number.ts";
import type { QuotablePool } from "#src/venues/quotable-pool.ts";
import type { VenueId } from "#src/venues/venue.ts";
import type { BlockReason, Phase } from "../assessment.ts";
import { CALIBRATION } from "../calibration.ts";
import { type Market, neverMoves } from "../market/market.ts";
import { inLamports, isClosedForGood, type PricedMarket } from "../market/priced-market.ts";
import { depthTogether, isPaused, openSpot, type Route } from "../market/route.ts";

/** How much of the token's quote sits in pools that can't be priced. */
export type Coverage = {
  /** Percent of all quote that could be weighed; 0 where nothing holds anything. */
  readonly unpricedPct: number;
  /** Whether some pool's quote can't be weighed: its vault is unreadable, or nothing gives its price in SOL. */
  readonly hasUnweighed: boolean;
  readonly venues: readonly VenueId[];
  /** What pools pay in that has no modelled way to SOL. */
  readonly quoteMints: readonly Address[];
};

/** Less than this is what anyone can leave in a pool, or send to it. */
const DUST_LAMPORTS = 1_000_000n;

const ALL_PRICED: Coverage = { unpricedPct: 0, hasUnweighed: false, venues: [], quoteMints: [] };

export function coverageOf(priced: PricedMarket): Coverage {
  const { market, unrouted } = priced;
  if (unrouted.length === 0 && market.unpriced.length === 0) return ALL_PRICED;
  let weighedLamports = depthTogether(priced.routes);
  let unpricedLamports = 0n;
  for (const { pool } of priced.routes) {
    if (!isPaused(pool)) continue;
    weighedLamports += inLamports(priced, pool.quoteMint, pool.reachable(10_000)) ?? 0n;
  }
  const holding = unrouted.filter((pool) => pool.reachable(10_000) > 0n);
  let hasUnweighed = holding.length > 0;
  const venues = new Set<VenueId>(unrouted.map((pool) => pool.venue));
  const heldByMint = new Map<Address, bigint>();
  for (const { venue, quoteHeld, quoteMint } of market.unpriced) {
    venues.add(venue);
    if (quoteHeld === null || quoteMint === null) hasUnweighed = true;
    else heldByMint.set(quoteMint, (heldByMint.get(quoteMint) ?? 0n) + quoteHeld);
  }
  // By mint, because the hops behind it pay once for all pools together.
  for (const [quoteMint, quoteHeld] of heldByMint) {
    const held = inLamports(priced, quoteMint, quoteHeld);
    if (held === null) hasUnweighed = true;
    else unpricedLamports += held;
  }
  const all = weighedLamports + unpricedLamports;
  const unpricedPct = all === 0n ? 0 : percentOf(unpricedLamports, all);
  const quoteMints = [...new Set(holding.map((pool) => pool.quoteMint))];
  return { unpricedPct, hasUnweighed, venues: [...venues], quoteMints };
}

/** Seconds between now and the newest slot at which the state is known to hold; never below 0. */
export function ageSecondsOf(market: Market): number {
  return Math.max(0, (market.nowMs - market.stateTimeMs) / 1_000);
}

/**
 * Why the market can't be reconstructed reliably, or null where it can (method.md section 4).
 *
 * A pool whose holdings can't be weighed does not block a token that has a pool which is understood,
 * since third parties can create pools. Where nothing else is understood, though, "empty" would be a
 * guess: unknown is never zero.
 */
export function blockReasonOf(
  priced: PricedMarket,
  coverage: Coverage,
  phase: Phase,
): BlockReason | null {
  const { market } = priced;
  const { token } = market;
  if (token === null) return "mint-unreadable";
  if (neverMoves(token)) return "not-transferable";
  if (ageSecondsOf(market) > CALIBRATION.block.staleSeconds) return "stale";
  if (phase === "migrating") return "migrating";
  const live = liveRoutes(priced);
  if (coverage.unpricedPct > CALIBRATION.block.unpricedSharePct) return "unpriced-majority";
  if (coverage.hasUnweighed && live.length === 0) return "unpriced-majority";
  if (isHalted(priced)) return "all-paused";
  if (priced.midPrice !== null) return null;
  if (live.some(isPartlyLoaded) || hasUnread(market)) return "unpriced-majority";
  // What was found can't sell, and more may exist: that is not "no way out".
  return market.isSearchComplete && !mayLeadOn(live, market) ? null : "search-incomplete";
}

/**
 * Whether no pool that is left pays, as far as is known, and each holds what leads to a mint whose pools are not
 * all searched. A pool that pays a little, holds nothing, or leads to searched mints alone, is understood: another
 * one, which anyone can create, does not hide it.
 */
function mayLeadOn(live: readonly Route[], { unsearchedHops, hopPools }: Market): boolean {
  if (unsearchedHops === undefined || live.length === 0) return false;
  return live.every(
    (route) =>
      hasEmptyHops(route) &&
      openSpot(route.pool) !== null &&
      leadsTo(unsearchedHops, { from: route.pool.quoteMint, hopPools }),
  );
}

/** Whether the pools into SOL that were found behind the pool pay nothing, or next to nothing. */
function hasEmptyHops({ spotPrice, hops }: Route): boolean {
  const last = hops.at(-1);
  return spotPrice === null || (last !== undefined && last.reachable(10_000) < DUST_LAMPORTS);
}

/** Whether pools that hold something lead from a mint to one of these, over any number of hops. */
function leadsTo(
  wanted: ReadonlySet<Address>,
  { from, hopPools }: { readonly from: Address } & Pick<Market, "hopPools">,
): boolean {
  const reached = new Set([from]);
  for (const mint of reached) {
    if (wanted.has(mint)) return true;
    for (const pool of hopPools)
      if (pool.baseMint === mint && mayHold(pool)) reached.add(pool.quoteMint);
  }
  return false;
}

/** Whether a pool holds something to pay with, or may, in accounts that are not loaded. */
function mayHold(pool: QuotablePool): boolean {
  return openSpot(pool) !== null || pool.cautions.includes("partly-loaded");
}

/** Whether an open pool's route pays nothing as far as its accounts are loaded, and may pay with the others. */
export function isUnseen(route: Route): boolean {
  return route.pool.status === "open" && route.spotPrice === null && isPartlyLoaded(route);
}

/** Whether accounts of a pool or a hop are not loaded, in which it may have liquidity. */
function isPartlyLoaded({ pool, hops }: Route): boolean {
  return [pool, ...hops].some(({ cautions }) => cautions.includes("partly-loaded"));
}

/** The routes through pools that trade, or will trade again. */
export function liveRoutes({ routes }: PricedMarket): readonly Route[] {
  return routes.filter((route) => !isClosedForGood(route.pool.status));
}

/**
 * Whether all trading is known to be paused: by the mint, or on the way of every pool that is left. A hop that is
 * not open yet migrates: the token's own pool holds what it held (`awaitsHop`).
 */
export function isHalted(priced: PricedMarket): boolean {
  const live = liveRoutes(priced);
  if (live.length === 0) return false;
  const isMintPaused = priced.market.token?.pausable?.isPaused === true;
  if (isMintPaused) return true;
  const isOnPausedWay = ({ pool, hops }: Route): boolean =>
    isPaused(pool) || hops.some(({ status }) => status === "paused");
  return live.every(isOnPausedWay) && !hasUnread(priced.market);
}

/** Whether a pool is known and its accounts were not read. It stays so for longer than a moment only while the node fails. */
function hasUnread({ unpriced }: Market): boolean {
  return unpriced.some(({ reason }) => reason === "unread");
}
