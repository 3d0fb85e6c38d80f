import { U64_MAX } from "./integer.ts";
import { MathError } from "./math-error.ts";

/** SOL's smallest unit; 10^9 make a SOL. */
export type Lamports = bigint & { readonly __brand: "Lamports" };
/** A token's smallest unit; 10^decimals make a whole token. */
export type BaseUnits = bigint & { readonly __brand: "BaseUnits" };

export const LAMPORTS_PER_SOL = 1_000_000_000n;

/** @throws MathError outside 0 .. 2^64-1 */
export function lamports(value: bigint): Lamports {
  if (value < 0n || value > U64_MAX)
    throw new MathError("out-of-range", { what: "lamports", value });
  return value as Lamports;
}

/** @throws MathError outside 0 .. 2^64-1 */
export function baseUnits(value: bigint): BaseUnits {
  if (value < 0n || value > U64_MAX)
    throw new MathError("out-of-range", { what: "baseUnits", value });
  return value as BaseUnits;
}
