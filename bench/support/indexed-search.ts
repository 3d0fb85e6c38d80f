import type { SearchResult } from "#src/chain/chain-source.ts";
import type { Ledger } from "#src/node/ledger.ts";
import type { Address } from "#src/units/address.ts";
import type { Account } from "#src/venues/account-set.ts";
import type { ProgramFilter } from "#src/venues/venue.ts";
import { AccountIndex } from "./account-index.ts";

/** Answers getProgramAccounts queries from an index. Pools that are created after the first query are not found. */
export function indexedSearch(ledger: Ledger): (filter: ProgramFilter) => Promise<SearchResult> {
  const index = new AccountIndex(ledger);
  return async (filter) => {
    const { slot } = ledger.clock;
    const accounts = new Map<Address, Account>();
    for (const address of index.find(filter)) {
      const account = ledger.get(address);
      if (account !== null) accounts.set(address, { ...account, slot });
    }
    return { kind: "found", slot, accounts };
  };
}
