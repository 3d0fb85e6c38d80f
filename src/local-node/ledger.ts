import type { Address } from "#src/units/address.ts";
import { CLOCK_SYSVAR } from "#src/units/known-addresses.ts";
import type { Account } from "#src/venues/account-set.ts";
import type { Clock } from "#src/venues/venue.ts";
import type { AccountChanges } from "./market-program.ts";
import type { SearchKey } from "./search-key.ts";
import { clockAccount } from "./slot-clock.ts";

/** A transaction as far as the node can tell of it afterwards. */
export type LedgerTransaction = {
  readonly signature: string;
  readonly slot: bigint;
  readonly unixTimestamp: bigint;
  readonly feePayer: Address;
  readonly logs: readonly string[];
  readonly instruction: LedgerInstruction;
  readonly inner: readonly LedgerInstruction[];
};

export type LedgerInstruction = {
  readonly programId: Address;
  readonly accounts: readonly Address[];
  readonly data: Uint8Array;
};

export type LedgerListener = {
  /** An account as a slot left it; null: deleted. */
  readonly onAccount: (address: Address, account: Account | null) => void;
  readonly onTransaction: (transaction: LedgerTransaction) => void;
  /** The node works on this slot now. */
  readonly onSlot: (slot: bigint) => void;
};

export type LedgerOptions = {
  /** The clock is a recorded one and never moves. */
  readonly standsStill?: boolean;
  /** It was read from recorded accounts: what it does not hold may exist all the same. */
  readonly isRecorded?: boolean;
  readonly refusedSearches?: ReadonlySet<SearchKey>;
};

const NO_SEARCHES: ReadonlySet<SearchKey> = new Set();
const TRANSACTIONS_KEPT = 2_000;

/**
 * The accounts of a chain and the slot they stand at. Changes made during a slot can be read at
 * once; listeners hear of each changed account once, with what the slot left, when the slot ends.
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
  /** Where addresses that come to be are noted; null: nowhere. */
  #newcomers: Set<Address> | null = null;

  constructor(clock: Clock, options: LedgerOptions = {}) {
    this.#clock = clock;
    this.#options = options;
    this.apply(new Map([[CLOCK_SYSVAR, clockAccount(clock)]]));
  }

  get clock(): Clock {
    return this.#clock;
  }

  /** It holds the accounts that were recorded, and not everybody's. */
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

  /** The last two thousand transactions, oldest first. */
  transactions(): Iterable<LedgerTransaction> {
    return this.#transactions.values();
  }

  /** Stores accounts as of the current slot; null deletes one. `isSilent`: no listener hears of it. */
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

  /** Does the work, and notes which accounts it made that were not there before. */
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

  /** Ends the slot: listeners hear what it changed, and the next one begins. */
  advance(next: Clock): void {
    this.#tellChanges();
    if (this.#options.standsStill !== true) {
      this.#clock = next;
      this.apply(new Map([[CLOCK_SYSVAR, clockAccount(next)]]));
    }
    for (const listener of this.#listeners) listener.onSlot(this.#clock.slot);
  }

  /** Returns what stops the listening. */
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
