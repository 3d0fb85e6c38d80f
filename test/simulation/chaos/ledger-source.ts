import type { ChainSource, Subscription } from "#src/chain/chain-source.ts";
import { matchesFilter } from "#src/chain/rpc/rpc-answers.ts";
import type { Ledger } from "#src/node/ledger.ts";

/**
 * Reads a ledger without a link in between: what a client would know that missed nothing. It awaits
 * nothing but itself, so the ledger does not change while something is loaded through it.
 */
export function ledgerSource(ledger: Ledger): ChainSource {
  const nothing: Subscription = { close: async () => {} };
  return {
    origin: "demo",
    readAccounts: async (addresses) => ({
      slot: ledger.clock.slot,
      accounts: new Map(addresses.map((address) => [address, ledger.get(address)])),
    }),
    findLargestAccounts: async () => ({ kind: "refused", reason: "not played here" }),
    searchAccounts: async (filter) => ({
      kind: "found",
      slot: ledger.clock.slot,
      accounts: new Map(
        [...ledger.ownedBy(filter.programId)].flatMap((address) => {
          const account = ledger.get(address);
          return account !== null && matchesFilter(account, filter) ? [[address, account]] : [];
        }),
      ),
    }),
    readClock: async () => ledger.clock,
    follow: () => ({ add: () => {}, remove: () => {}, ...nothing }),
    followProgram: () => nothing,
    close: async () => {},
  };
}
