import type { ShareOwner } from "#src/measure/share-holders.ts";
import type { Address } from "#src/units/address.ts";
import type { AccountSet } from "#src/venues/account-set.ts";
import { shareOwnerKind } from "#src/venues/share-owner.ts";

export type OwnedShares = { readonly owner: Address; readonly shares: bigint };

export type OwnerTally = {
  /** The owners who can withdraw their shares, the largest first. */
  readonly owners: readonly ShareOwner[];
  readonly burned: bigint;
  readonly locked: bigint;
};

/** Sums shares by owner. Burned and locked shares are summed separately. */
export function tallyOwners(parts: readonly OwnedShares[], known: AccountSet): OwnerTally {
  const owners = new Map<Address, ShareOwner>();
  let burned = 0n;
  let locked = 0n;
  for (const { owner, shares } of parts) {
    if (shares === 0n) continue;
    const kind = shareOwnerKind(owner, known.get(owner));
    if (kind === "burned") burned += shares;
    else if (kind === "locked") locked += shares;
    else {
      const others = owners.get(owner)?.shares ?? 0n;
      owners.set(owner, { owner, standing: kind, shares: others + shares });
    }
  }
  const largestFirst = [...owners.values()].toSorted((a, b) =>
    a.shares === b.shares ? 0 : a.shares < b.shares ? 1 : -1,
  );
  return { owners: largestFirst, burned, locked };
}
