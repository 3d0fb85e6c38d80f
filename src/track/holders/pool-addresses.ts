import type { Address } from "#src/units/address.ts";
import type { AccountSet } from "#src/venues/account-set.ts";
import type { PoolRef } from "../pools/open-pool.ts";
import type { PoolAddresses } from "./token-holders.ts";

/** The addresses of the pools, and of the vaults that their own accounts name. */
export function poolAddresses(refs: Iterable<PoolRef>, known: AccountSet): PoolAddresses {
  const addresses = new Map<Address, "pool" | "curve">();
  for (const { venue, address, mint } of refs) {
    const kind = venue.kind === "curve" ? "curve" : "pool";
    addresses.set(address, kind);
    const outline = venue.outline(address, known, mint);
    for (const vault of [outline?.vaultA, outline?.vaultB]) {
      if (vault !== undefined) addresses.set(vault, kind);
    }
  }
  return addresses;
}
