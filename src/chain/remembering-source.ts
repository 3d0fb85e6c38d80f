import type { Address } from "#src/units/address.ts";
import type { Account } from "#src/venues/account-set.ts";
import type { ProgramFilter } from "#src/venues/venue.ts";
import type { ChainSource } from "./chain-source.ts";
import { observedSource } from "./observed-source.ts";

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
  const observed = observedSource(source, {
    onUpdate: ({ address, account }) => {
      accounts.set(address, account);
      unknown.delete(address);
    },
    onLeftOut: (address) => {
      if (!accounts.has(address)) unknown.add(address);
    },
    onSearch: (filter, result) => {
      if (result.kind === "refused") refusedSearches.push(filter);
      else for (const [address, account] of result.accounts) accounts.set(address, account);
    },
  });
  return { source: observed, remembered };
}
