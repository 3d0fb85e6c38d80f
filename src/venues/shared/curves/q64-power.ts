import { checkedU128, Q64, U128_MAX } from "#src/units/integer.ts";
import { MathError } from "#src/units/math-error.ts";

const EXPONENT_BITS = 19;

/**
 * `base ^ exponent` in Q64.64 by square-and-multiply, each product rounded down; a base of one or
 * more is inverted first and the result inverted back. DLMM's bin prices and the exponential fee
 * schedules of DBC and DAMM v2 compute the very same integers.
 *
 * @throws MathError where the programs find the power out of range
 * @see `pow` in commons/src/math/u64x64_math.rs (MeteoraAg/dlmm-sdk) and in
 *   programs/dynamic-bonding-curve/src/math/fee_math.rs (MeteoraAg/dynamic-bonding-curve)
 */
export function powQ64(base: bigint, exponent: number): bigint {
  if (exponent === 0) return Q64;
  const magnitude = Math.abs(exponent);
  if (magnitude >= 1 << EXPONENT_BITS) throw new MathError("overflow", { what: "exponent" });
  const isInverted = base >= Q64;
  let squared = isInverted ? U128_MAX / base : base;
  let result = Q64;
  for (let bit = 0; bit < EXPONENT_BITS; bit++) {
    if (bit > 0) squared = checkedU128(squared * squared, "square") >> 64n;
    if ((magnitude & (1 << bit)) !== 0) result = checkedU128(result * squared, "power") >> 64n;
  }
  if (result === 0n) throw new MathError("underflow", { what: "power" });
  return isInverted === exponent > 0 ? U128_MAX / result : result;
}
