/** An exact non-negative fraction; the denominator is positive. Not kept in lowest terms. */
export type Ratio = { readonly numerator: bigint; readonly denominator: bigint };

/** Below zero where a < b, zero where equal, above zero where a > b. */
export function compareRatios(a: Ratio, b: Ratio): number {
  const left = a.numerator * b.denominator;
  const right = b.numerator * a.denominator;
  return left < right ? -1 : left > right ? 1 : 0;
}

/** The exact product of two fractions. */
export function multiplyRatios(a: Ratio, b: Ratio): Ratio {
  return { numerator: a.numerator * b.numerator, denominator: a.denominator * b.denominator };
}
