import type { Ratio } from "#src/units/ratio.ts";
import { toNumber } from "#src/units/to-number.ts";
import type { Profile } from "../assessment.ts";
import { blockReasonOf, coverageOf } from "../confidence/quality.ts";
import { isSizeAllowed } from "../ladder.ts";
import type { Market } from "../market/market.ts";
import { phaseOf } from "../market/phase.ts";
import { type PricedMarket, priceMarket } from "../market/priced-market.ts";
import type { ExitRoute } from "../sale/exit-route.ts";
import { openExits, routesForPosition } from "../sale/exits.ts";
import { positionOf, sizeOfPosition, slippagePct } from "../slippage.ts";

/** Why a position can't be sold whole. */
export type UnsellableReason =
  /** The market could not be reconstructed: nothing is known, which is not a null slippage. */
  | "blocked"
  /** No pool would buy a first unit. */
  | "no-market"
  /** More than the mint's supply. */
  | "exceeds-supply"
  /** The size rule of the family "other". */
  | "size-not-allowed"
  /** Worth less than one base unit, or less than one lamport. */
  | "too-small"
  /** Reserves, ticks or bins run out. */
  | "insufficient-liquidity";

export type ExitAt =
  | {
      readonly kind: "sold";
      /** What was asked for; or what the base units are worth at the mid (`sizeOfPosition`). */
      readonly sizeLamports: bigint;
      readonly baseUnitsSold: bigint;
      /** What arrives, after pool fees and the token's transfer fee, before network fees. */
      readonly paidLamports: bigint;
      /** Percent, rounded up to 4 decimals, never below 0. */
      readonly slippagePct: number;
      /** What of the slippage is not the pools' fees: percent, to 4 decimals. For display. */
      readonly priceImpactPct: number;
      /** Lamports per base unit, fees included. */
      readonly averagePrice: Ratio;
      readonly routes: readonly ExitRoute[];
    }
  | { readonly kind: "unsellable"; readonly reason: UnsellableReason };

/** What to sell: a position worth this many lamports at the mid price, or an amount of base units. */
export type ExitSize = { readonly sizeLamports: bigint } | { readonly baseUnits: bigint };
export type ExitQuery = { readonly profile: Profile } & ExitSize;

/** The exit of this size. */
export function exitOn(market: Market, query: ExitQuery): ExitAt {
  return "baseUnits" in query
    ? exitOfBaseUnits(market, query.baseUnits, query.profile)
    : exitAt(market, query.sizeLamports, query.profile);
}

/** Sells the position worth `sizeLamports` at the mid: `floor(size / mid)` base units. */
export function exitAt(market: Market, sizeLamports: bigint, profile: Profile): ExitAt {
  return sellOn(market, profile, (midPrice) => ({
    sizeLamports,
    position: positionOf(sizeLamports, midPrice),
  }));
}

/** Sells so many base units of the token; its size is their worth at the mid. */
export function exitOfBaseUnits(market: Market, baseUnits: bigint, profile: Profile): ExitAt {
  return sellOn(market, profile, (midPrice) => ({
    sizeLamports: sizeOfPosition(baseUnits, midPrice),
    position: baseUnits,
  }));
}

type Order = { readonly sizeLamports: bigint; readonly position: bigint };

type OpenMarket =
  | {
      readonly kind: "open";
      readonly priced: PricedMarket;
      readonly midPrice: Ratio;
      readonly supply: bigint;
    }
  | { readonly kind: "unsellable"; readonly reason: UnsellableReason };

/** The market with its mid and its token's supply; or why nothing of the token can be sold. */
export function openMarket(market: Market): OpenMarket {
  const priced = priceMarket(market);
  const isBlocked = blockReasonOf(priced, coverageOf(priced), phaseOf(priced)) !== null;
  if (isBlocked || market.token === null) return { kind: "unsellable", reason: "blocked" };
  const { midPrice } = priced;
  if (midPrice === null) return { kind: "unsellable", reason: "no-market" };
  return { kind: "open", priced, midPrice, supply: market.token.supply };
}

function sellOn(market: Market, profile: Profile, orderAt: (midPrice: Ratio) => Order): ExitAt {
  const opened = openMarket(market);
  if (opened.kind === "unsellable") return opened;
  const { priced, midPrice, supply } = opened;
  const { sizeLamports, position } = orderAt(midPrice);
  if (!isSizeAllowed(priced.family, sizeLamports)) {
    return { kind: "unsellable", reason: "size-not-allowed" };
  }
  if (position <= 0n || sizeLamports <= 0n) return { kind: "unsellable", reason: "too-small" };
  if (position > supply) return { kind: "unsellable", reason: "exceeds-supply" };
  const exits = openExits(priced, { midPrice, supply });
  const routes = routesForPosition(exits, position, profile);
  if (routes === null) return { kind: "unsellable", reason: "insufficient-liquidity" };
  const paidLamports = routes.reduce((sum, route) => sum + route.paidLamports, 0n);
  return {
    kind: "sold",
    sizeLamports,
    baseUnitsSold: position,
    paidLamports,
    slippagePct: slippagePct(paidLamports, sizeLamports),
    priceImpactPct: priceImpactPct(routes, sizeLamports),
    averagePrice: { numerator: paidLamports, denominator: position },
    routes,
  };
}

/** The loss against the mid with every leg's fee added back, at the rate that a small sale pays. */
function priceImpactPct(routes: readonly ExitRoute[], sizeLamports: bigint): number {
  const beforeFees = routes.reduce((sum, { paidLamports, legs }) => {
    const kept = legs.reduce((share, leg) => share * (1 - Math.min(leg.feePpm, 999_999) / 1e6), 1);
    return sum + toNumber(paidLamports) / kept;
  }, 0);
  const pct = 100 * (1 - beforeFees / toNumber(sizeLamports));
  return Math.max(0, Math.round(pct * 1e4) / 1e4);
}
