import type { Address } from "#src/units/address.ts";
import type { TokenAmounts } from "../chain-source.ts";
import { parseU64 } from "./parse-u64.ts";

/** An entry of a transaction's `preTokenBalances` or `postTokenBalances`. */
export type StatedBalance = {
  /** Place of the token account among the transaction's addresses. */
  readonly accountIndex: number;
  /** Base units in decimal text. */
  readonly amount: string | undefined;
};

/** The token accounts of a transaction, with their balances; malformed entries are left out. */
export function tokenAmountsOf(
  addresses: readonly Address[],
  {
    before,
    after,
  }: { readonly before: readonly StatedBalance[]; readonly after: readonly StatedBalance[] },
): ReadonlyMap<Address, TokenAmounts> {
  const amounts = new Map<Address, TokenAmounts>();
  for (const [side, balances] of [
    ["before", before],
    ["after", after],
  ] as const) {
    for (const { accountIndex, amount } of balances) {
      const address = addresses[accountIndex];
      if (address === undefined) continue;
      const known = amounts.get(address) ?? { before: null, after: null };
      amounts.set(address, { ...known, [side]: parseU64(amount) });
    }
  }
  return amounts;
}
