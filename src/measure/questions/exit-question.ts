import { mulDivFloor } from "#src/units/integer.ts";
import type { Ratio } from "#src/units/ratio.ts";
import type { Profile } from "../assessment.ts";
import { CALIBRATION } from "../calibration.ts";
import type { Market } from "../market/market.ts";
import { priceMarket } from "../market/priced-market.ts";
import { bestPossibleLamports } from "../sale/split-bound.ts";
import { standardPositions } from "../slippage.ts";
import { type ExitAt, type ExitSize, exitAt, exitOn } from "./exit-at.ts";
import { type AskedExit, exitWithin, type SizeLimit } from "./max-cost.ts";
import { type RoundTrip, roundTrip } from "./round-trip.ts";

/** A question about one sale, by its size or by what it may cost. */
export type ExitQuestion = {
  readonly profile: Profile;
  readonly sale:
    | ExitSize
    /** Millionths of a USD. */
    | { readonly sizeMicroUsd: bigint }
    /** Of the worth at the mid, fees included. */
    | { readonly maxCostPpm: bigint };
  /** Whether the bound of the split and the round trip are computed too. */
  readonly isDetailed: boolean;
};

export type ExitAnswer = {
  readonly exit: AskedExit;
  /** What stops a larger sale within the cost; null where a size was asked for. */
  readonly limitedBy: SizeLimit | null;
  /** Lamports per millionth of a USD; null where no stable pool gives it. */
  readonly microUsd: Ratio | null;
  /** Null where they were not asked for, and where nothing is sold. */
  readonly detail: ExitDetail | null;
};

export type ExitDetail = {
  /** What no split over the open routes exceeds; null for `retail`, and where it is not proved. */
  readonly bestPossibleLamports: bigint | null;
  /** Null where no pool sells the token for that much. */
  readonly roundTrip: RoundTrip | null;
};

/** @param microUsd lamports per millionth of a USD */
export function answerExit(
  market: Market,
  { profile, sale, isDetailed }: ExitQuestion,
  microUsd: Ratio | null,
): ExitAnswer {
  const { exit, limitedBy } =
    "maxCostPpm" in sale
      ? exitWithin(market, sale.maxCostPpm, profile)
      : { exit: exitOf(market, profile, { sale, microUsd }), limitedBy: null };
  return {
    exit,
    limitedBy,
    microUsd,
    detail: isDetailed && exit.kind === "sold" ? detailOf(market, exit, profile) : null,
  };
}

type SizedSale = {
  readonly sale: Exclude<ExitQuestion["sale"], { readonly maxCostPpm: bigint }>;
  readonly microUsd: Ratio | null;
};

function exitOf(market: Market, profile: Profile, { sale, microUsd }: SizedSale): AskedExit {
  if (!("sizeMicroUsd" in sale)) return exitOn(market, { profile, ...sale });
  if (microUsd === null) return { kind: "unsellable", reason: "no-usd-price" };
  const { numerator, denominator } = microUsd;
  const sizeLamports = mulDivFloor(sale.sizeMicroUsd, numerator, denominator);
  const { smallestLamports, largestLamports } = CALIBRATION.maxCost;
  if (sizeLamports < smallestLamports || sizeLamports > largestLamports) {
    return { kind: "unsellable", reason: "size-not-allowed" };
  }
  return exitAt(market, sizeLamports, profile);
}

type Sold = Extract<ExitAt, { readonly kind: "sold" }>;

function detailOf(market: Market, { sizeLamports, routes }: Sold, profile: Profile): ExitDetail {
  const { open, midPrice } = priceMarket(market);
  const { token } = market;
  const isBounded = profile === "pro" && token !== null && midPrice !== null;
  const samples = isBounded ? standardPositions(midPrice) : [];
  return {
    bestPossibleLamports: isBounded ? bestPossibleLamports({ open, token, routes, samples }) : null,
    roundTrip: roundTrip(market, sizeLamports, profile),
  };
}
