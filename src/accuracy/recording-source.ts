import type { AccountUpdate, ChainSource } from "#src/chain/chain-source.ts";
import { observedSource } from "#src/chain/observed-source.ts";
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
  const observed = observedSource(source, {
    onUpdate: record,
    onGap: () => recorder?.forgetAll(),
  });
  return {
    ...observed,
    recordTo: (to, isHeld) => {
      recorder = to;
      holds = isHeld;
    },
  };
}
