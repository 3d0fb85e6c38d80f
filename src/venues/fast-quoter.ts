import type { AccountSet } from "./account-set.ts";
import type { Clock } from "./venue.ts";

/** Written to `amountsOut` where the fast path can't prove its result: ask the reference. */
export const ASK_REFERENCE = Number.NaN;
/** Written to `amountsOut` where the program would refuse the order. */
export const REFUSED = -1;

/**
 * Quotes in doubles, each one proved equal to the program's integers or left to the reference. Holds
 * views of account bytes and scratch arrays, made once.
 */
export interface FastQuoter {
  /**
   * Re-reads what quotes need after bytes of an account changed. False: the numbers are out of range,
   * use the reference until the next change.
   */
  refresh(known: AccountSet): boolean;

  /**
   * Quotes ascending exact-in amounts, all from the same state, in one traversal.
   *
   * @param amountsIn  base units as exact doubles (below 2^53), ascending, before the transfer fee
   * @param amountsOut what each pays, after every fee, or `REFUSED`, or `ASK_REFERENCE`
   */
  quoteAscending(amountsIn: Float64Array, amountsOut: Float64Array, clock: Clock): void;
}
