import type { AccountUpdate, ChainSource } from "#src/chain/chain-source.ts";
import type { SlotOutcome } from "#src/chain/geyser/slot-outcomes.ts";
import type { Address } from "#src/units/address.ts";
import { EventLog } from "../event-log.ts";

export type FollowEvent =
  | { readonly kind: "update"; readonly update: AccountUpdate }
  | { readonly kind: "slot"; readonly slot: bigint }
  | { readonly kind: "gap"; readonly sinceSlot: bigint | null }
  | { readonly kind: "end"; readonly slot: bigint; readonly outcome: SlotOutcome }
  | { readonly kind: "reached"; readonly slot: bigint }
  | { readonly kind: "elsewhere"; readonly addresses: ReadonlySet<Address> }
  | { readonly kind: "whole"; readonly isWhole: boolean }
  | { readonly kind: "followed"; readonly addresses: readonly Address[] };

/** Follows a chain and records all that it publishes. */
export function followAll({ source }: { readonly source: Pick<ChainSource, "follow"> }) {
  const log = new EventLog<FollowEvent>();
  const following = source.follow({
    onUpdate: (update) => log.add({ kind: "update", update }),
    onSlot: (slot) => log.add({ kind: "slot", slot }),
    onGap: (sinceSlot) => log.add({ kind: "gap", sinceSlot }),
    onFollowed: (addresses) => log.add({ kind: "followed", addresses }),
    onSlotEnd: (slot, outcome) => log.add({ kind: "end", slot, outcome }),
    onReached: (slot) => log.add({ kind: "reached", slot }),
    onElsewhere: (addresses) => log.add({ kind: "elsewhere", addresses }),
    onWhole: (isWhole) => log.add({ kind: "whole", isWhole }),
  });
  const updateTo = (address: Address, byte: number) =>
    log.first(
      (event) =>
        event.kind === "update" &&
        event.update.address === address &&
        event.update.account?.data[0] === byte,
      `${address} becomes ${byte}`,
    );
  const followed = (address: Address) =>
    log.first(
      (event) => event.kind === "followed" && event.addresses.includes(address),
      `${address} is followed`,
    );
  const gap = () => log.first((event) => event.kind === "gap", "a gap");
  return { log, following, updateTo, followed, gap };
}
