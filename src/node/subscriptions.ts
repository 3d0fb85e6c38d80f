import type { Address } from "#src/units/address.ts";
import type { Account } from "#src/venues/account-set.ts";
import {
  accountText,
  closedAccountText,
  type DataEncoding,
  type DataSlice,
} from "./account-json.ts";
import type { Ledger, LedgerListener, LedgerTransaction } from "./ledger.ts";
import { invalidParams, RpcError } from "./rpc-error.ts";
import { mentions, withContext } from "./rpc-methods.ts";
import {
  type AccountFilter,
  accountConfigParam,
  addressParam,
  configParam,
  filterParam,
  numberParam,
} from "./rpc-params.ts";

/** Sends the notifications of one connection. */
export type NotificationSink = (text: string) => void;

type Watch = { readonly id: number; readonly send: NotificationSink };
type AccountWatch = Watch & { readonly address: Address; readonly encoding: DataEncoding | null };
type ProgramWatch = Watch & {
  readonly programId: Address;
  readonly encoding: DataEncoding | null;
  readonly dataSlice: DataSlice | null;
  readonly matches: AccountFilter;
};
/** `mentioned` null: all transactions. */
type LogsWatch = Watch & { readonly mentioned: Address | null };

const MAX_PER_CONNECTION = 50_000;

/** The subscriptions of all connections to one ledger, indexed by what they subscribe to. */
export class SubscriptionIndex implements LedgerListener {
  readonly #ledger: Ledger;
  readonly #accounts = new Map<Address, Map<number, AccountWatch>>();
  readonly #programs = new Map<Address, Map<number, ProgramWatch>>();
  readonly #logs = new Map<number, LogsWatch>();
  readonly #slots = new Map<number, Watch>();
  #lastId = 0;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** The subscriptions of a new connection. */
  connect(send: NotificationSink): ConnectionSubscriptions {
    return new ConnectionSubscriptions(this, send);
  }

  watchAccount(watch: Omit<AccountWatch, "id">): () => void {
    const id = this.nextId();
    return addTo(this.#accounts, watch.address, id, { ...watch, id });
  }

  watchProgram(watch: Omit<ProgramWatch, "id">): () => void {
    const id = this.nextId();
    return addTo(this.#programs, watch.programId, id, { ...watch, id });
  }

  watchLogs(watch: Omit<LogsWatch, "id">): () => void {
    const id = this.nextId();
    this.#logs.set(id, { ...watch, id });
    return () => this.#logs.delete(id);
  }

  watchSlots(watch: Omit<Watch, "id">): () => void {
    const id = this.nextId();
    this.#slots.set(id, { ...watch, id });
    return () => this.#slots.delete(id);
  }

  get lastId(): number {
    return this.#lastId;
  }

  nextId(): number {
    this.#lastId++;
    return this.#lastId;
  }

  onAccount(address: Address, account: Account | null): void {
    const { slot } = this.#ledger.clock;
    for (const { id, send, encoding } of this.#accounts.get(address)?.values() ?? []) {
      const text = account === null ? closedAccountText(encoding) : accountText(account, encoding);
      send(notification("account", withContext(slot, text), id));
    }
    // A closed account has no owning program: its program's subscribers receive nothing, as from a real node.
    if (account === null) return;
    for (const watch of this.#programs.get(account.owner)?.values() ?? []) {
      if (!watch.matches(account)) continue;
      const { encoding, dataSlice } = watch;
      const text = `{"pubkey":"${address}","account":${accountText(account, encoding, dataSlice)}}`;
      watch.send(notification("program", withContext(slot, text), watch.id));
    }
  }

  onTransaction(transaction: LedgerTransaction): void {
    const { signature, logs, slot } = transaction;
    let text: string | null = null;
    for (const { id, send, mentioned } of this.#logs.values()) {
      if (mentioned !== null && !mentions(transaction, mentioned)) continue;
      text ??= withContext(slot, JSON.stringify({ signature, err: null, logs }));
      send(notification("logs", text, id));
    }
  }

  onSlot(slot: bigint): void {
    const text = `{"slot":${slot},"parent":${slot - 1n},"root":${slot - 32n}}`;
    for (const { id, send } of this.#slots.values()) send(notification("slot", text, id));
  }
}

/** The subscriptions of one connection. */
class ConnectionSubscriptions {
  readonly #index: SubscriptionIndex;
  readonly #send: NotificationSink;
  readonly #stopById = new Map<number, { readonly kind: string; readonly stop: () => void }>();

  constructor(index: SubscriptionIndex, send: NotificationSink) {
    this.#index = index;
    this.#send = send;
  }

  /** The `result` of a subscription method; null for any other method. @throws RpcError */
  call(method: string, params: readonly unknown[]): string | null {
    const kind = /^(account|program|logs|slot)(Subscribe|Unsubscribe)$/.exec(method);
    if (kind === null) return null;
    const [, what = "", action] = kind;
    return action === "Subscribe" ? this.#subscribe(what, params) : this.#unsubscribe(what, params);
  }

  close(): void {
    for (const { stop } of this.#stopById.values()) stop();
    this.#stopById.clear();
  }

  #subscribe(kind: string, params: readonly unknown[]): string {
    if (this.#stopById.size >= MAX_PER_CONNECTION) {
      throw new RpcError(-32006, "Too many subscriptions on this connection");
    }
    const stop = this.#watch(kind, params);
    const id = this.#index.lastId;
    this.#stopById.set(id, { kind, stop });
    return `${id}`;
  }

  #watch(kind: string, [first, second]: readonly unknown[]): () => void {
    const send = this.#send;
    switch (kind) {
      case "account": {
        const { encoding } = accountConfigParam(second);
        return this.#index.watchAccount({ address: addressParam(first), encoding, send });
      }
      case "program": {
        const { encoding, dataSlice } = accountConfigParam(second);
        const matches = filterParam(configParam(second)["filters"]);
        return this.#index.watchProgram({
          programId: addressParam(first),
          encoding,
          dataSlice,
          matches,
          send,
        });
      }
      case "logs":
        return this.#index.watchLogs({ mentioned: mentionedParam(first), send });
      default:
        return this.#index.watchSlots({ send });
    }
  }

  #unsubscribe(kind: string, [id]: readonly unknown[]): string {
    const found = this.#stopById.get(numberParam(id));
    if (found === undefined || found.kind !== kind) throw invalidParams("Invalid subscription id.");
    this.#stopById.delete(numberParam(id));
    found.stop();
    return "true";
  }
}

/** `"all"`, `"allWithVotes"` or `{ "mentions": [one address] }`. */
function mentionedParam(value: unknown): Address | null {
  if (value === "all" || value === "allWithVotes") return null;
  const { mentions: list } = configParam(value);
  if (!Array.isArray(list) || list.length !== 1) {
    throw invalidParams("Invalid Request: Only 1 address supported");
  }
  return addressParam(list[0]);
}

function notification(kind: string, result: string, id: number): string {
  return `{"jsonrpc":"2.0","method":"${kind}Notification","params":{"result":${result},"subscription":${id}}}`;
}

function addTo<Key, Value>(
  index: Map<Key, Map<number, Value>>,
  key: Key,
  id: number,
  value: Value,
): () => void {
  const found = index.get(key) ?? new Map<number, Value>();
  found.set(id, value);
  index.set(key, found);
  return () => {
    found.delete(id);
    if (found.size === 0 && index.get(key) === found) index.delete(key);
  };
}
