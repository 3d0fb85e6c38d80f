import type { AccountUpdate, ChainSource } from "#src/chain/chain-source.ts";
import type { Address } from "#src/units/address.ts";
import type { Account, AccountSet } from "#src/venues/account-set.ts";

/** Slots that a version stays behind the newest one: transactions are judged some seconds late. */
const KEPT_SLOTS = 100n;
/** Whoever makes a token may make its account megabytes long, and change it in every slot. */
const MOST_BYTES_AN_ACCOUNT = 2 * 1024 * 1024;

type Version = {
  readonly account: Account | null;
  /** The slot that first told of these bytes, and the newest that told of them again. */
  readonly slot: bigint;
  heldSlot: bigint;
};

/**
 * The last few versions of every account that is followed: what stood before a given slot. Fed by
 * the very updates and reads that tracking lives on, so that what is replayed is what was answered.
 */
export class AccountVersions {
  /** Ascending by slot. */
  readonly #versions = new Map<Address, Version[]>();
  #newestSlot = 0n;

  get newestSlot(): bigint {
    return this.#newestSlot;
  }

  add({ address, account, slot }: AccountUpdate): void {
    if (slot > this.#newestSlot) this.#newestSlot = slot;
    const versions = this.#versions.get(address);
    const version = { account, slot, heldSlot: slot };
    if (versions === undefined) {
      this.#versions.set(address, [version]);
      return;
    }
    let at = versions.length;
    while (at > 0 && (versions[at - 1]?.slot ?? 0n) > slot) at--;
    const before = versions[at - 1];
    if (before !== undefined && isSame(before.account, account)) {
      if (slot > before.heldSlot) before.heldSlot = slot;
    } else {
      // What a slot left replaces what was read in the midst of it.
      versions.splice(before?.slot === slot ? at - 1 : at, before?.slot === slot ? 1 : 0, version);
    }
    this.#trim(versions, account?.data.length ?? 0);
  }

  /** Drops what is too old to be asked for, and of large accounts what would take too much room. */
  #trim(versions: Version[], dataLength: number): void {
    const oldest = this.#newestSlot - KEPT_SLOTS;
    const most = Math.max(2, Math.floor(MOST_BYTES_AN_ACCOUNT / Math.max(1, dataLength)));
    while (versions.length > most || (versions[1]?.slot ?? oldest) < oldest) versions.shift();
  }

  /** The accounts as they stood when the slot began; undefined where that is not known. */
  before(slot: bigint): AccountSet {
    return { get: (address) => this.#versionBefore(address, slot)?.account };
  }

  /** The newest slot before that one at which the account was told of; null: none. */
  heldBefore(address: Address, slot: bigint): bigint | null {
    const version = this.#versionBefore(address, slot);
    if (version === undefined) return null;
    return version.heldSlot < slot ? version.heldSlot : slot - 1n;
  }

  /** Forgets accounts that nobody holds any more. */
  forget(addresses: Iterable<Address>): void {
    for (const address of addresses) this.#versions.delete(address);
  }

  /** Updates may have been lost: what is held may no longer be what stood. */
  forgetAll(): void {
    this.#versions.clear();
  }

  #versionBefore(address: Address, slot: bigint): Version | undefined {
    return this.#versions.get(address)?.findLast((version) => version.slot < slot);
  }
}

/** What is told of every account update, in the order in which they come. */
export type UpdateKeeper = Pick<AccountVersions, "add" | "forgetAll">;

/** The same source, which keeps versions of what it tells of accounts that tracking holds. */
export function keepVersions(
  source: ChainSource,
  versions: UpdateKeeper,
  holds: (address: Address) => boolean,
): ChainSource {
  const keep = (update: AccountUpdate): void => {
    if (holds(update.address)) versions.add(update);
  };
  return {
    origin: source.origin,
    readAccounts: async (addresses, signal) => {
      const read = await source.readAccounts(addresses, signal);
      for (const [address, account] of read.accounts) {
        keep({ address, account, slot: account?.slot ?? read.slot });
      }
      return read;
    },
    searchAccounts: (filter, signal) => source.searchAccounts(filter, signal),
    findLargestAccounts: (mint, signal) => source.findLargestAccounts(mint, signal),
    readHead: (signal) => source.readHead(signal),
    follow: (events) =>
      source.follow({
        ...events,
        onUpdate: (update) => {
          keep(update);
          events.onUpdate(update);
        },
        onGap: (sinceSlot) => {
          versions.forgetAll();
          events.onGap(sinceSlot);
        },
      }),
    followProgram: (filter, onUpdate) =>
      source.followProgram(filter, (update) => {
        keep(update);
        onUpdate(update);
      }),
    close: () => source.close(),
  };
}

function isSame(a: Account | null, b: Account | null): boolean {
  if (a === null || b === null) return a === b;
  if (a.data === b.data) return a.owner === b.owner;
  return a.owner === b.owner && Buffer.compare(a.data, b.data) === 0;
}
