/** An exact non-negative fraction; the denominator is positive. Not kept in lowest terms. */
export type Ratio = { readonly numerator: bigint; readonly denominator: bigint };

/** The exact product of two fractions. */
export function multiplyRatios(a: Ratio, b: Ratio): Ratio {
  return { numerator: a.numerator * b.numerator, denominator: a.denominator * b.denominator };
}
