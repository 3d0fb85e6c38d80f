import type { SearchResult } from "#src/chain/chain-source.ts";
import type { Ledger } from "#src/node/ledger.ts";
import { type Address, addressBytes } from "#src/units/address.ts";
import type { Account } from "#src/venues/account-set.ts";
import type { ProgramFilter } from "#src/venues/venue.ts";

/**
 * Answers getProgramAccounts queries from an index, as a node's secondary indexes do: the local node
 * looks through every account of the program, which is too long for thousands of tokens. Pools that
 * are made after the first query are not found.
 */
export function indexedSearch(ledger: Ledger): (filter: ProgramFilter) => Promise<SearchResult> {
  const indexes = new Map<string, ReadonlyMap<string, readonly Address[]>>();

  function indexOf(programId: Address, offset: number, length: number) {
    const name = `${programId} ${offset} ${length}`;
    const known = indexes.get(name);
    if (known !== undefined) return known;
    const made = new Map<string, Address[]>();
    for (const address of ledger.ownedBy(programId)) {
      const data = ledger.get(address)?.data;
      if (data === undefined || data.length < offset + length) continue;
      const value = Buffer.from(data.subarray(offset, offset + length)).toString("latin1");
      const at = made.get(value);
      if (at === undefined) made.set(value, [address]);
      else at.push(address);
    }
    indexes.set(name, made);
    return made;
  }

  return async ({ programId, dataSize, memcmp }) => {
    const { slot } = ledger.clock;
    const parts = memcmp.map(({ offset, bytes }) => {
      const wanted = typeof bytes === "string" ? (addressBytes(bytes) ?? new Uint8Array(0)) : bytes;
      const text = Buffer.from(wanted).toString("latin1");
      return indexOf(programId, offset, wanted.length).get(text) ?? [];
    });
    const [fewest, ...rest] = parts.toSorted((a, b) => a.length - b.length);
    const others = rest.map((addresses) => new Set(addresses));
    const accounts = new Map<Address, Account>();
    for (const address of fewest ?? []) {
      const account = ledger.get(address);
      if (account === null || others.some((other) => !other.has(address))) continue;
      if (dataSize !== null && account.data.length !== dataSize) continue;
      accounts.set(address, { ...account, slot });
    }
    return { kind: "found", slot, accounts };
  };
}
