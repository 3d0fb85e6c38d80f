import {
  type AccountsRead,
  type AccountUpdate,
  type ChainSource,
  type FollowEvents,
  type Following,
  LARGEST_LISTED,
  type LargestAccounts,
  type SearchResult,
} from "#src/chain/chain-source.ts";
import type { SlotOutcome } from "#src/chain/geyser/slot-outcomes.ts";
import { AppError } from "#src/platform/app-error.ts";
import { type Address, bytesOf } from "#src/units/address.ts";
import { CLOCK_SYSVAR, SYSTEM_PROGRAM } from "#src/units/known-addresses.ts";
import type { Account } from "#src/venues/account-set.ts";
import { decodeTokenAccount } from "#src/venues/shared/token/token-account.ts";
import type { Clock, ProgramFilter } from "#src/venues/venue.ts";
import type { PlainAccount } from "./plain-pool-venue.ts";

/** What becomes of one notification on its way. */
export type Delivery = "now" | "lost" | "twice" | "held";

const MS_PER_SLOT = 400;

type Version = { readonly slot: bigint; readonly account: PlainAccount | null };

/**
 * A chain that a test writes and breaks: every account with its history, and subscribers that are notified of
 * changes as `delivery` says. Time moves only by `advance`.
 */
export class ScriptedChain implements ChainSource {
  readonly origin: "demo" | "recorded" | "live";
  /** Notifications are of processed slots. */
  isProcessed = false;
  slot = 1_000n;
  nowMs: number;
  delivery: (update: AccountUpdate) => Delivery = () => "now";
  /** Slots by which reads lag behind. */
  readLag = 0n;
  isReachable = true;
  readonly refusedPrograms = new Set<Address>();
  readonly leftOut = new Set<Address>();
  readonly reads: (readonly Address[])[] = [];
  readonly searches: ProgramFilter[] = [];
  readonly holderSearches: Address[] = [];
  readonly #versions = new Map<Address, Version[]>();
  readonly #followers = new Set<Follower>();
  readonly #programFollowers = new Set<ProgramFollower>();
  readonly #goneAtSlot = new Map<Address, bigint>();
  #held: AccountUpdate[] = [];

  constructor(
    options: { readonly origin?: "demo" | "recorded" | "live"; readonly nowMs?: number } = {},
  ) {
    this.origin = options.origin ?? "live";
    this.nowMs = options.nowMs ?? 1_800_000_000_000;
  }

  set(address: Address, account: PlainAccount | null): void {
    const versions = this.#versions.get(address) ?? [];
    versions.push({ slot: this.slot, account });
    this.#versions.set(address, versions);
    this.#send({ address, account: at(account, this.slot), slot: this.slot });
  }

