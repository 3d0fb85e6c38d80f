import type { Address } from "#src/units/address.ts";
import type { ProgramFilter } from "#src/venues/venue.ts";
import type {
  AccountUpdate,
  FollowEvents,
  Following,
  Subscription,
  TransactionEvents,
} from "./chain-source.ts";
import { isRecord } from "./json-rpc-client.ts";
import { matchesFilter, parseAccount, parseContext, parseKeyedAccount } from "./rpc-answers.ts";
import { RpcFailure } from "./rpc-failure.ts";
import { type Commitment, filtersOf } from "./rpc-reader.ts";
import { parseLogs } from "./rpc-transaction.ts";
import type { SubscriptionLink, WantedSubscription } from "./subscription-link.ts";

export type RpcFollowerOptions = {
  readonly link: SubscriptionLink;
  readonly commitment: Commitment;
  /** Subscriptions confirmed within so long of each other are announced together. */
  readonly settleMs: number;
};

/** The subscriptions of a ChainSource, over a JSON-RPC link. */
export type RpcFollower = {
  readonly follow: (events: FollowEvents) => Following;
  readonly followProgram: (
    filter: ProgramFilter,
    onUpdate: (update: AccountUpdate) => void,
  ) => Subscription;
  readonly followTransactions: (events: TransactionEvents) => Following;
};

export function createRpcFollower(options: RpcFollowerOptions): RpcFollower {
  const { link, commitment, settleMs } = options;

  function follow(events: FollowEvents): Following {
    const followed = settled<Address>(settleMs, (addresses) => events.onFollowed?.(addresses));
    const wantedOf = (address: Address): WantedSubscription => ({
      kind: "account",
      params: [address, { encoding: "base64", commitment }],
      onResult: (result) => {
        const update = readable(() => accountUpdateOf(address, result));
        if (update !== null) events.onUpdate(update);
      },
      onStanding: () => followed.add(address),
    });
    const stopListening = link.listen({ onSlot: events.onSlot, onRestored: events.onGap });
    return following(link, wantedOf, () => {
      stopListening();
      followed.stop();
    });
  }

  function followProgram(
    filter: ProgramFilter,
    onUpdate: (update: AccountUpdate) => void,
  ): Subscription {
    const config = { encoding: "base64", commitment, filters: filtersOf(filter) };
    const wanted: WantedSubscription = {
      kind: "program",
      params: [filter.programId, config],
      onResult: (result) => {
        const update = readable(() => programUpdateOf(filter, result));
        if (update !== null) onUpdate(update);
      },
      onStanding: () => {},
    };
    link.want(wanted);
    return {
      close: async () => link.drop(wanted),
    };
  }

  function followTransactions(events: TransactionEvents): Following {
    const logsCommitment = commitment === "processed" ? "confirmed" : commitment;
    const wantedOf = (address: Address): WantedSubscription => ({
      kind: "logs",
      params: [{ mentions: [address] }, { commitment: logsCommitment }],
      onResult: (result) => {
        const transaction = readable(() => transactionOf(result));
        if (transaction !== null) events.onTransaction(transaction);
      },
      onStanding: () => {},
    });
    const stopListening = link.listen({ onSlot: () => {}, onRestored: events.onGap });
    return following(link, wantedOf, stopListening);
  }

  return { follow, followProgram, followTransactions };
}

/** A set of addresses, each with its subscription. */
function following(
  link: SubscriptionLink,
  wantedOf: (address: Address) => WantedSubscription,
  stop: () => void,
): Following {
  const wantedByAddress = new Map<Address, WantedSubscription>();
  let isClosed = false;

  function remove(addresses: readonly Address[]): void {
    for (const address of addresses) {
      const wanted = wantedByAddress.get(address);
      if (wanted === undefined) continue;
      wantedByAddress.delete(address);
      link.drop(wanted);
    }
  }

  return {
    add: (addresses) => {
      if (isClosed) return;
      for (const address of addresses) {
        if (wantedByAddress.has(address)) continue;
        const wanted = wantedOf(address);
        wantedByAddress.set(address, wanted);
        link.want(wanted);
      }
    },
    remove,
    close: async () => {
      isClosed = true;
      remove([...wantedByAddress.keys()]);
      stop();
    },
  };
}

/** Gathers what comes within `settleMs` of the first, and hands it on together. */
function settled<Item>(settleMs: number, flush: (items: readonly Item[]) => void) {
  let items: Item[] = [];
  let timer: NodeJS.Timeout | null = null;
  return {
    add: (item: Item) => {
      items.push(item);
      timer ??= setTimeout(() => {
        timer = null;
        const gathered = items;
        items = [];
        flush(gathered);
      }, settleMs);
    },
    stop: () => {
      if (timer !== null) clearTimeout(timer);
      timer = null;
      items = [];
    },
  };
}

function accountUpdateOf(address: Address, result: unknown): AccountUpdate | null {
  const { slot, value } = parseContext(result);
  const account = parseAccount(value, slot);
  return account === undefined ? null : { address, account, slot };
}

function programUpdateOf(filter: ProgramFilter, result: unknown): AccountUpdate | null {
  const { slot, value } = parseContext(result);
  const found = parseKeyedAccount(value, slot);
  if (found === null || !matchesFilter(found.account, filter)) return null;
  return { ...found, slot };
}

function transactionOf(result: unknown) {
  const { slot, value } = parseContext(result);
  if (!isRecord(value) || value["err"] !== null) return null;
  const { signature } = value;
  const logs = parseLogs(value["logs"]);
  if (typeof signature !== "string" || logs === null) return null;
  return { signature, slot, logs, instructions: null };
}

/** A notification that makes no sense is dropped: reads fill what it would have told. */
function readable<Value>(parse: () => Value): Value | null {
  try {
    return parse();
  } catch (error) {
    if (error instanceof RpcFailure) return null;
    throw error;
  }
}
