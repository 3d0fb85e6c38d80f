import type { Address } from "#src/units/address.ts";
import type { Vesting } from "../shared/vesting.ts";

/** A program that keeps liquidity from its owner; published in answers. */
export type LockerId =
  | "jupiter-lock"
  | "meteora-damm-v1"
  | "meteora-damm-v2"
  | "meteora-dlmm"
  | "orca-whirlpool"
  | "raydium-burn-and-earn"
  | "streamflow";

/** What the account of one lock says of the tokens in it. */
export type LockTerms = {
  readonly locker: LockerId;
  readonly mint: Address;
  /** Who takes out what has opened. */
  readonly recipient: Address;
  readonly vesting: Vesting;
  /**
   * Who has the rest if the lock is ended, or its terms are changed, before its time; null: the program
   * does not allow it.
   */
  readonly revocableTo: Address | null;
};

/** An account of a locker: its terms, or why they are not known. */
export type LockAccount = {
  readonly locker: LockerId;
  readonly terms:
    | LockTerms
    /** Its bytes are not what the program writes. */
    | "undecodable"
    /** The node refused to look for it. */
    | "not-read";
};
