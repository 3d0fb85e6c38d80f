import { LARGEST_LISTED, type LargestAccounts } from "#src/chain/chain-source.ts";
import type { HoldersUnknownReason, PoolHolders } from "#src/measure/questions/share-holders.ts";
import type { Address } from "#src/units/address.ts";
import { decodeMint } from "#src/venues/shared/token/mint.ts";
import { decodeTokenAccount, tokenAccountOwner } from "#src/venues/shared/token/token-account.ts";
import type { LocksRead } from "./lock-claims.ts";
import { type OwnedShares, tallyOwners } from "./owner-tally.ts";

export type ListedHolders = {
  readonly mint: Address;
  /** The pool's own count of shares; null: it uses the mint's supply. */
  readonly issued: bigint | null;
  /** The accounts that the node lists as the largest. */
  readonly listed: Extract<LargestAccounts, { readonly kind: "found" }>["addresses"];
  /** The mint, the listed accounts, and their owners. */
  readonly read: LocksRead;
  /** Of the mint and the listed accounts. */
  readonly slot: bigint;
};

/**
 * Who holds a pool's shares, from accounts read at one slot. If the amounts do not add up, the holders
 * are unknown: a node that lists too few accounts would hide a holder. Pure.
 */
export function sumHolders({ mint, issued, listed, read, slot }: ListedHolders): PoolHolders {
  const { known } = read;
  const supply = decodeMint(known.get(mint))?.supply ?? null;
  if (supply === null) return unknown("holders-not-read");
  const whole = issued ?? supply;
  const parts: OwnedShares[] = [];
  for (const address of new Set(listed)) {
    const account = known.get(address);
    if (account === undefined) return unknown("holders-not-read");
    if (account === null) continue;
    const held = decodeTokenAccount(account);
    const owner = tokenAccountOwner(account);
    if (held?.mint !== mint || owner === null) return unknown("shares-do-not-add-up");
    const { amount } = held;
    parts.push({ owner, shares: amount, token: { mint, amount } });
  }
  const unlisted = parts.reduce((left, { shares }) => left - shares, supply);
  const isAllListed = listed.length < LARGEST_LISTED;
  if (supply > whole || unlisted < 0n || (isAllListed && unlisted > 0n)) {
    return unknown("shares-do-not-add-up");
  }
  const { owners, burned, locked, locks } = tallyOwners(parts, read);
  return {
    kind: "known",
    issued: whole,
    owners,
    burned: burned + whole - supply,
    locked,
    locks,
    unlisted,
    slot,
  };
}

function unknown(reason: HoldersUnknownReason): PoolHolders {
  return { kind: "unknown", reason };
}
