import { maxBigint, minBigint } from "#src/units/integer.ts";
import { toNumber } from "#src/units/to-number.ts";
import type { Profile } from "../assessment.ts";
import { CALIBRATION } from "../calibration.ts";
import type { Market } from "../market/market.ts";
import type { PricedMarket } from "../market/priced-market.ts";
import { type Exits, openExits, paidForPosition } from "../sale/exits.ts";
import { positionOf, sizeOfPosition } from "../slippage.ts";
import { type ExitAt, exitAt, openMarket, type UnsellableReason } from "./exit-at.ts";

/** What stops a larger sale within the cost. */
export type SizeLimit =
  /** A larger one costs more. */
  | "cost"
  /** The pools run out. */
  | "liquidity"
  /** There is no more of the token. */
  | "supply"
  /** The largest size that is answered. */
  | "size";

/** An exit, or why a question without a size of its own in SOL has none. */
export type AskedExit =
  | ExitAt
  | {
      readonly kind: "unsellable";
      readonly reason: /** No size that is answered costs as little as the caller allows. */
        | "above-max-cost"
        /** No pool gives the price of SOL in USD, which the size needs. */
        | "no-usd-price";
    };

export type ExitWithin = {
  readonly exit: AskedExit;
  /** Null where no size is within the cost. */
  readonly limitedBy: SizeLimit | null;
};

const PPM = 1_000_000n;

/**
 * The largest sale that loses at most `maxCostPpm` of its worth at the mid. A higher limit never gives
 * a smaller one: every limit is judged at the same sizes, and each is priced as a request for that size.
 */
export function exitWithin(market: Market, maxCostPpm: bigint, profile: Profile): ExitWithin {
  const opened = openMarket(market);
  if (opened.kind === "unsellable") return { exit: opened, limitedBy: null };
  const { priced, midPrice, supply } = opened;
  const { mostEffortOfMany: mostEffort } = CALIBRATION.split;
  const exits = openExits(priced, { midPrice, supply, mostEffort });
  const paidFor = (position: bigint): bigint | null => paidForPosition(exits, position, profile);
  const range = rangeOf(priced, exits);
  if (range === null) return unsellable("too-small");
  const found = largestPassing(range, (position) => {
    const sale = saleNear(exits, position);
    const paid = paidFor(sale.position);
    return paid !== null && isWithin(sale.sizeLamports, paid, maxCostPpm);
  });
  if (found.passing === null) {
    const isRefused = paidFor(range.smallest) === null;
    return unsellable(isRefused ? "insufficient-liquidity" : "above-max-cost");
  }
  const { passing, failing } = found;
  return {
    exit: exitAt(market, saleNear(exits, passing).sizeLamports, profile),
    limitedBy:
      failing === null
        ? passing === exits.supply
          ? "supply"
          : "size"
        : paidFor(saleNear(exits, failing).position) === null
          ? "liquidity"
          : "cost",
  };
}

export type PositionRange = { readonly smallest: bigint; readonly largest: bigint };

/**
 * The largest position that passes, to within the calibrated precision, and the next that fails. The
 * range is tried from its end in coarse steps; the last step is divided evenly and halved. Rounding may
 * let a position fail just below one that passes, so the next few are tried as well. The positions tried
 * depend on the range alone, so a test that passes wherever another one does finds no smaller position.
 */
function largestPassing(
  range: PositionRange,
  passes: (position: bigint) => boolean,
): { readonly passing: bigint | null; readonly failing: bigint | null } {
  const { precision, positionsAhead } = CALIBRATION.maxCost;
  const coarse = largestCoarse(range, passes);
  if (coarse.passing === null || coarse.failing === null) return coarse;
  const [low, high] = [coarse.passing, coarse.failing];
  const step = maxBigint(1n, low / precision);
  const count = (high - low + step - 1n) / step;
  const positionAt = (index: bigint): bigint => (index === count ? high : low + index * step);
  let passing = 0n;
  let failing = count;
  while (failing - passing > 1n) {
    const middle = (passing + failing) / 2n;
    if (passes(positionAt(middle))) passing = middle;
    else failing = middle;
  }
  for (let ahead = failing + 1n; ahead < count && ahead - passing <= positionsAhead; ahead++) {
    if (passes(positionAt(ahead))) passing = ahead;
  }
  return { passing: positionAt(passing), failing: positionAt(passing + 1n) };
}

function largestCoarse(
  { smallest, largest }: PositionRange,
  passes: (position: bigint) => boolean,
): { readonly passing: bigint | null; readonly failing: bigint | null } {
  const { coarseSteps } = CALIBRATION.maxCost;
  const ratio = toNumber(largest) / toNumber(smallest);
  let failing: bigint | null = null;
  for (let step = coarseSteps; step >= 0; step--) {
    const inside = BigInt(Math.floor(toNumber(smallest) * ratio ** (step / coarseSteps)));
    const position =
      step === coarseSteps ? largest : step === 0 ? smallest : maxBigint(smallest, inside);
    if (position === failing) continue;
    if (passes(position)) return { passing: position, failing };
    failing = position;
  }
  return { passing: null, failing };
}

/** Null where one base unit is worth more than the largest size. */
function rangeOf({ family }: PricedMarket, exits: Exits): PositionRange | null {
  const { smallestLamports, largestLamports } = CALIBRATION.maxCost;
  const most =
    family === "other"
      ? minBigint(largestLamports, CALIBRATION.otherFamilyLargestLamports)
      : largestLamports;
  const largest = minBigint(exits.supply, positionOf(most, exits.midPrice));
  if (largest <= 0n) return null;
  const smallest = maxBigint(1n, positionOf(smallestLamports, exits.midPrice));
  return { smallest: minBigint(smallest, largest), largest };
}

/** A size in whole lamports and what a request for it sells: at most the position, and less by under a lamport. */
function saleNear(
  { midPrice }: Exits,
  position: bigint,
): { readonly sizeLamports: bigint; readonly position: bigint } {
  const sizeLamports = sizeOfPosition(position, midPrice);
  return { sizeLamports, position: positionOf(sizeLamports, midPrice) };
}

function isWithin(sizeLamports: bigint, paidLamports: bigint, maxCostPpm: bigint): boolean {
  if (sizeLamports <= 0n) return false;
  return (sizeLamports - paidLamports) * PPM <= maxCostPpm * sizeLamports;
}

function unsellable(reason: UnsellableReason | "above-max-cost"): ExitWithin {
  return { exit: { kind: "unsellable", reason }, limitedBy: null };
}
