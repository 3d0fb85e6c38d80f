import type { Address } from "#src/units/address.ts";
import type { Account } from "#src/venues/account-set.ts";
import type { ProgramFilter } from "#src/venues/venue.ts";
import type { ChainSource } from "./chain-source.ts";

/** The replies that a remembering source has received. */
export type RememberedReads = {
  /** The newest reply for each address; null: known not to exist. */
  readonly accounts: Map<Address, Account | null>;
  readonly refusedSearches: ProgramFilter[];
  /** Read without a valid reply: neither present nor known to be absent. */
  readonly unknown: Set<Address>;
};

/** Wraps a source and keeps the replies to its reads and searches, for a recording. */
export function rememberReads(source: ChainSource): {
  readonly source: ChainSource;
  readonly remembered: RememberedReads;
} {
  const remembered: RememberedReads = {
    accounts: new Map(),
    refusedSearches: [],
    unknown: new Set(),
  };
  const { accounts, refusedSearches, unknown } = remembered;

  const readAccounts: ChainSource["readAccounts"] = async (addresses, signal) => {
    const read = await source.readAccounts(addresses, signal);
    for (const address of addresses) {
      const account = read.accounts.get(address);
      if (account !== undefined) accounts.set(address, account);
      else if (!accounts.has(address)) unknown.add(address);
      if (accounts.has(address)) unknown.delete(address);
    }
    return read;
  };

  const searchAccounts: ChainSource["searchAccounts"] = async (filter, signal) => {
    const result = await source.searchAccounts(filter, signal);
    if (result.kind === "refused") refusedSearches.push(filter);
    else for (const [address, account] of result.accounts) accounts.set(address, account);
    return result;
  };

  return {
    source: {
      origin: source.origin,
      readAccounts,
      searchAccounts,
      findLargestAccounts: (mint, signal) => source.findLargestAccounts(mint, signal),
      readHead: (signal) => source.readHead(signal),
      follow: (events) => source.follow(events),
      followProgram: (filter, onUpdate) => source.followProgram(filter, onUpdate),
      close: () => source.close(),
    },
    remembered,
  };
}
