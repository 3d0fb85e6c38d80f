import type { Address } from "#src/units/address.ts";
import { minBigint, mulDivFloor } from "#src/units/integer.ts";

/** How a pool's liquidity is divided among those who put it in. */
export type LiquidityShares =
  /**
   * Tokens of a mint: whoever holds some may burn them for their part of both reserves. `issued` is
   * what the program divides by, as the pool's own account has it: not the mint's supply, which
   * falls where somebody burns shares without taking anything out. Null: it is the mint's supply.
   */
  | { readonly kind: "fungible"; readonly mint: Address; readonly issued: bigint | null }
  /** An account for each position, with an owner of its own. */
  | { readonly kind: "positions" }
  /** A launchpad's curve: nobody can take its reserves out but by selling to it. */
  | { readonly kind: "nobody" };

/** A part of a pool's liquidity: `shares` of the `issued` ones, which are not 0. */
export type ShareOfPool = { readonly shares: bigint; readonly issued: bigint };

/**
 * What that part is paid of a reserve: `floor(reserve * shares / issued)`, in base units, and never
 * more than the reserve. Fees owed to others are no part of the reserve.
 *
 * @throws MathError where nothing was issued
 */
export function paidForShares(reserve: bigint, { shares, issued }: ShareOfPool): bigint {
  return minBigint(mulDivFloor(reserve, shares, issued), reserve);
}
