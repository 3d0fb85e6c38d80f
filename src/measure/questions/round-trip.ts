import type { Address } from "#src/units/address.ts";
import { mulDivFloor } from "#src/units/integer.ts";
import type { QuotablePool } from "#src/venues/quotable-pool.ts";
import { type Profile, STANDARD_LAMPORTS } from "../assessment.ts";
import { type Market, poolKeyOf, withPools } from "../market/market.ts";
import { type PricedMarket, priceMarket } from "../market/priced-market.ts";
import type { Route } from "../market/route.ts";
import { openExits, paidForPosition } from "../sale/exits.ts";
import { type Lane, sampleLane } from "../sale/lane.ts";
import { bestSplit } from "../sale/split.ts";
import { steepestInRow } from "../sale/steepest.ts";
import { slippagePct } from "../slippage.ts";

/** Buying for a size, and selling at once what was bought. */
export type RoundTrip = {
  readonly boughtBaseUnits: bigint;
  /** What of the size is not worth at the mid: percent, rounded up to 4 decimals. */
  readonly buySlippagePct: number;
  /** What selling it again pays, on the pools as the purchase left them; null where they refuse. */
  readonly backLamports: bigint | null;
  /** What of the size is gone; null where it can't be sold again. */
  readonly lossPct: number | null;
};

/**
 * What buying for `sizeLamports` gives and pays back. `retail` buys by the best single route, `pro` by
 * a split over routes, of those that share their hop into SOL only the best one. Null where no pool
 * sells the token for that much.
 */
export function roundTrip(
  market: Market,
  sizeLamports: bigint,
  profile: Profile,
): RoundTrip | null {
  const priced = priceMarket(market);
  const { midPrice } = priced;
  const { token } = market;
  if (midPrice === null || token === null) return null;
  const bought = buyAt(priced, sizeLamports, profile);
  if (bought === null) return null;
  const { baseUnits, after } = bought;
  const sold = priceMarket(withPools(market, after));
  const back =
    sold.midPrice === null
      ? null
      : paidForPosition(
          openExits(sold, { midPrice: sold.midPrice, supply: token.supply }),
          baseUnits,
          profile,
        );
  const worth = mulDivFloor(baseUnits, midPrice.numerator, midPrice.denominator);
  return {
    boughtBaseUnits: baseUnits,
    buySlippagePct: slippagePct(worth, sizeLamports),
    backLamports: back,
    lossPct: back === null ? null : slippagePct(back, sizeLamports),
  };
}

type Purchase = {
  readonly baseUnits: bigint;
  /** By `poolKeyOf`: the pools as the purchase leaves them. */
  readonly after: ReadonlyMap<string, QuotablePool>;
};

function buyAt({ open }: PricedMarket, sizeLamports: bigint, profile: Profile): Purchase | null {
  const single = open
    .map((route) => ({ route, bought: buyThrough(route, sizeLamports) }))
    .reduce<{ route: Route; bought: Purchase } | null>(
      (best, { route, bought }) =>
        bought !== null && (best === null || bought.baseUnits > best.bought.baseUnits)
          ? { route, bought }
          : best,
      null,
    );
  const split = profile === "pro" ? buySplit(routesApart(open, sizeLamports), sizeLamports) : null;
  if (split === null) return single?.bought ?? null;
  return single !== null && single.bought.baseUnits > split.baseUnits ? single.bought : split;
}

/** The routes without a pool in common: of those that share a hop, the one that gives most for the size. */
function routesApart(open: readonly Route[], sizeLamports: bigint): readonly Route[] {
  const best = new Map<Address, { readonly route: Route; readonly baseUnits: bigint }>();
  for (const route of open) {
    const entry = (route.hops.at(-1) ?? route.pool).address;
    const baseUnits = buyThrough(route, sizeLamports)?.baseUnits ?? 0n;
    const other = best.get(entry);
    if (other === undefined || baseUnits > other.baseUnits) best.set(entry, { route, baseUnits });
  }
  const apart: Route[] = [];
  const used = new Set<Address>();
  for (const { route } of [...best.values()].toSorted((a, b) =>
    a.baseUnits < b.baseUnits ? 1 : -1,
  )) {
    const pools = [route.pool, ...route.hops].map(({ address }) => address);
    if (pools.some((address) => used.has(address))) continue;
    for (const address of pools) used.add(address);
    apart.push(route);
  }
  return apart;
}

function buySplit(routes: readonly Route[], sizeLamports: bigint): Purchase | null {
  if (routes.length < 2) return null;
  const split = bestSplit(
    routes.map((route) => sampleLane(buyLane(route), STANDARD_LAMPORTS)),
    sizeLamports,
  );
  if (split === null) return null;
  let baseUnits = 0n;
  const after = new Map<string, QuotablePool>();
  for (const [index, route] of routes.entries()) {
    const part = split.amountsIn[index] ?? 0n;
    if (part === 0n) continue;
    const bought = buyThrough(route, part);
    if (bought === null) return null;
    baseUnits += bought.baseUnits;
    for (const [key, pool] of bought.after) after.set(key, pool);
  }
  return { baseUnits, after };
}

function buyLane(route: Route): Lane {
  return {
    steepest: steepestInRow([...route.hops, route.pool].map(({ purchases }) => purchases)),
    quoteAscending: (amountsIn) =>
      amountsIn.map((amountIn) => buyThrough(route, amountIn)?.baseUnits ?? null),
  };
}

/** SOL goes through the hops from the last to the first, then into the token's own pool. */
function buyThrough({ pool, hops }: Route, lamports: bigint): Purchase | null {
  const after = new Map<string, QuotablePool>();
  let amount = lamports;
  for (const next of [...hops.toReversed(), pool]) {
    const purchase = next.buy(amount);
    if (purchase.kind === "unfillable") return null;
    after.set(poolKeyOf(next), purchase.after);
    amount = purchase.amountOut;
  }
  return { baseUnits: amount, after };
}
