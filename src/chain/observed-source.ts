import type { Address } from "#src/units/address.ts";
import type { ProgramFilter } from "#src/venues/venue.ts";
import type { AccountUpdate, ChainSource, SearchResult } from "./chain-source.ts";

/** Called with what a source returns, before the caller gets it. */
export type SourceObserver = {
  /** An account that was read or notified. */
  readonly onUpdate: (update: AccountUpdate) => void;
  /** An address that a read named and the node left out. */
  readonly onLeftOut?: (address: Address) => void;
  readonly onSearch?: (filter: ProgramFilter, result: SearchResult) => void;
  /** Notifications may have been lost, or some were of a slot that is dropped. */
  readonly onGap?: () => void;
};

/** The same source, whose replies and notifications pass by an observer. */
export function observedSource(source: ChainSource, observer: SourceObserver): ChainSource {
  const observed =
    (read: ChainSource["readAccounts"]): ChainSource["readAccounts"] =>
    async (addresses, signal) => {
      const result = await read(addresses, signal);
      for (const [address, account] of result.accounts) {
        observer.onUpdate({ address, account, slot: account?.slot ?? result.slot });
      }
      for (const address of addresses) {
        if (!result.accounts.has(address)) observer.onLeftOut?.(address);
      }
      return result;
    };
  const observedSearch =
    (search: ChainSource["searchAccounts"]): ChainSource["searchAccounts"] =>
    async (filter, signal) => {
      const result = await search(filter, signal);
      observer.onSearch?.(filter, result);
      return result;
    };
  const { background, searchSoon, readPatiently } = source;
  return {
    ...source,
    readAccounts: observed((addresses, signal) => source.readAccounts(addresses, signal)),
    background:
      background === undefined
        ? undefined
        : { ...background, readAccounts: observed(background.readAccounts) },
    searchAccounts: observedSearch((filter, signal) => source.searchAccounts(filter, signal)),
    readPatiently: readPatiently === undefined ? undefined : observed(readPatiently),
    searchSoon: searchSoon === undefined ? undefined : observedSearch(searchSoon),
    follow: (events) =>
      source.follow({
        ...events,
        onUpdate: (update) => {
          observer.onUpdate(update);
          events.onUpdate(update);
        },
        onGap: (sinceSlot, untilSlot, lost) => {
          observer.onGap?.();
          events.onGap(sinceSlot, untilSlot, lost);
        },
        onSlotEnd: (slot, outcome) => {
          if (outcome === "dropped") observer.onGap?.();
          events.onSlotEnd?.(slot, outcome);
        },
      }),
    followProgram: (filter, onUpdate, onNamed) =>
      source.followProgram(
        filter,
        (update) => {
          observer.onUpdate(update);
          onUpdate(update);
        },
        onNamed,
      ),
  };
}
