import { STANDARD_SIZES, type StandardSize } from "#src/measure/assessment.ts";
import type { RequestedSize } from "./exitability.ts";

const SMALLEST_SIZE = 0.01;
const LARGEST_SIZE = 1000;

/**
 * A size in SOL from its text: plain decimal digits, 0.01 to 1000. Null for anything else.
 * Snaps to the nearest standard size; a tie goes to the larger.
 */
export function parseSize(text: string): RequestedSize | null {
  // As many decimals as any program writes of a number: 0.1 + 0.2 is a size too.
  if (!/^\d{1,4}(?:\.\d{1,20})?$/.test(text)) return null;
  const requested = Number(text);
  if (requested < SMALLEST_SIZE || requested > LARGEST_SIZE) return null;
  return { requested, used: snapSize(requested) };
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
 * Null for anything but plain digits, and where it is finer than the smallest unit.
 */
export function parseUnits(text: string, decimals: number): bigint | null {
  const match = /^(\d{1,20})(?:\.(\d{1,18}))?$/.exec(text);
  if (match === null) return null;
  const [, whole = "", digits = ""] = match;
  const fraction = digits.replace(/0+$/, "");
  if (fraction.length > decimals) return null;
  return BigInt(whole + fraction.padEnd(decimals, "0"));
}
