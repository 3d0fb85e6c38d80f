import type { QuotablePool } from "#src/venues/quotable-pool.ts";
import { assess } from "../assess.ts";
import type { Assessment, Ladder, Profile } from "../assessment.ts";
import { CALIBRATION } from "../calibration.ts";
import { ladderOf } from "../ladder.ts";
import { type Market, poolKeyOf, withPools } from "../market/market.ts";
import { priceMarket } from "../market/priced-market.ts";
import type { ExitRoute } from "../sale/exit-route.ts";
import { type Exits, openExits, paidForPosition, routesForPosition } from "../sale/exits.ts";
import { standardPositions } from "../slippage.ts";
import type { TokenHolders } from "./token-holders.ts";

/** After how many holders the ladder is measured. */
const HOLDER_STEPS = [1, 3, 5, 10, 20] as const;

/** What a sale that the pools can't take whole is tried at, in halves of what is left. */
const PART_STEPS = 20;

/** The six sizes after the largest holders have sold. */
export type HoldersStep = {
  /** One of `HOLDER_STEPS`. */
  readonly holders: number;
  /** How many are listed and sold: fewer where the list has fewer sellers. */
  readonly soldBy: number;
  readonly soldBaseUnits: bigint;
  /** What the pools did not take. */
  readonly unsoldBaseUnits: bigint;
  readonly paidLamports: bigint;
  /** The positions are those worth the sizes now, and lose against that. */
  readonly ladder: Readonly<Record<Profile, Ladder>>;
};

export type HoldersFirst = {
  readonly now: Assessment;
  readonly holders: TokenHolders;
  /** Null where the market is blocked or its holders are unknown. */
  readonly steps: readonly HoldersStep[] | null;
};

/**
 * The exits of a market after its largest holders have sold, one after the other, each by the split
 * that pays the most on the pools as the one before left them. Positions keep their number of tokens.
 * Of a position that the pools refuse whole, as much is sold as they take; after that no one sells. Pure.
 */
export function holdersFirst(market: Market, holders: TokenHolders): HoldersFirst {
  const parts = holdersFirstInParts(market, { holders, now: assess(market) });
  for (;;) {
    const { done, value } = parts.next();
    if (done === true) return value;
  }
}

/** As `holdersFirst`, in parts: on many pools the dozens of splits take seconds. `now` is the assessment of the market. */
export function* holdersFirstInParts(
  market: Market,
  { holders, now }: { readonly holders: TokenHolders; readonly now: Assessment },
): Generator<void, HoldersFirst> {
  const midPrice = now.measurement?.midPrice ?? null;
  if (holders.kind === "unknown" || midPrice === null) return { now, holders, steps: null };
  const positions = standardPositions(midPrice);
  const steps: HoldersStep[] = [];
  let [left, soldBy] = [market, 0];
  let [sold, unsold, paid] = [0n, 0n, 0n];
  let isExhausted = false;
  for (const step of HOLDER_STEPS) {
    for (const { baseUnits } of holders.sellers.slice(soldBy, step)) {
      const sale: HolderSale = isExhausted ? soldNothing(left) : yield* sellMost(left, baseUnits);
      isExhausted ||= sale.soldBaseUnits < baseUnits;
      left = sale.after;
      sold += sale.soldBaseUnits;
      unsold += baseUnits - sale.soldBaseUnits;
      paid += sale.paidLamports;
      soldBy++;
    }
    const ladder = yield* laddersOf(left, positions, now);
    const amounts = { soldBaseUnits: sold, unsoldBaseUnits: unsold, paidLamports: paid };
    steps.push({ holders: step, soldBy, ...amounts, ladder });
  }
  return { now, holders, steps };
}

function* laddersOf(
  market: Market,
  positions: readonly bigint[],
  { family }: Assessment,
): Generator<void, HoldersStep["ladder"]> {
  const exits = exitsOf(market);
  yield;
  const paid: Record<Profile, (bigint | null)[]> = { retail: [], pro: [] };
  for (const profile of ["retail", "pro"] as const) {
    for (const position of positions) {
      if (exits === null) break;
      paid[profile].push(paidForPosition(exits, position, profile));
      yield;
    }
  }
  return {
    retail: ladderOf(paid.retail, "retail", family),
    pro: ladderOf(paid.pro, "pro", family),
  };
}

/** Null where no pool is left that has a price. */
function exitsOf(market: Market): Exits | null {
  const priced = priceMarket(market);
  const { midPrice } = priced;
  if (midPrice === null || market.token === null) return null;
  const { mostEffortOfMany: mostEffort } = CALIBRATION.split;
  return openExits(priced, { midPrice, supply: market.token.supply, mostEffort });
}

export type HolderSale = {
  readonly soldBaseUnits: bigint;
  readonly paidLamports: bigint;
  readonly after: Market;
};

/** Sells as much of the amount as the pools take. */
function* sellMost(market: Market, baseUnits: bigint): Generator<void, HolderSale> {
  const whole = sellWhole(market, baseUnits);
  yield;
  if (whole !== null) return whole;
  let best = soldNothing(market);
  let refused = baseUnits;
  for (let step = 0; step < PART_STEPS; step++) {
    const part = (best.soldBaseUnits + refused) / 2n;
    const sale = part === 0n ? null : sellWhole(market, part);
    yield;
    if (sale === null) refused = part;
    else best = sale;
  }
  return best;
}

function soldNothing(market: Market): HolderSale {
  return { soldBaseUnits: 0n, paidLamports: 0n, after: market };
}

/** Null where the pools refuse the amount. */
function sellWhole(market: Market, baseUnits: bigint): HolderSale | null {
  const exits = exitsOf(market);
  const routes = exits === null ? null : routesForPosition(exits, baseUnits, "pro");
  return routes === null ? null : execute(market, routes, baseUnits);
}

/** Each swap on the pools as those before it left them. */
function execute(
  market: Market,
  routes: readonly ExitRoute[],
  soldBaseUnits: bigint,
): HolderSale | null {
  const pools = new Map<string, QuotablePool>(
    [...market.hopPools, ...market.pools].map((pool) => [poolKeyOf(pool), pool]),
  );
  let paidLamports = 0n;
  for (const { amountIn, legs } of routes) {
    let amount = amountIn;
    for (const leg of legs) {
      const key = poolKeyOf({ address: leg.pool, baseMint: leg.inputMint });
      const sale = pools.get(key)?.sell(amount);
      if (sale?.kind !== "filled") return null;
      pools.set(key, sale.after);
      amount = sale.amountOut;
    }
    paidLamports += amount;
  }
  return { soldBaseUnits, paidLamports, after: withPools(market, pools) };
}
