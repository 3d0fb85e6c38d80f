const PPM = 1_000_000;

/**
 * The largest amount, up to this one, after which a fee that is rounded up grows by a unit. Rounding adds
 * the least to the fee there, and the most to the fee of one unit more. 0 within the first step.
 * For few units only: the product must be exact as a double.
 *
 * @param feePpm above 0
 */
export function endOfFeeStep(amount: number, feePpm: number): number {
  const feeUnits = Math.ceil(((amount + 1) * feePpm) / PPM) - 1;
  return Math.floor((feeUnits * PPM) / feePpm);
}
