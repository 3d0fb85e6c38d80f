import { STANDARD_SIZES } from "#src/measure/assessment.ts";
import type { Confidence } from "#src/measure/confidence/finding.ts";
import type { Sample } from "./sample.ts";

/** A sample's figures in the order in which they are stored: C10, depth, slippage by size and mid; NaN for null. */

export const FIGURES = 3 + STANDARD_SIZES.length;

/** A stored confidence is the index in this list. */
const CONFIDENCES: readonly Confidence[] = ["high", "medium", "low"];
/** Added to it where the size rule of the family "other" held. */
const SIZE_RULE = 0x80;

/** The byte in which a sample's confidence and its size rule are stored. */
export function markOf({ confidence, hasSizeRule }: Pick<Sample, "confidence" | "hasSizeRule">) {
  return CONFIDENCES.indexOf(confidence) + (hasSizeRule === true ? SIZE_RULE : 0);
}

export function figuresOf({ c10Sol, depthSol, slippagesPct, mid }: Sample): readonly number[] {
  return [c10Sol, depthSol, ...slippagesPct, mid].map((figure) => figure ?? Number.NaN);
}

/** As stored: in single precision. */
export function storedOf(figure: number | null): number {
  return Math.fround(figure ?? Number.NaN);
}

export function knownOf(figure = Number.NaN): number | null {
  return Number.isNaN(figure) ? null : figure;
}

/** The sample that has these figures, and this `markOf`. */
export function sampleFrom(
  figures: ArrayLike<number>,
  { atMs, mark, basis }: Pick<Sample, "atMs" | "basis"> & { readonly mark: number },
): Sample {
  return {
    atMs,
    c10Sol: knownOf(figures[0]),
    depthSol: knownOf(figures[1]),
    slippagesPct: STANDARD_SIZES.map((_, index) => knownOf(figures[2 + index])),
    mid: knownOf(figures[2 + STANDARD_SIZES.length]),
    confidence: CONFIDENCES[mark % SIZE_RULE] ?? "low",
    ...(mark < SIZE_RULE ? {} : { hasSizeRule: true }),
    basis,
  };
}
