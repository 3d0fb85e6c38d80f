import type { Family } from "#src/venues/venue.ts";
import {
  type Ladder,
  type Profile,
  STANDARD_SIZE_LAMPORTS,
  STANDARD_SIZES,
  type StandardSize,
} from "./assessment.ts";
import { CALIBRATION } from "./calibration.ts";
import { slippagePct } from "./slippage.ts";

/** Whether a token of this family is answered at this size at all (contract.md, state bloqueado_tamano_amm). */
export function isSizeAllowed(family: Family, sizeLamports: bigint): boolean {
  return family !== "other" || sizeLamports <= CALIBRATION.otherFamilyLargestLamports;
}

/**
 * Slippages, score and largest exit from what each standard size pays. A size that the family's rule
 * forbids is null, and scored as it was measured: the rule moves no score.
 *
 * @param paidLamports per standard size, ascending; null where it can't be sold whole
 */
export function ladderOf(
  paidLamports: readonly (bigint | null)[],
  profile: Profile,
  family: Family,
): Ladder {
  const measured = STANDARD_SIZES.map((size, index) => {
    const paid = paidLamports[index] ?? null;
    return paid === null ? null : slippagePct(paid, STANDARD_SIZE_LAMPORTS[size]);
  });
  const shown = bySize((index, size) =>
    isSizeAllowed(family, STANDARD_SIZE_LAMPORTS[size]) ? (measured[index] ?? null) : null,
  );
  return {
    slippagePct: shown,
    score: scoreOf(measured, profile),
    exitMaxSol: exitMaxOf(STANDARD_SIZES.map((size) => shown[size])),
  };
}

function bySize(
  pctOf: (index: number, size: StandardSize) => number | null,
): Ladder["slippagePct"] {
  return {
    "0.5": pctOf(0, "0.5"),
    "1": pctOf(1, "1"),
    "2": pctOf(2, "2"),
    "5": pctOf(3, "5"),
    "10": pctOf(4, "10"),
    "50": pctOf(5, "50"),
  };
}

/** The largest standard size below 10 %, in SOL, from slippages by size, ascending; 0 where none is. */
export function exitMaxOf(slippages: readonly (number | null)[]): number {
  let largest = 0;
  STANDARD_SIZES.forEach((size, index) => {
    const pct = slippages[index] ?? null;
    if (pct !== null && pct < CALIBRATION.score.exitMaxSlippagePct) largest = Number(size);
  });
  return largest;
}

/** The retail score of slippages by standard size, ascending: it follows from what history keeps. */
export function retailScore(slippages: readonly (number | null)[]): number {
  return scoreOf(slippages, "retail");
}

/** From slippages by size, ascending: `100 * sum(w(s) / (1 + (slip(s) / 10)^2))`, one decimal; null counts as 0. */
export function scoreOf(slippages: readonly (number | null)[], profile: Profile): number {
  const { weights, halfWeightSlippagePct } = CALIBRATION.score;
  const sum = STANDARD_SIZES.reduce((total, size, index) => {
    const pct = slippages[index] ?? null;
    if (pct === null) return total;
    return total + weights[profile][size] / (1 + (pct / halfWeightSlippagePct) ** 2);
  }, 0);
  return Math.round(1_000 * sum) / 10;
}
