import type { Family } from "#src/venues/venue.ts";
import {
  type Ladder,
  type Profile,
  STANDARD_LAMPORTS,
  STANDARD_SIZES,
  type StandardSize,
} from "./assessment.ts";
import { CALIBRATION } from "./calibration.ts";
import { slippagePct } from "./slippage.ts";

type SlippagesOnly = Pick<Ladder, "slippagesPct">;

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
  return withScore(unscoredLadder(paidLamports, family), profile);
}

/** The ladders of both profiles; where both sell the same way, the slippages are computed once. */
export function laddersOf(
  paidLamports: Readonly<Record<Profile, readonly (bigint | null)[]>>,
  family: Family,
): Readonly<Record<Profile, Ladder>> {
  const retail = unscoredLadder(paidLamports.retail, family);
  const isSame = paidLamports.pro === paidLamports.retail;
  const pro = isSame ? retail : unscoredLadder(paidLamports.pro, family);
  return { retail: withScore(retail, "retail"), pro: withScore(pro, "pro") };
}

/** A ladder without its score, and the slippages that this is computed from, ascending. */
type Unscored = Omit<Ladder, "score"> & { readonly measuredPct: readonly (number | null)[] };

function unscoredLadder(paidLamports: readonly (bigint | null)[], family: Family): Unscored {
  const measuredPct = STANDARD_LAMPORTS.map((lamports, index) => {
    const paid = paidLamports[index] ?? null;
    return paid === null ? null : slippagePct(paid, lamports);
  });
  const shown = measuredPct.map((pct, index) =>
    isSizeAllowed(family, STANDARD_LAMPORTS[index] ?? 0n) ? pct : null,
  );
  return { measuredPct, slippagesPct: shown, exitMaxSol: exitMaxOf(shown) };
}

function withScore({ measuredPct, slippagesPct, exitMaxSol }: Unscored, profile: Profile): Ladder {
  return { slippagesPct, score: scoreOf(measuredPct, profile), exitMaxSol };
}

/** Percent at a standard size; null: can't be sold whole. */
export function slippageAtSize({ slippagesPct }: SlippagesOnly, size: StandardSize): number | null {
  return slippagesPct[STANDARD_SIZES.indexOf(size)] ?? null;
}

/** Percent by size, as answers have it. */
export function slippageBySize({
  slippagesPct,
}: SlippagesOnly): Readonly<Record<StandardSize, number | null>> {
  return {
    "0.5": slippagesPct[0] ?? null,
    "1": slippagesPct[1] ?? null,
    "2": slippagesPct[2] ?? null,
    "5": slippagesPct[3] ?? null,
    "10": slippagesPct[4] ?? null,
    "50": slippagesPct[5] ?? null,
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
