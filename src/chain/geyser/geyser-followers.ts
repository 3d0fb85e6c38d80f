import { chunksOf } from "#src/platform/chunks.ts";
import type { Address } from "#src/units/address.ts";
import type { ProgramFilter } from "#src/venues/venue.ts";
import type {
  AccountUpdate,
  FollowEvents,
  Following,
  ObservedTransaction,
  Subscription,
  TransactionEvents,
} from "../chain-source.ts";
import { matchesFilter } from "../rpc/rpc-answers.ts";
import type { UndecodedTransaction } from "../undecoded-transaction.ts";
import type { ProgramsFilter } from "./geyser-request.ts";
import type { GeyserUpdate, StreamedAccount } from "./geyser-update.ts";
import { namesAny, transactionOf } from "./streamed-transaction.ts";

export type AccountFollower = { readonly addresses: Set<Address>; readonly events: FollowEvents };
export type ProgramFollower = {
  readonly filter: ProgramFilter;
  readonly onUpdate: (update: AccountUpdate) => void;
};
export type TransactionFollower = {
  readonly addresses: Set<Address>;
  readonly events: TransactionEvents;
};

/** The subscribers of a gRPC source, and the dispatch of messages to them. */
export class GeyserFollowers {
  /** Lists, since every update passes them: an iterator of a set is an object for each. */
  accounts: readonly AccountFollower[] = [];
  programs: readonly ProgramFollower[] = [];
  /** The same followers by program: an update is passed only to followers of its program. */
  #byProgram: ReadonlyMap<Address, readonly ProgramFollower[]> = new Map();
  transactions: readonly TransactionFollower[] = [];
  readonly #onChange: () => void;
  /** Updates of accounts of such a slot are dropped. */
  readonly #isFarAhead: (slot: bigint) => boolean;
  /** Accounts that a follower added or removed since `takeChanged`. */
  #changed = new Set<Address>();
  #unreported: { readonly follower: AccountFollower; readonly address: Address }[] = [];

  constructor(onChange: () => void, isFarAhead: (slot: bigint) => boolean) {
    this.#onChange = onChange;
    this.#isFarAhead = isFarAhead;
  }

