import {
  type Assessment,
  STANDARD_SIZE_LAMPORTS,
  STANDARD_SIZES,
} from "#src/measure/assessment.ts";
import { type ExitAt, exitAt } from "#src/measure/exit-at.ts";
import { isSizeAllowed } from "#src/measure/ladder.ts";
import type { Market } from "#src/measure/market.ts";
import type { SlippageReading } from "./slippage-rule.ts";

/** What was seen of one token's market at one moment, at the sizes that its entries have. */
export type MarketReading = {
  readonly assessment: Assessment;
  readonly bySize: ReadonlyMap<bigint, SlippageReading>;
};

const STANDARD = new Map(STANDARD_SIZES.map((size) => [STANDARD_SIZE_LAMPORTS[size], size]));
const UNKNOWN: SlippageReading = { kind: "unknown" };

/**
 * Reads the slippage at each size, profile retail. Standard sizes stand in the assessment already;
 * the others are sold on the market, which is asked for only where there are such.
 */
export function readMarket(
  assessment: Assessment,
  sizes: Iterable<bigint>,
  marketNow: () => Market | null,
): MarketReading {
  let market: Market | null | undefined;
  const bySize = new Map<bigint, SlippageReading>();
  for (const sizeLamports of sizes) {
    const { measurement, family } = assessment;
    if (measurement === null || !isSizeAllowed(family, sizeLamports)) {
      bySize.set(sizeLamports, UNKNOWN);
      continue;
    }
    const standard = STANDARD.get(sizeLamports);
    if (standard !== undefined) {
      const slippagePct = measurement.retail.slippagePct[standard];
      bySize.set(sizeLamports, { kind: "known", slippagePct });
      continue;
    }
    market ??= marketNow();
    bySize.set(
      sizeLamports,
      market === null ? UNKNOWN : readingOf(exitAt(market, sizeLamports, "retail")),
    );
  }
  return { assessment, bySize };
}

function readingOf(exit: ExitAt): SlippageReading {
  if (exit.kind === "sold") return { kind: "known", slippagePct: exit.slippagePct };
  switch (exit.reason) {
    case "blocked":
    case "size-not-allowed":
    case "too-small":
      return UNKNOWN;
    case "no-market":
    case "exceeds-supply":
    case "insufficient-liquidity":
      return { kind: "known", slippagePct: null };
    default: {
      const unreachable: never = exit.reason;
      return unreachable;
    }
  }
}

const ROTATE_EVERY_MS = 60_000;

/** Two earlier readings of a market: what was before a fall is at most two minutes old. */
export type RecentReadings = {
  readonly older: MarketReading;
  readonly newer: MarketReading;
  readonly last: MarketReading;
  readonly rotatedAtMs: number;
};

/** Takes in the newest reading; plain data, replaced. */
export function withReading(
  recent: RecentReadings | null,
  last: MarketReading,
  nowMs: number,
): RecentReadings {
  if (recent === null) return { older: last, newer: last, last, rotatedAtMs: nowMs };
  // A blocked market is nothing to compare with.
  if (last.assessment.measurement === null) return { ...recent, last };
  if (nowMs - recent.rotatedAtMs < ROTATE_EVERY_MS) return { ...recent, last };
  return { older: recent.newer, newer: last, last, rotatedAtMs: nowMs };
}
