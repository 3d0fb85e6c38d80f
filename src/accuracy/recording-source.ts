import type { AccountUpdate, ChainSource } from "#src/chain/chain-source.ts";
import type { Address } from "#src/units/address.ts";
import type { AccountVersions } from "./account-versions.ts";

/** Receives every recorded account update, in the order of arrival. */
export type UpdateRecorder = Pick<AccountVersions, "add" | "forgetAll">;

export type RecordingSource = ChainSource & {
  /** From now on, passes the updates of the accounts that `holds` selects to the recorder. */
  readonly recordTo: (recorder: UpdateRecorder, holds: (address: Address) => boolean) => void;
};

/**
 * The same source, which also records the account updates that pass through it. The tracker reads
 * from it and accuracy records from it, so swaps are replayed on the data that answers were made of.
 */
export function recordingSource(source: ChainSource): RecordingSource {
  let recorder: UpdateRecorder | null = null;
  let holds = (_address: Address): boolean => false;
  const record = (update: AccountUpdate): void => {
    if (recorder !== null && holds(update.address)) recorder.add(update);
  };
  const recorded =
    (read: ChainSource["readAccounts"]): ChainSource["readAccounts"] =>
    async (addresses, signal) => {
      const result = await read(addresses, signal);
      for (const [address, account] of result.accounts) {
        record({ address, account, slot: account?.slot ?? result.slot });
      }
      return result;
    };
  const { background } = source;
  return {
    recordTo: (to, isHeld) => {
      recorder = to;
      holds = isHeld;
    },
    origin: source.origin,
    readAccounts: recorded((addresses, signal) => source.readAccounts(addresses, signal)),
    background:
      background === undefined
        ? undefined
        : { ...background, readAccounts: recorded(background.readAccounts) },
    ...(source.readAccountStarts === undefined
      ? {}
      : { readAccountStarts: source.readAccountStarts }),
    searchAccounts: (filter, signal) => source.searchAccounts(filter, signal),
    findLargestAccounts: (mint, signal) => source.findLargestAccounts(mint, signal),
    ...(source.readLastMention === undefined ? {} : { readLastMention: source.readLastMention }),
    readHead: (signal) => source.readHead(signal),
    follow: (events) =>
      source.follow({
        ...events,
        onUpdate: (update) => {
          record(update);
          events.onUpdate(update);
        },
        onGap: (sinceSlot) => {
          recorder?.forgetAll();
          events.onGap(sinceSlot);
        },
      }),
    followProgram: (filter, onUpdate, onNamed) =>
      source.followProgram(
        filter,
        (update) => {
          record(update);
          onUpdate(update);
        },
        onNamed,
      ),
    ...(source.streamInUse === undefined ? {} : { streamInUse: source.streamInUse }),
    close: () => source.close(),
  };
}
