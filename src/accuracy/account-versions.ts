import type { AccountUpdate } from "#src/chain/chain-source.ts";
import { isSame } from "#src/track/following/held-account.ts";
import type { Address } from "#src/units/address.ts";
import type { Account, AccountSet } from "#src/venues/account-set.ts";

/** A version is kept for this many slots: transactions are judged some seconds late. */
const MAX_AGE_SLOTS = 100n;
/** A token's creator can make its account megabytes long and change it in every slot. */
const MAX_BYTES_PER_ACCOUNT = 2 * 1024 * 1024;

type Version = {
  readonly account: Account | null;
  /** The slot that first delivered these bytes, and the newest slot that confirmed them. */
  readonly slot: bigint;
  heldSlot: bigint;
};

/**
 * The last few versions of every followed account, to look up its bytes before a given slot.
 * Receives the same updates and reads as the tracker.
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
      // The last update of a slot replaces earlier ones of the same slot.
      versions.splice(before?.slot === slot ? at - 1 : at, before?.slot === slot ? 1 : 0, version);
    }
    this.#trim(versions, account?.data.length ?? 0);
  }

  /** Drops versions that are too old, and old versions of large accounts beyond the size limit. */
  #trim(versions: Version[], dataLength: number): void {
    const oldest = this.#newestSlot - MAX_AGE_SLOTS;
    const maxVersions = Math.max(2, Math.floor(MAX_BYTES_PER_ACCOUNT / Math.max(1, dataLength)));
    while (versions.length > maxVersions || (versions[1]?.slot ?? oldest) < oldest)
      versions.shift();
  }

  /** The accounts at the start of the slot; undefined where that is not known. */
  before(slot: bigint): AccountSet {
    return { get: (address) => this.#versionBefore(address, slot)?.account };
  }

  /** The first version of an account that came after the slot; undefined: none has come yet. */
  firstAfter(address: Address, slot: bigint): Account | null | undefined {
    return this.#versions.get(address)?.find((version) => version.slot > slot)?.account;
  }

  /** The newest slot before this one at which the account is known to hold; null: none. */
  heldBefore(address: Address, slot: bigint): bigint | null {
    const version = this.#versionBefore(address, slot);
    if (version === undefined) return null;
    return version.heldSlot < slot ? version.heldSlot : slot - 1n;
  }

  /** Drops accounts that nothing depends on any more. */
  forget(addresses: Iterable<Address>): void {
    for (const address of addresses) this.#versions.delete(address);
  }

  /** Drops everything: updates may have been lost. */
  forgetAll(): void {
    this.#versions.clear();
  }

  #versionBefore(address: Address, slot: bigint): Version | undefined {
    return this.#versions.get(address)?.findLast((version) => version.slot < slot);
  }
}
