import type { ChainSource, FollowEvents } from "#src/chain/chain-source.ts";
import { clockAccount } from "#src/node/slot-clock.ts";
import type { WallClock } from "#src/platform/clock.ts";
import type { Address } from "#src/units/address.ts";
import { CLOCK_SYSVAR } from "#src/units/known-addresses.ts";
import type { Account } from "#src/venues/account-set.ts";
import type { Clock } from "#src/venues/venue.ts";
import type { Swap, UpdateStream } from "./update-stream.ts";

/** The stream's market as a node that answers at once, and whose swaps happen when the caller says. */
export type StreamSource = ChainSource & {
  /** Delivers one swap's updates, as of the present slot. */
  readonly deliver: (swap: Swap) => void;
  /** Moves the chain to the slot of a moment. */
  readonly advance: (nowMs: number) => void;
};

const MS_PER_SLOT = 400;

export function createStreamSource(stream: UpdateStream, wallClock: WallClock): StreamSource {
  const accounts = new Map<Address, Account | null>(stream.accounts);
  const followers = new Map<FollowEvents, Set<Address>>();
  const startMs = wallClock.nowMs();
  let clock: Clock = at(startMs);

  function at(ms: number): Clock {
    const slot = stream.clock.slot + BigInt(Math.floor((ms - startMs) / MS_PER_SLOT));
    return { ...stream.clock, slot, unixTimestamp: BigInt(Math.floor(ms / 1_000)) };
  }

  function tell(address: Address, account: Account | null): void {
    for (const [events, followed] of followers) {
      if (followed.has(address)) events.onUpdate({ address, account, slot: clock.slot });
    }
  }

  return {
    origin: "live",
    readAccounts: async (addresses) => {
      const { slot } = clock;
      const found = addresses.map((address): [Address, Account | null] => {
        if (address === CLOCK_SYSVAR) return [address, { ...clockAccount(clock), slot }];
        const account = accounts.get(address) ?? null;
        return [address, account === null ? null : { ...account, slot }];
      });
      return { slot, accounts: new Map(found) };
    },
    searchAccounts: async (filter) => {
      const named = new Set(filter.memcmp.map(({ bytes }) => bytes));
      const found = stream.tokens.flatMap(({ mint, pool }): [Address, Account][] => {
        const account = named.has(mint) ? accounts.get(pool) : undefined;
        return account?.owner === filter.programId ? [[pool, account]] : [];
      });
      return { kind: "found", slot: clock.slot, accounts: new Map(found) };
    },
    findLargestAccounts: async () => ({ kind: "refused", reason: "not played here" }),
    readClock: async () => clock,
    follow: (events) => {
      const followed = new Set<Address>();
      followers.set(events, followed);
      return {
        add: (added) => {
          for (const address of added) followed.add(address);
        },
        remove: (removed) => {
          for (const address of removed) followed.delete(address);
        },
        close: async () => {
          followers.delete(events);
        },
      };
    },
    followProgram: () => ({ close: async () => {} }),
    close: async () => followers.clear(),
    deliver: ({ updates }) => {
      for (const { address, account } of updates) {
        const current = account === null ? null : { ...account, slot: clock.slot };
        accounts.set(address, current);
        tell(address, current);
      }
    },
    advance: (ms) => {
      const next = at(ms);
      if (next.slot === clock.slot) return;
      clock = next;
      tell(CLOCK_SYSVAR, { ...clockAccount(clock), slot: clock.slot });
      for (const events of followers.keys()) events.onSlot(clock.slot);
    },
  };
}
