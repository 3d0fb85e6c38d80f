import type { AccountsRead, ChainSource } from "#src/chain/chain-source.ts";
import type { Address } from "#src/units/address.ts";
import type { Account, AccountSet } from "#src/venues/account-set.ts";
import type { PoolRef } from "./open-pool.ts";

/** Rounds of asking which accounts are needed: pool, then vaults and configurations, then arrays. */
const MAX_ROUNDS = 6;
/** A venue needs a few dozen at most; a pool with more has false data. */
const MAX_ACCOUNTS_PER_POOL = 64;

export type LoadedAccounts = Map<Address, Account | null>;

/** The addresses that a pool needs, given the loaded accounts. */
export function accountsNeeded(pool: PoolRef, known: AccountSet): readonly Address[] {
  try {
    const needed = pool.venue.accountsNeeded(pool.address, known, pool.mint);
    return needed.length <= MAX_ACCOUNTS_PER_POOL ? needed : needed.slice(0, MAX_ACCOUNTS_PER_POOL);
  } catch {
    // By contract a venue never throws; if it does, its pool is reported as missing accounts.
    return [pool.address];
  }
}

/**
 * Loads the accounts that the pools need into `known`, until none is missing or the rounds are used up.
 * An address that the node does not return is requested once and stays unknown.
 */
export async function gatherAccounts(
  source: Pick<ChainSource, "readAccounts">,
  pools: readonly PoolRef[],
  known: LoadedAccounts,
  options: { readonly rounds?: number; readonly signal?: AbortSignal | undefined } = {},
): Promise<void> {
  const asked = new Set<Address>();
  for (let round = 0; round < (options.rounds ?? MAX_ROUNDS); round++) {
    const missing = new Set<Address>();
    for (const pool of pools) {
      for (const address of accountsNeeded(pool, known)) {
        if (!known.has(address) && !asked.has(address)) missing.add(address);
      }
    }
    if (missing.size === 0) return;
    const addresses = [...missing];
    for (const address of addresses) asked.add(address);
    addAll(known, await source.readAccounts(addresses, options.signal));
  }
}

export function addAll(known: LoadedAccounts, read: AccountsRead): void {
  for (const [address, account] of read.accounts) known.set(address, account);
}
