/**
 * Integer arithmetic in doubles, for the certified fast paths alone: each result is the very integer
 * that exact arithmetic gives, or NaN. Arguments are non-negative integers; callers must
 * keep the limits documented at each function.
 *
 * @see T. J. Dekker, A floating-point technique for extending the available precision (1971)
 */

/** 2^53: below it every integer is a double of its own. */
export const EXACT_LIMIT = 9_007_199_254_740_992;
/** 2^52: the limit of divisors and quotients below. */
export const QUOTIENT_LIMIT = 4_503_599_627_370_496;

/** 2^27 + 1: splits a double into two halves whose products are exact. */
const SPLITTER = 134_217_729;

/**
 * Share of a value that its two roundings can be off by, twice over: the product's and the quotient's,
 * 2^-53 each.
 */
const SLACK = 2 ** -51;

/**
 * `floor(a * b / d)` for a, b below 2^53 and 0 < d below 2^52; NaN where the quotient reaches 2^52.
 *
 * Where the rounded quotient lies clear of integers its floor is certain. Else it is wrong by less
 * than one, and the remainder, formed without rounding, says which way.
 */
export function mulDivFloorExact(a: number, b: number, d: number): number {
  const product = a * b;
  const value = product / d;
  const quotient = Math.floor(value);
  const fraction = value - quotient;
  const slack = value * SLACK;
  if (fraction > slack && fraction < 1 - slack) return quotient;
  return product < EXACT_LIMIT ? quotient : correctedFloor(a, b, d, quotient);
}

function correctedFloor(a: number, b: number, d: number, quotient: number): number {
  if (!(quotient < QUOTIENT_LIMIT)) return Number.NaN;
  const remainder = remainderOf(a, b, d, quotient);
  if (remainder < 0) return quotient - 1;
  return remainder >= d ? quotient + 1 : quotient;
}

/** `ceil(a * b / d)`, within the same limits. */
export function mulDivCeilExact(a: number, b: number, d: number): number {
  const product = a * b;
  const value = product / d;
  const quotient = Math.floor(value);
  const fraction = value - quotient;
  const slack = value * SLACK;
  if (fraction > slack && fraction < 1 - slack) return quotient + 1;
  return product < EXACT_LIMIT ? Math.ceil(value) : correctedCeil(a, b, d, quotient);
}

function correctedCeil(a: number, b: number, d: number, quotient: number): number {
  if (!(quotient < QUOTIENT_LIMIT)) return Number.NaN;
  const remainder = remainderOf(a, b, d, quotient);
  if (remainder <= 0) return remainder <= -d ? quotient - 1 : quotient;
  return remainder > d ? quotient + 2 : quotient + 1;
}

/**
 * `a * b - quotient * d`, between -d and 2d. Both products are carried with their rounding errors;
 * the difference of the rounded ones is exact because they are within a factor of two.
 */
function remainderOf(a: number, b: number, d: number, quotient: number): number {
  const product = a * b;
  const taken = quotient * d;
  return product - taken + (productError(a, b, product) - productError(quotient, d, taken));
}

/** What rounding left out of `product = a * b`. */
function productError(a: number, b: number, product: number): number {
  const aScaled = SPLITTER * a;
  const aHigh = aScaled - (aScaled - a);
  const aLow = a - aHigh;
  const bScaled = SPLITTER * b;
  const bHigh = bScaled - (bScaled - b);
  const bLow = b - bHigh;
  return aHigh * bHigh - product + aHigh * bLow + aLow * bHigh + aLow * bLow;
}
