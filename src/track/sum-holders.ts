import type { LargestAccounts } from "#src/chain/chain-source.ts";
import { LARGEST_LISTED } from "#src/chain/chain-source.ts";
import type { HoldersUnknownReason, PoolHolders, ShareOwner } from "#src/measure/share-holders.ts";
import type { Address } from "#src/units/address.ts";
import type { AccountSet } from "#src/venues/account-set.ts";
import { shareOwnerKind } from "#src/venues/share-owner.ts";
import { decodeMint } from "#src/venues/token/mint.ts";
import { decodeTokenAccount, tokenAccountOwner } from "#src/venues/token/token-account.ts";

export type ListedHolders = {
  readonly mint: Address;
  /** What the pool counts; null: the mint's supply is what it divides by. */
  readonly issued: bigint | null;
  /** The accounts that the node lists as the largest. */
  readonly listed: Extract<LargestAccounts, { readonly kind: "found" }>["addresses"];
  /** The mint, the listed accounts, and their owners. */
  readonly known: AccountSet;
  /** Of the mint and the listed accounts. */
  readonly slot: bigint;
};

/**
 * Who holds a pool's shares, out of accounts that were read at one slot. What does not add up is
 * unknown: a node that lists too little hides a holder. Pure.
 */
export function sumHolders({ mint, issued, listed, known, slot }: ListedHolders): PoolHolders {
  const supply = decodeMint(known.get(mint))?.supply ?? null;
  if (supply === null) return unknown("holders-not-read");
  const whole = issued ?? supply;
  let heldWhole = 0n;
  let burned = whole - supply;
  let locked = 0n;
  const owners = new Map<Address, ShareOwner>();
  for (const address of new Set(listed)) {
    const account = known.get(address);
    if (account === undefined) return unknown("holders-not-read");
    if (account === null) continue;
    const held = decodeTokenAccount(account);
    const owner = tokenAccountOwner(account);
    if (held?.mint !== mint || owner === null) return unknown("shares-do-not-add-up");
    heldWhole += held.amount;
    const kind = shareOwnerKind(owner, known.get(owner));
    if (kind === "burned") burned += held.amount;
    else if (kind === "locked") locked += held.amount;
    else if (held.amount > 0n) {
      const shares = (owners.get(owner)?.shares ?? 0n) + held.amount;
      owners.set(owner, { owner, standing: kind, shares });
    }
  }
  const unlisted = supply - heldWhole;
  const isAllListed = listed.length < LARGEST_LISTED;
  if (supply > whole || unlisted < 0n || (isAllListed && unlisted > 0n)) {
    return unknown("shares-do-not-add-up");
  }
  const largestFirst = [...owners.values()].toSorted((a, b) =>
    a.shares === b.shares ? 0 : a.shares < b.shares ? 1 : -1,
  );
  return { kind: "known", issued: whole, owners: largestFirst, burned, locked, unlisted, slot };
}

function unknown(reason: HoldersUnknownReason): PoolHolders {
  return { kind: "unknown", reason };
}
