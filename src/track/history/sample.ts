import { type Assessment, STANDARD_SIZES } from "#src/measure/assessment.ts";
import type { Confidence } from "#src/measure/confidence/finding.ts";
import { confidenceOf } from "#src/measure/confidence/findings.ts";
import { capacityOfAssessment } from "#src/measure/series/capacity-series.ts";
import { LAMPORTS_PER_SOL } from "#src/units/amounts.ts";
import { priceInSol, ratioToNumber } from "#src/units/to-number.ts";

const NO_SLIPPAGES: readonly null[] = STANDARD_SIZES.map(() => null);

/** The grid of sample times (method.md section 5). */
export const SAMPLE_EVERY_MS = 10_000;
/** Samples of a tracked token are at most this far apart: 5 minutes and some margin. */
export const HOLDS_FOR_MS = 330_000;

/** The stored values of an assessment, on a grid of ten seconds. */
export type Sample = {
  readonly atMs: number;
  /** Null if the token was blocked: a gap, not a zero. */
  readonly c10Sol: number | null;
  readonly depthSol: number | null;
  /** Of the retail profile, by standard size. */
  readonly slippagesPct: readonly (number | null)[];
  /** SOL per whole token; null where nothing can be sold. */
  readonly mid: number | null;
  readonly confidence: Confidence;
  /**
   * The size rule of the family "other" held: the slippages of the sizes that it leaves out are null, whether they can
   * be sold or not. Absent: it did not.
   */
  readonly hasSizeRule?: true;
  /** Samples of different bases are never compared: their pools or source differ. */
  readonly basis: number;
};

/** The time of a sample taken at this moment: rounded down, so that the samples of all tokens share their times. */
export function sampleTimeMs(atMs: number): number {
  return Math.floor(atMs / SAMPLE_EVERY_MS) * SAMPLE_EVERY_MS;
}

/** Sizes in SOL with their slippage, ascending, from slippages by standard size; without those that are null. */
export function slippagesOfSizes(
  slippagesPct: Sample["slippagesPct"],
): readonly (readonly [sizeSol: number, slippagePct: number])[] {
  return STANDARD_SIZES.flatMap((size, place) => {
    const pct = slippagesPct[place] ?? null;
    return pct === null ? [] : [[Number(size), pct] as const];
  });
}

/** The depth of a measured market in SOL; null if nothing was measured. */
export function depthSolOf(assessment: Assessment | null): number | null {
  const lamports = assessment?.measurement?.depthLamports;
  return lamports === undefined ? null : ratioToNumber(lamports, LAMPORTS_PER_SOL);
}

export function sampleOf(assessment: Assessment, atMs: number, basis: number): Sample {
  const { measurement, decimals, family } = assessment;
  const midPrice = measurement?.midPrice ?? null;
  return {
    atMs: sampleTimeMs(atMs),
    c10Sol: capacityOfAssessment(assessment),
    depthSol: depthSolOf(assessment),
    slippagesPct: measurement?.retail.slippagesPct ?? NO_SLIPPAGES,
    mid: midPrice === null ? null : priceInSol(midPrice, decimals),
    confidence: confidenceOf(assessment),
    ...(family === "other" && midPrice !== null ? { hasSizeRule: true } : {}),
    basis,
  };
}

/** Values that change by less than this do not cause a new sample. */
const RELATIVE_CHANGE = 0.002;
/** A price is compared with later ones: what waiting cost (past-day.ts) must not be rounded away. */
const MID_CHANGE = 0.000_1;

/**
 * What is stored of a later sample; null: nothing new. Of a price that moved alone only the price, so
 * that it takes eight bytes and not forty.
 */
export function newOf(earlier: Sample, later: Sample): Sample | null {
  if (differs(earlier, later)) return later;
  const { atMs, mid } = later;
  return isChanged(earlier.mid, mid, MID_CHANGE) ? { ...earlier, atMs, mid } : null;
}

function differs(earlier: Sample, later: Sample): boolean {
  return (
    earlier.confidence !== later.confidence ||
    earlier.hasSizeRule !== later.hasSizeRule ||
    earlier.basis !== later.basis ||
    isChanged(earlier.c10Sol, later.c10Sol) ||
    isChanged(earlier.depthSol, later.depthSol) ||
    later.slippagesPct.some((slippage, index) =>
      isChanged(earlier.slippagesPct[index] ?? null, slippage),
    )
  );
}

function isChanged(from: number | null, to: number | null, least = RELATIVE_CHANGE): boolean {
  if (from === null || to === null) return from !== to;
  return Math.abs(to - from) > least * Math.max(Math.abs(from), Math.abs(to));
}