  /** Advances time, one slot every 400 ms, and notifies subscribers of each slot. */
  advance(slots: number): void {
    for (let step = 0; step < slots; step++) {
      this.slot += 1n;
      this.nowMs += MS_PER_SLOT;
      const clock = at(clockAccount(this.#clockAt(this.slot)), this.slot);
      this.#send({ address: CLOCK_SYSVAR, account: clock, slot: this.slot });
      for (const follower of this.#followers) follower.events.onSlot(this.slot);
    }
  }

  /** Undoes, silently, every change of the present slot: it was on a fork that lost. */
  undoSlot(): void {
    for (const [address, versions] of this.#versions) {
      const kept = versions.filter(({ slot }) => slot < this.slot);
      this.#versions.set(address, kept);
    }
  }

  /** Says for this one slot that the account does not exist, in notifications and reads alike. */
  pretendGone(address: Address): void {
    this.#goneAtSlot.set(address, this.slot);
    this.#send({ address, account: null, slot: this.slot });
  }

  /** Ends every fault; what was held back arrives now, late. */
  heal(): void {
    this.delivery = () => "now";
    this.readLag = 0n;
    this.isReachable = true;
    this.leftOut.clear();
    this.refusedPrograms.clear();
    this.#goneAtSlot.clear();
    this.release();
  }

  /** Delivers what was held back, in the given order. */
  release(order: (updates: readonly AccountUpdate[]) => readonly AccountUpdate[] = (u) => u): void {
    const held = this.#held;
    this.#held = [];
    for (const update of order(held)) this.#deliver(update);
  }

  /** @param lost the accounts whose updates may be missing; null: any */
  gap(sinceSlot: bigint | null = null, lost: ReadonlySet<Address> | null = null): void {
    for (const follower of this.#followers) follower.events.onGap(sinceSlot, null, lost);
  }

  /** Reports what became of a slot, to followers of processed state. */
  endSlot(slot: bigint, outcome: SlotOutcome): void {
    for (const follower of this.#followers) follower.events.onSlotEnd?.(slot, outcome);
  }

  /** The stream delivers every change from now on, or part of it is lost. */
  claimWhole(isWhole: boolean): void {
    for (const follower of this.#followers) follower.events.onWhole?.(isWhole);
  }

  /** Reports that all streams have delivered the slot. */
  reach(slot: bigint): void {
    for (const follower of this.#followers) follower.events.onReached?.(slot);
  }

  /** Reports that no stream delivers these accounts. */
  placeElsewhere(addresses: readonly Address[]): void {
    for (const follower of this.#followers) follower.events.onElsewhere?.(new Set(addresses));
  }

  followed(): ReadonlySet<Address> {
    return new Set([...this.#followers].flatMap(({ addresses }) => [...addresses]));
  }

  async readAccounts(addresses: readonly Address[]): Promise<AccountsRead> {
    this.#needReachable();
    this.reads.push(addresses);
    const slot = this.slot - this.readLag;
    const accounts = new Map<Address, Account | null>();
    for (const address of addresses) {
      if (!this.leftOut.has(address)) accounts.set(address, this.#accountAt(address, slot));
    }
    return { slot, accounts };
  }

  async searchAccounts(filter: ProgramFilter): Promise<SearchResult> {
    this.#needReachable();
    this.searches.push(filter);
    if (this.refusedPrograms.has(filter.programId)) return { kind: "refused", reason: "disabled" };
    const matchesFilter = matcherOf(filter);
    const accounts = new Map<Address, Account>();
    for (const address of this.#versions.keys()) {
      const account = this.#accountAt(address, this.slot);
      if (account !== null && matchesFilter(account)) accounts.set(address, account);
    }
    return { kind: "found", slot: this.slot, accounts };
  }

  async findLargestAccounts(mint: Address): Promise<LargestAccounts> {
    this.#needReachable();
    this.holderSearches.push(mint);
    if (this.refusedPrograms.has(mint)) return { kind: "refused", reason: "disabled" };
    const held = [...this.#versions.keys()].flatMap((address) => {
      const account = this.#accountAt(address, this.slot);
      const token = decodeTokenAccount(account);
      return token !== null && token.mint === mint ? [{ address, amount: token.amount }] : [];
    });
    const largest = held.toSorted((a, b) => (a.amount < b.amount ? 1 : -1));
    const addresses = largest.slice(0, LARGEST_LISTED).map(({ address }) => address);
    return { kind: "found", addresses };
  }

  async readClock(): Promise<Clock> {
    this.#needReachable();
    return this.#clockAt(this.slot);
  }

  follow(events: FollowEvents): Following {
    const follower: Follower = { events, addresses: new Set() };
    this.#followers.add(follower);
    return following(follower.addresses, () => this.#followers.delete(follower));
  }

  followProgram(filter: ProgramFilter, onUpdate: (update: AccountUpdate) => void): Following {
    const follower: ProgramFollower = { matches: matcherOf(filter), onUpdate };
    this.#programFollowers.add(follower);
    return following(new Set(), () => this.#programFollowers.delete(follower));
  }

  async close(): Promise<void> {
    this.#followers.clear();
    this.#programFollowers.clear();
  }

  #needReachable(): void {
    if (this.isReachable) return;
    throw new AppError("chain_unavailable", { publicMessage: "The node is down." });
  }

  #accountAt(address: Address, slot: bigint): Account | null {
    if (address === CLOCK_SYSVAR) return at(clockAccount(this.#clockAt(slot)), slot);
    if (this.#goneAtSlot.get(address) === this.slot) return null;
    const version = this.#versions.get(address)?.findLast((entry) => entry.slot <= slot);
    return at(version?.account ?? null, slot);
  }

  #clockAt(slot: bigint): Clock {
    const ageMs = Number(this.slot - slot) * MS_PER_SLOT;
    return { slot, unixTimestamp: BigInt(Math.floor((this.nowMs - ageMs) / 1000)), epoch: 800n };
  }

  #send(update: AccountUpdate): void {
    const delivery = this.delivery(update);
    if (delivery === "held") this.#held.push(update);
    if (delivery === "now" || delivery === "twice") this.#deliver(update);
    if (delivery === "twice") this.#deliver(update);
  }

  #deliver(update: AccountUpdate): void {
    for (const { addresses, events } of this.#followers) {
      if (addresses.has(update.address)) events.onUpdate(update);
    }
    for (const { matches, onUpdate } of this.#programFollowers) {
      if (update.account !== null && matches(update.account)) onUpdate(update);
    }
  }
}

type Follower = { readonly events: FollowEvents; readonly addresses: Set<Address> };
type ProgramFollower = {
  readonly matches: (account: PlainAccount) => boolean;
  readonly onUpdate: (update: AccountUpdate) => void;
};

function following(addresses: Set<Address>, onClose: () => void): Following {
  return {
    add: (added) => {
      for (const address of added) addresses.add(address);
    },
    remove: (removed) => {
      for (const address of removed) addresses.delete(address);
    },
    close: async () => onClose(),
  };
}

function at(account: PlainAccount | null, slot: bigint): Account | null {
  return account === null ? null : { ...account, slot };
}

/** Reads the addresses of the filter once. */
function matcherOf({ programId, dataSize, memcmp }: ProgramFilter) {
  const parts = memcmp.map(({ offset, bytes }) => ({
    offset,
    wanted: typeof bytes === "string" ? bytesOf(bytes) : bytes,
  }));
  return ({ owner, data }: PlainAccount): boolean =>
    owner === programId &&
    (dataSize === null || data.length === dataSize) &&
    parts.every(({ offset, wanted }) =>
      wanted.every((byte, index) => data[offset + index] === byte),
    );
}

function clockAccount(clock: Clock): PlainAccount {
  const data = new Uint8Array(40);
  const view = new DataView(data.buffer);
  view.setBigUint64(0, clock.slot, true);
  view.setBigUint64(16, clock.epoch, true);
  view.setBigInt64(32, clock.unixTimestamp, true);
  return { owner: SYSTEM_PROGRAM, lamports: 1n, data };
}
