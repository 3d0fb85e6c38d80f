import type { Address } from "#src/units/address.ts";
import { minBigint, mulDivFloor } from "#src/units/integer.ts";
import type { Account } from "./account-set.ts";
import type { LockerId } from "./lockers/lock-terms.ts";
import type { PositionTotals, RangedPosition } from "./quotable-pool.ts";
import type { Vesting } from "./shared/vesting.ts";
import type { ProgramFilter } from "./venue.ts";

/**
 * Tokens of a mint: a holder may burn them for a part of both reserves. `issued` is what
 * the program divides by, as the pool's own account has it: not the mint's supply, which falls when
 * a holder burns shares without withdrawing. Null: it is the mint's supply.
 */
export type FungibleShares = {
  readonly kind: "fungible";
  readonly mint: Address;
  readonly issued: bigint | null;
};

/** An account for each position, all of one range, so that their liquidity adds up to the pool's. */
export type PositionShares = {
  readonly kind: "positions";
  /** The pool's liquidity: all positions together. */
  readonly issued: bigint;
  /** Finds the pool's positions. */
  readonly filter: ProgramFilter;
  /** Null where the account is not a position. Never throws. */
  readonly decode: (account: Account) => PositionShare | null;
  /** The addresses of a position's accounts; deriving them is slow for thousands of positions. */
  readonly accountsOf: (position: PositionShare) => PositionAccounts;
};

export type PositionAccounts = {
  /** The token account that holds the position's own token: its owner is the position's. */
  readonly holder: Address;
  /** The search for vestings in separate accounts. */
  readonly vestingAccounts: VestingAccounts;
};

export type PositionShare = {
  readonly token: Address;
  /** Liquidity that its owner may take out at once. */
  readonly unlocked: bigint;
  /** Liquidity that vests, including liquidity that has opened since the position was last refreshed. */
  readonly vesting: bigint;
  /** The vesting in the position's own account; null: none. Other vestings are in separate accounts. */
  readonly ownVesting: Vesting | null;
  /** Liquidity that can never be taken out. */
  readonly locked: bigint;
};

export type VestingAccounts = {
  readonly locker: LockerId;
  readonly filter: ProgramFilter;
  /** Null where the account is not a vesting of the position. Never throws. */
  readonly decode: (account: Account) => Vesting | null;
};

/** An account for each position, each with a range of its own. */
export type RangedShares = {
  readonly kind: "ranged";
  /** The pool's own count of liquidity at its price, which deposits and withdrawals change; null: it has none. */
  readonly issued: bigint | null;
  /** Finds the pool's positions. */
  readonly filter: ProgramFilter;
  /** Null where the account is not a position of the pool. Never throws. */
  readonly decode: (account: Account) => RangedPosition | null;
  /** Null where the positions contradict the pool's own liquidity at any price: some are missing, or changed. */
  readonly addUp: (positions: readonly RangedPosition[]) => PositionTotals | null;
};

/** How a pool's liquidity is divided among those who put it in. */
export type LiquidityShares =
  | FungibleShares
  | PositionShares
  | RangedShares
  /** Positions of an unmodelled kind. */
  | { readonly kind: "unread-positions" }
  /** A launchpad's curve: its reserves leave only by sales. */
  | { readonly kind: "nobody" };

/** A part of a pool's liquidity: `shares` of the `issued` ones, which are not 0. */
export type ShareOfPool = { readonly shares: bigint; readonly issued: bigint };

/**
 * What that part receives of a reserve: `floor(reserve * shares / issued)`, in base units, and never
 * more than the reserve. Fees owed to others are not part of the reserve.
 *
 * @throws MathError where nothing was issued
 */
export function paidForShares(reserve: bigint, { shares, issued }: ShareOfPool): bigint {
  return minBigint(mulDivFloor(reserve, shares, issued), reserve);
}
