import type {
  ChainSource,
  FollowEvents,
  ObservedTransaction,
  TransactionEvents,
  TransactionSource,
} from "#src/chain/chain-source.ts";
import type { Ledger, LedgerTransaction } from "#src/node/ledger.ts";
import type { Address } from "#src/units/address.ts";
import { ledgerSource } from "../chaos/ledger-source.ts";

/**
 * A ledger as a node publishes it, without a connection in between: updates and logs when a slot ends, the
 * rest of a transaction when it is asked for.
 */
export function playedChain(ledger: Ledger): ChainSource & TransactionSource {
  return {
    ...ledgerSource(ledger),
    follow: (events) => followAccounts(ledger, events),
    followTransactions: (events) => followLogs(ledger, events),
    readTransaction: async (signature) => {
      const transaction = ledger.transaction(signature);
      return transaction === null ? null : observed(transaction);
    },
  };
}

function followAccounts(ledger: Ledger, events: FollowEvents) {
  const followed = new Set<Address>();
  const stop = ledger.listen({
    onAccount: (address, account) => {
      const { slot } = ledger.clock;
      if (followed.has(address)) events.onUpdate({ address, account, slot });
    },
    onTransaction: () => {},
    onSlot: events.onSlot,
  });
  return {
    add: (addresses: readonly Address[]) => {
      for (const address of addresses) followed.add(address);
      queueMicrotask(() => events.onFollowed?.(addresses));
    },
    remove: (addresses: readonly Address[]) => {
      for (const address of addresses) followed.delete(address);
    },
    close: async () => stop(),
  };
}

function followLogs(ledger: Ledger, events: TransactionEvents) {
  const followed = new Set<Address>();
  const stop = ledger.listen({
    onAccount: () => {},
    onTransaction: (transaction) => {
      const { programId, accounts } = transaction.instruction;
      const isMentioned = [programId, ...accounts].some((address) => followed.has(address));
      if (isMentioned) events.onTransaction({ ...observed(transaction), instructions: null });
    },
    onSlot: () => {},
  });
  return {
    add: (addresses: readonly Address[]) => {
      for (const address of addresses) followed.add(address);
    },
    remove: (addresses: readonly Address[]) => {
      for (const address of addresses) followed.delete(address);
    },
    close: async () => stop(),
  };
}

export function observed(transaction: LedgerTransaction): ObservedTransaction {
  const { signature, slot, logs, instruction, inner, unixTimestamp, tokenAmounts } = transaction;
  return {
    signature,
    slot,
    logs,
    blockTime: unixTimestamp,
    ...(tokenAmounts === undefined ? {} : { tokenAmounts }),
    instructions: [instruction, ...inner],
  };
}
