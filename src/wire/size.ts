import { STANDARD_SIZES, type StandardSize } from "#src/measure/assessment.ts";
import type { RequestedSize } from "./exitability.ts";

const SMALLEST_SIZE = 0.01;
const LARGEST_SIZE = 1000;

/**
 * A size in SOL from its text: plain decimal digits, 0.01 to 1000. Null for anything else.
 * Snaps to the nearest standard size; a tie goes to the larger.
 */
export function parseSize(text: string): RequestedSize | null {
  if (!/^\d{1,4}(?:\.\d{1,9})?$/.test(text)) return null;
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
