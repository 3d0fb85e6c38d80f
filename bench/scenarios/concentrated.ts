import type { Address } from "#src/units/address.ts";
import type { Ratio } from "#src/units/ratio.ts";
import type { Account, AccountSet } from "#src/venues/account-set.ts";
import type { FastQuoter } from "#src/venues/fast-quoter.ts";
import type { Contender } from "./scenario.ts";

export const CLOCK = { slot: 1n, unixTimestamp: 1_790_000_000n, epoch: 925n };

/** The standard sizes of a position, in lamports. */
const SIZES_LAMPORTS = [5n, 10n, 20n, 50n, 100n, 500n].map((tenths) => tenths * 100_000_000n);

export type Known = ReadonlyMap<Address, Account | null>;

/** Base units that the standard sizes come to at spot, which is in lamports per base unit. */
export function standardAmounts(spot: Ratio | null): readonly bigint[] {
  if (spot === null) throw new Error("the pool sells nothing");
  return SIZES_LAMPORTS.map((lamports) => (lamports * spot.denominator) / spot.numerator);
}

/** The same accounts, those of the program in bytes that were not read before. */
export function copied(known: Known, programId: Address): Known {
  return new Map(
    [...known].map(([address, account]) => [
      address,
      account?.owner === programId ? { ...account, data: account.data.slice() } : account,
    ]),
  );
}

/** Bytes to six amounts by the fast path; every run finds the accounts of `others` changed, or back. */
export function fromBytes(
  fast: FastQuoter,
  states: { readonly known: Known; readonly others: Known },
  amounts: readonly bigint[],
): Contender {
  const amountsIn = Float64Array.from(amounts, Number);
  const amountsOut = new Float64Array(amounts.length);
  let isOther = false;
  const quote = (known: AccountSet): void => {
    if (!fast.refresh(known)) throw new Error("the fast path fell back");
    fast.quoteAscending(amountsIn, amountsOut, CLOCK);
  };
  return {
    run: () => {
      isOther = !isOther;
      quote(isOther ? states.others : states.known);
    },
    outputs: () => {
      quote(states.known);
      return Array.from(amountsOut, String);
    },
  };
}

/** A contender whose run is one call that returns its outputs. */
export function calling(outputs: () => readonly string[]): Contender {
  return { run: () => void outputs(), outputs };
}
