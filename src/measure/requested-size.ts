import { STANDARD_SIZES, type StandardSize } from "./assessment.ts";

/** The sizes of a position that can be measured, in SOL. No other file states these limits. */
export const SIZE_RANGE_SOL = { minimum: 0.01, maximum: 1_000 } as const;

/** The limits as messages and descriptions state them. */
export const SIZE_RANGE_TEXT = `${SIZE_RANGE_SOL.minimum} to ${SIZE_RANGE_SOL.maximum} SOL`;

const SOL_DECIMALS = 9;

/** A size as asked for, in SOL, and the standard size it snaps to. */
export type RequestedSize = { readonly requested: number; readonly used: StandardSize };

/**
 * A size in SOL from its text: plain decimal digits, within `SIZE_RANGE_SOL`. Null for anything else.
 * Snaps to the nearest standard size; a tie goes to the larger.
 */
export function parseSize(text: string): RequestedSize | null {
  // Twenty decimals: programs write 0.1 + 0.2 with seventeen.
  if (!/^\d{1,4}(?:\.\d{1,20})?$/.test(text)) return null;
  const requested = Number(text);
  return isWithinRange(requested) ? { requested, used: snapSize(requested) } : null;
}

/** A size in SOL as lamports, rounded to the lamport; null outside `SIZE_RANGE_SOL`. */
export function sizeToLamports(sizeSol: number): bigint | null {
  return isWithinRange(sizeSol) ? BigInt(Math.round(sizeSol * 1e9)) : null;
}

/** A size in SOL from plain digits, exact to the lamport; null if it is finer or outside the range. */
export function parseSizeLamports(text: string): bigint | null {
  const lamports = parseUnits(text, SOL_DECIMALS);
  return lamports !== null && isWithinRange(Number(text)) ? lamports : null;
}

function isWithinRange(sizeSol: number): boolean {
  return sizeSol >= SIZE_RANGE_SOL.minimum && sizeSol <= SIZE_RANGE_SOL.maximum;
}

function snapSize(requested: number): StandardSize {
  let nearest: StandardSize = STANDARD_SIZES[0];
  for (const size of STANDARD_SIZES) {
    if (Math.abs(Number(size) - requested) <= Math.abs(Number(nearest) - requested)) nearest = size;
  }
  return nearest;
}

/**
 * An amount in whole units as its smallest units, exactly: "1.5" with 9 decimals is 1,500,000,000.
 * Null for anything but plain digits, and for an amount finer than the smallest unit.
 */
export function parseUnits(text: string, decimals: number): bigint | null {
  const match = /^(\d{1,20})(?:\.(\d{1,18}))?$/.exec(text);
  if (match === null) return null;
  const [, whole = "", digits = ""] = match;
  const fraction = digits.replace(/0+$/, "");
  if (fraction.length > decimals) return null;
  return BigInt(whole + fraction.padEnd(decimals, "0"));
}
