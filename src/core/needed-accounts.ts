import type { Address } from "#src/units/address.ts";
import { CLOCK_SYSVAR } from "#src/units/known-addresses.ts";
import type { AccountSet } from "#src/venues/account-set.ts";
import { type PoolReference, venueOf } from "./pool-reference.ts";

/**
 * The addresses that quoting in these pools needs, as far as the loaded accounts name them: the clock,
 * the mints, the pools, and what each pool's bytes lead to. Load what is missing and call again until
 * nothing is missing; three or four rounds are usual.
 */
export function neededAccounts(
  pools: readonly PoolReference[],
  accounts: AccountSet,
): readonly Address[] {
  const needed = new Set<Address>([CLOCK_SYSVAR]);
  for (const { pool, mint } of pools) {
    needed.add(mint).add(pool);
    const venue = venueOf(pool, accounts);
    for (const address of venue?.accountsNeeded(pool, accounts, mint) ?? []) needed.add(address);
  }
  return [...needed];
}
