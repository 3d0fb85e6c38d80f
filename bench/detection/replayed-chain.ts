import type {
  AccountUpdate,
  ChainSource,
  FollowEvents,
  SearchResult,
} from "#src/chain/chain-source.ts";
import { matchesFilter } from "#src/chain/rpc/rpc-answers.ts";
import { type SearchKey, searchKeyOf } from "#src/node/search-key.ts";
import { clockFromAccount } from "#src/node/slot-clock.ts";
import type { LogEvent } from "#src/node/update-log.ts";
import { AppError } from "#src/platform/app-error.ts";
import type { Address } from "#src/units/address.ts";
import { CLOCK_SYSVAR } from "#src/units/known-addresses.ts";
import type { Account } from "#src/venues/account-set.ts";
import type { Clock, ProgramFilter } from "#src/venues/venue.ts";

/** A node that knows what a recording has named so far. An account that no line names is unknown. */
export class ReplayedChain implements ChainSource {
  readonly origin = "live";
  nowMs = 0;
  readonly #accounts = new Map<Address, Account | null>();
  readonly #refused = new Set<SearchKey>();
  readonly #followers = new Map<FollowEvents, Set<Address>>();
  readonly #programs = new Map<ProgramFilter, Set<(update: AccountUpdate) => void>>();
  #clock: Clock | null = null;

  /** What the recorded tracker received at this moment. */
  apply(event: LogEvent): void {
    if (event.kind === "refused") this.#refused.add(event.key);
    if (event.kind === "gap") for (const events of this.#followers.keys()) events.onGap(null);
    if (event.kind !== "account") return;
    const { address, slot, account } = event;
    this.#accounts.set(address, account);
    for (const [events, followed] of this.#followers) {
      if (followed.has(address)) events.onUpdate({ address, slot, account });
    }
    if (account !== null) {
      for (const [filter, listeners] of this.#programs) {
        if (!matchesFilter(account, filter)) continue;
        for (const listener of listeners) listener({ address, slot, account });
      }
    }
    if (address === CLOCK_SYSVAR && account !== null) this.#advance(clockFromAccount(account));
  }

  async readAccounts(addresses: readonly Address[]) {
    const { slot } = this.#head();
    const accounts = new Map<Address, Account | null>();
    for (const address of addresses) {
      const account = this.#accounts.get(address);
      if (account === undefined) continue;
      accounts.set(address, account === null ? null : { ...account, slot });
    }
    return { slot, accounts };
  }

  async searchAccounts(filter: ProgramFilter): Promise<SearchResult> {
    const { slot } = this.#head();
    if (this.#refused.has(searchKeyOf(filter))) return { kind: "refused", reason: "as recorded" };
    const accounts = new Map<Address, Account>();
    for (const [address, account] of this.#accounts) {
      if (account !== null && matchesFilter(account, filter)) accounts.set(address, account);
    }
    return { kind: "found", slot, accounts };
  }

  async findLargestAccounts() {
    return { kind: "refused", reason: "not recorded" } as const;
  }

  async readClock() {
    return this.#head();
  }

  follow(events: FollowEvents) {
    const followed = new Set<Address>();
    this.#followers.set(events, followed);
    return {
      add: (addresses: readonly Address[]) => {
        for (const address of addresses) followed.add(address);
      },
      remove: (addresses: readonly Address[]) => {
        for (const address of addresses) followed.delete(address);
      },
      close: async () => void this.#followers.delete(events),
    };
  }

  followProgram(filter: ProgramFilter, onUpdate: (update: AccountUpdate) => void) {
    const listeners = this.#programs.get(filter) ?? new Set();
    this.#programs.set(filter, listeners.add(onUpdate));
    return { close: async () => void listeners.delete(onUpdate) };
  }

  async close(): Promise<void> {
    this.#followers.clear();
    this.#programs.clear();
  }

  #head(): Clock {
    if (this.#clock !== null) return this.#clock;
    throw new AppError("chain_unavailable", { publicMessage: "The recording has no clock yet." });
  }

  #advance(clock: Clock | null): void {
    if (clock === null || (this.#clock !== null && clock.slot <= this.#clock.slot)) return;
    this.#clock = clock;
    for (const events of this.#followers.keys()) events.onSlot(clock.slot);
  }
}
