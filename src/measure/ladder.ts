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
 * Slippages, score and largest exit from what each standard size pays.
 *
 * @param paidLamports per standard size, ascending; null where it can't be sold whole
 */
export function ladderOf(
  paidLamports: readonly (bigint | null)[],
  profile: Profile,
  family: Family,
): Ladder {
  const slippageAt = (index: number, size: StandardSize): number | null => {
    const worth = STANDARD_SIZE_LAMPORTS[size];
    const paid = isSizeAllowed(family, worth) ? (paidLamports[index] ?? null) : null;
    return paid === null ? null : slippagePct(paid, worth);
  };
  const slippage = {
    "0.5": slippageAt(0, "0.5"),
    "1": slippageAt(1, "1"),
    "2": slippageAt(2, "2"),
    "5": slippageAt(3, "5"),
    "10": slippageAt(4, "10"),
    "50": slippageAt(5, "50"),
  };
  return {
    slippagePct: slippage,
    score: scoreOf(slippage, profile, family),
    exitMaxSol: exitMaxOf(slippage),
  };
}

function exitMaxOf(slippage: Ladder["slippagePct"]): number {
  let largest = 0;
  for (const size of STANDARD_SIZES) {
    const pct = slippage[size];
    if (pct !== null && pct < CALIBRATION.score.exitMaxSlippagePct) largest = Number(size);
  }
  return largest;
}

/**
 * The retail score of slippages by standard size, ascending. It weighs sizes up to 5 SOL alone, which
 * every family allows: so it follows from what history keeps of a token, whatever its family was.
 */
export function retailScore([half, one, two, five, ten, fifty]: readonly (
  | number
  | null
)[]): number {
  const slippage = {
    "0.5": half ?? null,
    "1": one ?? null,
    "2": two ?? null,
    "5": five ?? null,
    "10": ten ?? null,
    "50": fifty ?? null,
  };
  return scoreOf(slippage, "retail", "other");
}

/**
 * `100 * sum(w(s) / (1 + (slip(s) / 10)^2))`, one decimal; null counts as 0. Sizes that are not
 * allowed leave the sum, and the other weights are scaled up.
 */
function scoreOf(slippage: Ladder["slippagePct"], profile: Profile, family: Family): number {
  const { weights, halfWeightSlippagePct } = CALIBRATION.score;
  let sum = 0;
  let whole = 0;
  for (const size of STANDARD_SIZES) {
    if (!isSizeAllowed(family, STANDARD_SIZE_LAMPORTS[size])) continue;
    const weight = weights[profile][size];
    const pct = slippage[size];
    whole += weight;
    if (pct !== null) sum += weight / (1 + (pct / halfWeightSlippagePct) ** 2);
  }
  return Math.round((1_000 * sum) / whole) / 10;
}
