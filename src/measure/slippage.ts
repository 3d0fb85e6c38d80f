import { divCeil, mulDivFloor } from "#src/units/integer.ts";
import type { Ratio } from "#src/units/ratio.ts";
import { toNumber } from "#src/units/to-number.ts";
import { STANDARD_LAMPORTS } from "./assessment.ts";

const UNITS_PER_PERCENT = 10_000;
/** Steps of 0.0001 % in the whole. */
const UNITS = 1_000_000n;

/**
 * `100 * (1 - paid / size)` in percent, rounded up to 4 decimals, never below 0. Exact: the only
 * float is the quotient of the finished integer by 10,000.
 *
 * @param sizeLamports above 0
 */
export function slippagePct(paidLamports: bigint, sizeLamports: bigint): number {
  if (paidLamports >= sizeLamports) return 0;
  const units = divCeil((sizeLamports - paidLamports) * UNITS, sizeLamports);
  return toNumber(units) / UNITS_PER_PERCENT;
}

/**
 * The position worth `sizeLamports` at the mid: `floor(size / mid)` base units, as an exact ratio of
 * integers (method.md section 1).
 */
export function positionOf(sizeLamports: bigint, midPrice: Ratio): bigint {
  return mulDivFloor(sizeLamports, midPrice.denominator, midPrice.numerator);
}

/** The positions of the standard sizes. */
export function standardPositions(midPrice: Ratio): readonly bigint[] {
  return STANDARD_LAMPORTS.map((size) => positionOf(size, midPrice));
}

/**
 * What the position is worth at the mid: the smallest size whose position it is. Where a base unit is worth less
 * than a lamport, most positions are of no size: then the worth is rounded down, to a size that sells less.
 */
export function sizeOfPosition(position: bigint, midPrice: Ratio): bigint {
  const size = divCeil(position * midPrice.numerator, midPrice.denominator);
  if (positionOf(size, midPrice) === position) return size;
  return mulDivFloor(position, midPrice.numerator, midPrice.denominator);
}
