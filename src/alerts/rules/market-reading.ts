import {
  type Assessment,
  STANDARD_SIZE_LAMPORTS,
  STANDARD_SIZES,
} from "#src/measure/assessment.ts";
import { isSizeAllowed, slippageAtSize } from "#src/measure/ladder.ts";
import type { Market } from "#src/measure/market/market.ts";
import { type ExitAt, exitAt } from "#src/measure/questions/exit-at.ts";
import { positionOf } from "#src/measure/slippage.ts";
import { assertNever } from "#src/platform/assert-never.ts";
import type { Ratio } from "#src/units/ratio.ts";
import type { SlippageReading, SoldPosition } from "./slippage-rule.ts";

/** One token's market at one moment, with the slippage at each size that its entries have. */
export type MarketReading = {
  readonly assessment: Assessment;
  readonly bySize: ReadonlyMap<bigint, SlippageReading>;
};

const STANDARD = new Map(STANDARD_SIZES.map((size) => [STANDARD_SIZE_LAMPORTS[size], size]));
const UNKNOWN: SlippageReading = { kind: "unknown" };

/** Whether an assessment has the slippage at this size: others are sold on the market. */
export function isStandardSize(sizeLamports: bigint): boolean {
  return STANDARD.has(sizeLamports);
}

/**
 * Reads the slippage at each size, profile retail. The assessment has the standard sizes; the others
 * are sold on the market.
 */
export function readMarket(
  assessment: Assessment,
  market: Market | null,
  sizes: Iterable<bigint>,
): MarketReading {
  const bySize = new Map<bigint, SlippageReading>();
  for (const sizeLamports of sizes)
    bySize.set(sizeLamports, slippageAt(assessment, market, sizeLamports));
  return { assessment, bySize };
}

function slippageAt(
  { measurement, family }: Assessment,
  market: Market | null,
  sizeLamports: bigint,
): SlippageReading {
  if (measurement === null || !isSizeAllowed(family, sizeLamports)) return UNKNOWN;
  const standard = STANDARD.get(sizeLamports);
  if (standard !== undefined) {
    const slippagePct = slippageAtSize(measurement.retail, standard);
    return {
      kind: "known",
      slippagePct,
      position: positionAt(sizeLamports, measurement.midPrice, slippagePct),
    };
  }
  return market === null ? UNKNOWN : readingOf(exitAt(market, sizeLamports, "retail"));
}

/** What the position pays by its slippage, to a ten-thousandth of a percent. */
function positionAt(
  sizeLamports: bigint,
  midPrice: Ratio | null,
  slippagePct: number | null,
): SoldPosition | null {
  if (midPrice === null || slippagePct === null) return null;
  const kept = BigInt(Math.round((100 - slippagePct) * 10_000));
  return {
    baseUnits: positionOf(sizeLamports, midPrice),
    paidLamports: (sizeLamports * kept) / 1_000_000n,
  };
}

function readingOf(exit: ExitAt): SlippageReading {
  if (exit.kind === "sold") {
    const { slippagePct, baseUnitsSold: baseUnits, paidLamports } = exit;
    return { kind: "known", slippagePct, position: { baseUnits, paidLamports } };
  }
  switch (exit.reason) {
    case "blocked":
    case "size-not-allowed":
    case "too-small":
      return UNKNOWN;
    case "no-market":
    case "exceeds-supply":
    case "insufficient-liquidity":
      return { kind: "known", slippagePct: null };
    default:
      return assertNever(exit.reason);
  }
}

const ROTATE_EVERY_MS = 60_000;
const HALF_DAY_MS = 12 * 3_600_000;

/** Readings of one market over time, by chain time. */
export type RecentReadings = {
  /** The state before a sudden fall: at most two minutes old. */
  readonly older: MarketReading;
  readonly newer: MarketReading;
  readonly last: MarketReading;
  readonly rotatedAtMs: number;
  /** The state before a slow fall: that of the highest capacity in 12 to 24 hours. */
  readonly peak: MarketReading;
  readonly newerPeak: MarketReading;
  readonly peakRotatedAtMs: number;
};

export function withReading(
  recent: RecentReadings | null,
  last: MarketReading,
  chainMs: number,
): RecentReadings {
  if (recent === null) {
    const first = { older: last, newer: last, last, rotatedAtMs: chainMs };
    return { ...first, peak: last, newerPeak: last, peakRotatedAtMs: chainMs };
  }
  // A blocked market is never compared with.
  if (last.assessment.measurement === null) return { ...recent, last };
  const peaks = withPeak(recent, last, chainMs);
  if (chainMs - recent.rotatedAtMs < ROTATE_EVERY_MS) return { ...recent, ...peaks, last };
  return { ...peaks, older: recent.newer, newer: last, last, rotatedAtMs: chainMs };
}

function withPeak(
  recent: RecentReadings,
  last: MarketReading,
  chainMs: number,
): Pick<RecentReadings, "peak" | "newerPeak" | "peakRotatedAtMs"> {
  const { peakRotatedAtMs } = recent;
  if (chainMs - peakRotatedAtMs >= HALF_DAY_MS) {
    const peak = higherOf(recent.newerPeak, last);
    return { peak, newerPeak: last, peakRotatedAtMs: chainMs };
  }
  const peak = higherOf(recent.peak, last);
  return { peak, newerPeak: higherOf(recent.newerPeak, last), peakRotatedAtMs };
}

function higherOf(before: MarketReading, last: MarketReading): MarketReading {
  return capacityOf(last) > capacityOf(before) ? last : before;
}

function capacityOf({ assessment }: MarketReading): number {
  return assessment.measurement?.c10Sol ?? -1;
}
