import { Batcher } from "#src/platform/batcher.ts";
import { isJsonObject } from "#src/platform/json-object.ts";
import type { Address } from "#src/units/address.ts";
import type { ProgramFilter } from "#src/venues/venue.ts";
import type {
  AccountUpdate,
  ChainSource,
  FollowEvents,
  Following,
  Subscription,
  TransactionEvents,
} from "../chain-source.ts";
import { matchesFilter, parseAccount, parseContext, parseKeyedAccount } from "./rpc-answers.ts";
import { RpcFailure } from "./rpc-failure.ts";
import type { Commitment } from "./rpc-reader.ts";
import { INVALID_PARAMS } from "./rpc-refusal.ts";
import { filtersOf } from "./rpc-searches.ts";
import { parseLogs } from "./rpc-transaction.ts";
import type { SubscriptionLink, WantedSubscription } from "./subscription-link.ts";

export type RpcFollowerOptions = {
  readonly link: SubscriptionLink;
  readonly commitment: Commitment;
  /** Subscriptions confirmed within so long of each other are reported together. */
  readonly settleMs: number;
  /** Account notifications of such a slot are dropped. */
  readonly isFarAhead: (slot: bigint) => boolean;
};

/** The subscriptions of a ChainSource over a JSON-RPC link. */
export type RpcFollower = {
  readonly follow: (events: FollowEvents) => Following;
  readonly followProgram: ChainSource["followProgram"];
  readonly followTransactions: (events: TransactionEvents) => Following;
};

export function createRpcFollower(options: RpcFollowerOptions): RpcFollower {
  const { link, commitment, settleMs, isFarAhead } = options;
  /** Most providers bill WebSockets by the byte: arrays of ticks and bins shrink to a tenth. */
  let encoding: "base64+zstd" | "base64" = "base64+zstd";
  /** Nodes serve no logs of processed slots, and do not take back a program's new account. */
  const settled = commitment === "processed" ? "confirmed" : commitment;

  function follow(events: FollowEvents): Following {
    const followed = new Batcher<Address>({
      flush: (addresses) => events.onFollowed?.(addresses),
      maxDelayMs: settleMs,
    });
    const wantedOf = (address: Address): WantedSubscription => ({
      kind: "account",
      params: () => [address, { encoding, commitment }],
      onRefused: (code) => {
        if (code !== INVALID_PARAMS || encoding === "base64") return false;
        encoding = "base64";
        return true;
      },
      onResult: (result) => {
        const update = parsedOrNull(() => accountUpdateOf(address, result));
        if (update !== null && !isFarAhead(update.slot)) events.onUpdate(update);
      },
      onConfirmed: () => followed.add(address),
    });
    const stopListening = link.listen({ onSlot: events.onSlot, onRestored: events.onGap });
    return following(link, wantedOf, () => {
      stopListening();
      followed.clear();
    });
  }

  function followProgram(
    filter: ProgramFilter,
    onUpdate: (update: AccountUpdate) => void,
    onNamed?: (address: Address) => void,
  ): Subscription {
    const slice = onNamed === undefined ? {} : { dataSlice: { offset: 0, length: 0 } };
    const config = {
      encoding: "base64",
      commitment: settled,
      filters: filtersOf(filter),
      ...slice,
    };
    const wanted: WantedSubscription = {
      kind: "program",
      params: () => [filter.programId, config],
      onResult: (result) => {
        if (onNamed !== undefined) {
          const named = parsedOrNull(() => accountNamed(filter, result));
          if (named !== null) onNamed(named);
          return;
        }
        const update = parsedOrNull(() => programUpdateOf(filter, result));
        if (update !== null && !isFarAhead(update.slot)) onUpdate(update);
      },
      onConfirmed: () => {},
    };
    link.want(wanted);
    return {
      close: async () => link.drop(wanted),
    };
  }

  function followTransactions(events: TransactionEvents): Following {
    const wantedOf = (address: Address): WantedSubscription => ({
      kind: "logs",
      params: () => [{ mentions: [address] }, { commitment: settled }],
      onResult: (result) => {
        const transaction = parsedOrNull(() => transactionOf(result));
        if (transaction !== null) events.onTransaction(transaction);
      },
      onConfirmed: () => {},
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

/** The address of an account without its data, which the node has compared with the filter. */
function accountNamed(filter: ProgramFilter, result: unknown): Address | null {
  const { slot, value } = parseContext(result);
  const found = parseKeyedAccount(value, slot);
  return found?.account.owner === filter.programId ? found.address : null;
}

function transactionOf(result: unknown) {
  const { slot, value } = parseContext(result);
  if (!isJsonObject(value) || value["err"] !== null) return null;
  const { signature } = value;
  const logs = parseLogs(value["logs"]);
  if (typeof signature !== "string" || logs === null) return null;
  return { signature, slot, logs, instructions: null };
}

/** A malformed notification is dropped: periodic reads replace it. */
function parsedOrNull<Value>(parse: () => Value): Value | null {
  try {
    return parse();
  } catch (error) {
    if (error instanceof RpcFailure) return null;
    throw error;
  }
}