  readonly follow = (events: FollowEvents): Following => {
    const follower: AccountFollower = { addresses: new Set(), events };
    this.accounts = [...this.accounts, follower];
    return this.#following(follower.addresses, {
      onAdded: (address) => {
        this.#changed.add(address);
        this.#unreported.push({ follower, address });
      },
      onRemoved: (address) => this.#changed.add(address),
      onClosed: () => {
        this.accounts = without(this.accounts, follower);
      },
    });
  };

  readonly followProgram = (
    filter: ProgramFilter,
    onUpdate: (update: AccountUpdate) => void,
  ): Subscription => {
    const follower: ProgramFollower = { filter, onUpdate };
    this.#setPrograms([...this.programs, follower]);
    return {
      close: async () => {
        if (this.programs.includes(follower)) this.#setPrograms(without(this.programs, follower));
      },
    };
  };

  #setPrograms(programs: readonly ProgramFollower[]): void {
    this.programs = programs;
    this.#byProgram = Map.groupBy(programs, ({ filter }) => filter.programId);
    this.#onChange();
  }

  readonly followTransactions = (events: TransactionEvents): Following => {
    const follower: TransactionFollower = { addresses: new Set(), events };
    this.transactions = [...this.transactions, follower];
    return this.#following(follower.addresses, {
      onAdded: () => {},
      onRemoved: () => {},
      onClosed: () => {
        this.transactions = without(this.transactions, follower);
      },
    });
  };

  /** How many accounts are followed, each follower's counted. */
  get accountCount(): number {
    let count = 0;
    for (const { addresses } of this.accounts) count += addresses.size;
    return count;
  }

  /** The accounts that a follower added or removed since the last call: a fraction of all. */
  takeChanged(): ReadonlySet<Address> {
    const changed = this.#changed;
    this.#changed = new Set();
    return changed;
  }

  isFollowed(address: Address): boolean {
    for (const { addresses } of this.accounts) if (addresses.has(address)) return true;
    return false;
  }

  /** Addresses whose transactions are followed. */
  allMentioned(): ReadonlySet<Address> {
    return new Set(this.transactions.flatMap(({ addresses }) => [...addresses]));
  }

  /** Each program once: those followed whole share filters of so many addresses. */
  programFilters(addressesPerFilter: number): readonly ProgramsFilter[] {
    const whole = new Set<Address>();
    const some = new Map<string, ProgramFilter>();
    for (const { filter } of this.programs) {
      if (isWhole(filter)) whole.add(filter.programId);
      else some.set(JSON.stringify(filter), filter);
    }
    return [
      ...chunksOf(whole, addressesPerFilter).map(
        (programIds): ProgramsFilter => ({ kind: "whole", programIds }),
      ),
      // The stream of its whole program brings these too.
      ...[...some.values()]
        .filter(({ programId }) => !whole.has(programId))
        .map((filter): ProgramsFilter => ({ kind: "some", filter })),
    ];
  }

  clear(): void {
    this.accounts = [];
    this.programs = [];
    this.#byProgram = new Map();
    this.transactions = [];
  }

  /** Every account is subscribed again: nothing of it is reported as followed before that. */
  reportAllAgain(): void {
    this.#unreported = this.accounts.flatMap((follower) =>
      [...follower.addresses].map((address) => ({ follower, address })),
    );
    for (const { address } of this.#unreported) this.#changed.add(address);
  }

  /** The streamed accounts added since the last call, and a function that reports them to their followers. */
  takeAdded(isStreamed: (address: Address) => boolean): {
    readonly addresses: readonly Address[];
    readonly report: () => void;
  } {
    const added = this.#unreported.filter(({ address }) => isStreamed(address));
    this.#unreported = [];
    const report = (): void => {
      const byFollower = Map.groupBy(added, ({ follower }) => follower);
      for (const [{ events, addresses }, entries] of byFollower) {
        const still = entries.map(({ address }) => address).filter((found) => addresses.has(found));
        if (still.length > 0) events.onFollowed?.(still);
      }
    };
    return { addresses: added.map(({ address }) => address), report };
  }

  dispatch({ account, transaction }: GeyserUpdate): void {
    if (account !== undefined) this.#dispatchAccount(account);
    else if (transaction !== undefined) this.#dispatchTransaction(transaction);
  }

  #dispatchTransaction(streamed: UndecodedTransaction): void {
    let transaction: ObservedTransaction | null = null;
    for (const { events } of this.transactions) {
      if (events.named !== undefined && !namesAny(streamed, events.named)) continue;
      transaction ??= transactionOf(streamed);
      if (transaction === null) return;
      events.onTransaction(transaction);
    }
  }

  /** @param lost the accounts whose changes may be missing; null: any */
  gap(sinceSlot: bigint | null, untilSlot: bigint | null, lost: ReadonlySet<Address> | null): void {
    for (const { events } of this.accounts) events.onGap(sinceSlot, untilSlot, lost);
    for (const { events } of this.transactions) events.onGap(sinceSlot);
  }

  #dispatchAccount({ update, passesAccounts, passesPrograms }: StreamedAccount): void {
    if (update === null || this.#isFarAhead(update.slot)) return;
    if (passesAccounts) {
      for (const { addresses, events } of this.accounts) {
        if (addresses.has(update.address)) events.onUpdate(update);
      }
    }
    if (!passesPrograms) return;
    const { account } = update;
    const followers = account === null ? this.programs : this.#byProgram.get(account.owner);
    if (followers === undefined) return;
    for (const { filter, onUpdate } of followers) {
      if (account === null || matchesFilter(account, filter)) onUpdate(update);
    }
  }

  #following(
    followed: Set<Address>,
    on: {
      readonly onAdded: (address: Address) => void;
      readonly onRemoved: (address: Address) => void;
      readonly onClosed: () => void;
    },
  ): Following {
    return {
      add: (addresses) => {
        for (const address of addresses) {
          if (followed.has(address)) continue;
          followed.add(address);
          on.onAdded(address);
        }
        this.#onChange();
      },
      remove: (addresses) => {
        for (const address of addresses) if (followed.delete(address)) on.onRemoved(address);
        this.#onChange();
      },
      close: async () => {
        for (const address of followed) on.onRemoved(address);
        followed.clear();
        on.onClosed();
        this.#onChange();
      },
    };
  }
}

function without<Item>(items: readonly Item[], removed: Item): readonly Item[] {
  return items.filter((item) => item !== removed);
}

function isWhole({ dataSize, memcmp }: ProgramFilter): boolean {
  return dataSize === null && memcmp.length === 0;
}
