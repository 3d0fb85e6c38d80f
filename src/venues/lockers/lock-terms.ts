import type { Address } from "#src/units/address.ts";
import type { Vesting } from "../shared/vesting.ts";

/** A program that keeps liquidity from its owner; published in answers. */
export type LockerId = "jupiter-lock" | "meteora-damm-v2" | "meteora-dlmm" | "streamflow";

/** The terms of one lock, decoded from its account. */
export type LockTerms = {
  readonly locker: LockerId;
  readonly mint: Address;
  /** The owner of the tokens that have opened. */
  readonly recipient: Address;
  readonly vesting: Vesting;
  /**
   * The owner of the locked rest if the lock is ended early, or its terms are changed; null: the program
   * does not allow that.
   */
  readonly revocableTo: Address | null;
};

/** An account of a locker: its terms, or why they are unknown. */
export type LockAccount = {
  readonly locker: LockerId;
  readonly terms:
    | LockTerms
    /** Its bytes do not have the program's format. */
    | "undecodable"
    /** The node refused the search for it. */
    | "not-read";
};
