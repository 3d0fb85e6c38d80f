import type { Address } from "#src/units/address.ts";
import { CLOCK_SYSVAR } from "#src/units/known-addresses.ts";
import type { Account } from "#src/venues/account-set.ts";
import type { Instruction } from "#src/venues/program-run.ts";
import type { Clock } from "#src/venues/venue.ts";
import type { SearchKey } from "./search-key.ts";
import { clockAccount } from "./slot-clock.ts";

/** Accounts to store, by address; null deletes one. */
export type AccountChanges = ReadonlyMap<Address, Account | null>;

/** What the node keeps of a transaction. */
export type LedgerTransaction = {
  readonly signature: string;
  readonly slot: bigint;
  readonly unixTimestamp: bigint;
  readonly feePayer: Address;
  readonly logs: readonly string[];
  readonly instruction: Instruction;
  readonly inner: readonly Instruction[];
  /** Of the token accounts that it changed, base units; absent: none. */
  readonly tokenAmounts?: ReadonlyMap<Address, TokenChange>;
};

/** A token account before and after a transaction; null: it did not exist. */
export type TokenChange = {
  readonly mint: Address;
  readonly before: bigint | null;
  readonly after: bigint | null;
};

export type LedgerListener = {
  /** An account at the end of a slot; null: deleted. */
  readonly onAccount: (address: Address, account: Account | null) => void;
  readonly onTransaction: (transaction: LedgerTransaction) => void;
  /** The node started this slot. */
  readonly onSlot: (slot: bigint) => void;
};

export type LedgerOptions = {
  /** The clock is a recorded one and never moves. */
  readonly isFrozen?: boolean;
  /** Read from recorded accounts: an account that is missing here may exist. */
  readonly isRecorded?: boolean;
  readonly refusedSearches?: ReadonlySet<SearchKey>;
};

const NO_SEARCHES: ReadonlySet<SearchKey> = new Set();
const TRANSACTIONS_KEPT = 2_000;

/**
 * The accounts of a chain at a slot. Changes made during a slot can be read at once. When the slot ends,
 * listeners receive each changed account once, as it is then.
 */
export class Ledger {
  #clock: Clock;
  readonly #options: LedgerOptions;
  readonly #accounts = new Map<Address, Account>();
  readonly #byOwner = new Map<Address, Set<Address>>();
  readonly #changed = new Set<Address>();
  readonly #newTransactions: LedgerTransaction[] = [];
  readonly #transactions = new Map<string, LedgerTransaction>();
  readonly #listeners = new Set<LedgerListener>();
  /** Collects the addresses of new accounts; null: not collecting. */
  #newcomers: Set<Address> | null = null;

  constructor(clock: Clock, options: LedgerOptions = {}) {
    this.#clock = clock;
    this.#options = options;
    this.apply(new Map([[CLOCK_SYSVAR, clockAccount(clock)]]));
  }

  get clock(): Clock {
    return this.#clock;
  }

  /** It holds only the accounts that were recorded. */
  get isRecorded(): boolean {
    return this.#options.isRecorded === true;
  }

  /** Searches that a node over this ledger refuses, as the recorded one did. */
  get refusedSearches(): ReadonlySet<SearchKey> {
    return this.#options.refusedSearches ?? NO_SEARCHES;
  }

  get size(): number {
    return this.#accounts.size;
  }

  get(address: Address): Account | null {
    return this.#accounts.get(address) ?? null;
  }

  addresses(): Iterable<Address> {
    return this.#accounts.keys();
  }

  /** Addresses whose accounts a program owns now. */
  ownedBy(programId: Address): Iterable<Address> {
    return this.#byOwner.get(programId) ?? [];
  }

  transaction(signature: string): LedgerTransaction | null {
    return this.#transactions.get(signature) ?? null;
  }

  /** The last 2,000 transactions, oldest first. */
  transactions(): Iterable<LedgerTransaction> {
    return this.#transactions.values();
  }

  /** Stores accounts at the current slot; null deletes one. `isSilent`: listeners are not called. */
  apply(changes: AccountChanges, { isSilent = false } = {}): void {
    for (const [address, account] of changes) {
      const before = this.#accounts.get(address);
      if (before !== undefined && before.owner !== account?.owner) {
        this.#byOwner.get(before.owner)?.delete(address);
      }
      if (before === undefined && account !== null) this.#newcomers?.add(address);
      if (account === null) this.#accounts.delete(address);
      else {
        this.#accounts.set(address, { ...account, slot: this.#clock.slot });
        this.#ownedSet(account.owner).add(address);
      }
      if (!isSilent) this.#changed.add(address);
    }
  }

  /** Runs `work`, and adds the addresses of the accounts that it created to the given set. */
  noting<Result>(newcomers: Set<Address>, work: () => Result): Result {
    this.#newcomers = newcomers;
    try {
      return work();
    } finally {
      this.#newcomers = null;
    }
  }

  addTransaction(transaction: LedgerTransaction): void {
    this.#transactions.set(transaction.signature, transaction);
    this.#newTransactions.push(transaction);
    if (this.#transactions.size > TRANSACTIONS_KEPT) {
      const [oldest] = this.#transactions.keys();
      if (oldest !== undefined) this.#transactions.delete(oldest);
    }
  }

  /** Ends the slot: listeners receive its changes, and the next slot begins. */
  advance(next: Clock): void {
    this.#tellChanges();
    if (this.#options.isFrozen !== true) {
      this.#clock = next;
      this.apply(new Map([[CLOCK_SYSVAR, clockAccount(next)]]));
    }
    for (const listener of this.#listeners) listener.onSlot(this.#clock.slot);
  }

  /** Returns a function that removes the listener. */
  listen(listener: LedgerListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #tellChanges(): void {
    const transactions = this.#newTransactions.splice(0);
    const changed = [...this.#changed];
    this.#changed.clear();
    for (const listener of this.#listeners) {
      for (const transaction of transactions) listener.onTransaction(transaction);
      for (const address of changed) listener.onAccount(address, this.get(address));
    }
  }

  #ownedSet(owner: Address): Set<Address> {
    const found = this.#byOwner.get(owner);
    if (found !== undefined) return found;
    const made = new Set<Address>();
    this.#byOwner.set(owner, made);
    return made;
  }
}
