import { STANDARD_SIZE_LAMPORTS, STANDARD_SIZES, type StandardSize } from "../assessment.ts";

/** The sizes of a position that can be measured, in SOL. The dashboard has a copy that the type checker compares. */
export const SIZE_RANGE_SOL = { minimum: 0.01, maximum: 1_000 } as const;

/** The limits as messages and descriptions state them. */
export const SIZE_RANGE_TEXT = `${SIZE_RANGE_SOL.minimum} to ${SIZE_RANGE_SOL.maximum} SOL`;

const SOL_DECIMALS = 9;
/** Of a size as it is asked for: programs write 0.1 + 0.2 with seventeen. */
export const LONGEST_FRACTION = 20;
const UNITS_PER_LAMPORT = 10n ** BigInt(LONGEST_FRACTION - SOL_DECIMALS);
const RANGE_UNITS = {
  minimum: BigInt(SIZE_RANGE_SOL.minimum * 1e9) * UNITS_PER_LAMPORT,
  maximum: BigInt(SIZE_RANGE_SOL.maximum * 1e9) * UNITS_PER_LAMPORT,
} as const;
const SIZE_TEXT = new RegExp(`^(\\d{1,4})(?:\\.(\\d{1,${LONGEST_FRACTION}}))?$`);

/** A size as asked for, in SOL, and the standard size it snaps to. */
export type RequestedSize = { readonly requested: number; readonly used: StandardSize };

/**
 * A size in SOL from its text: plain decimal digits, within `SIZE_RANGE_SOL`. Null for anything else.
 * Snaps to the nearest standard size; a tie goes to the larger.
 */
export function parseSize(text: string): RequestedSize | null {
  const units = sizeUnits(text);
  if (units === null || units < RANGE_UNITS.minimum || units > RANGE_UNITS.maximum) return null;
  return { requested: Number(text), used: snapSize(units) };
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

/** Exactly: a double has only seventeen digits. Null for anything but plain digits. */
function sizeUnits(text: string): bigint | null {
  const match = SIZE_TEXT.exec(text);
  if (match === null) return null;
  const [, whole = "", fraction = ""] = match;
  return BigInt(whole + fraction.padEnd(LONGEST_FRACTION, "0"));
}

function snapSize(units: bigint): StandardSize {
  const distance = (size: StandardSize): bigint =>
    absolute(STANDARD_SIZE_LAMPORTS[size] * UNITS_PER_LAMPORT - units);
  let nearest: StandardSize = STANDARD_SIZES[0];
  for (const size of STANDARD_SIZES) if (distance(size) <= distance(nearest)) nearest = size;
  return nearest;
}

function absolute(value: bigint): bigint {
  return value < 0n ? -value : value;
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
