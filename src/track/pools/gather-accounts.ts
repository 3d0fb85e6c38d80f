import type { AccountsRead, ChainSource } from "#src/chain/chain-source.ts";
import type { Address } from "#src/units/address.ts";
import type { Account, AccountSet } from "#src/venues/account-set.ts";
import type { PoolRef } from "./open-pool.ts";

/** Rounds of asking which accounts are needed: pool, then vaults and configurations, then arrays. */
const MAX_ROUNDS = 6;
/** A venue needs a few dozen at most; a pool with more has false data. */
const MAX_ACCOUNTS_PER_POOL = 64;
/** Maximum number of accounts in one call, unless the source has another limit. */
const ACCOUNTS_PER_CALL = 100;

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
  options: {
    readonly rounds?: number;
    readonly needed?: typeof accountsNeeded;
    readonly signal: AbortSignal | undefined;
  },
): Promise<void> {
  const asked = new Set<Address>();
  for (let round = 0; round < (options.rounds ?? MAX_ROUNDS); round++) {
    const missing = missingOf(neededBy(pools, known, options.needed), known, asked);
    if (missing.length === 0) return;
    addAll(known, await source.readAccounts(missing, options.signal));
  }
}

/**
 * Like `gatherAccounts`, but each read includes the accounts that are known already, and `others`, as long
 * as all of them fit in one call.
 *
 * @returns the last read if it has every account that the pools need, and `others`, of one slot; else null
 */
export async function gatherTogether(
  source: Pick<ChainSource, "readAccounts" | "accountsPerCall">,
  { pools, others }: { readonly pools: readonly PoolRef[]; readonly others: readonly Address[] },
  known: LoadedAccounts,
  signal?: AbortSignal,
): Promise<AccountsRead | null> {
  const isOneCall = ({ size }: ReadonlySet<Address>): boolean =>
    size <= (source.accountsPerCall?.() ?? ACCOUNTS_PER_CALL);
  const asked = new Set<Address>();
  let last: AccountsRead | null = null;
  for (let round = 0; ; round++) {
    const needed = neededBy(pools, known);
    const missing = missingOf(needed, known, asked);
    const all = new Set([...needed, ...others]);
    if (missing.length === 0 || round === MAX_ROUNDS) {
      // Meanwhile the node may have refused this many accounts in one call, so the limit may be lower.
      return last !== null && isOneCall(all) && hasAll(last, all) ? last : null;
    }
    last = await source.readAccounts(isOneCall(all) ? [...all] : missing, signal);
    addAll(known, last);
  }
}

/** Whether the read returned each of these, as an account or as absent. */
export function hasAll({ accounts }: AccountsRead, addresses: Iterable<Address>): boolean {
  return Iterator.from(addresses).every((address) => accounts.has(address));
}

function neededBy(
  pools: readonly PoolRef[],
  known: AccountSet,
  needed = accountsNeeded,
): ReadonlySet<Address> {
  return new Set(pools.flatMap((pool) => needed(pool, known)));
}

/** The needed accounts that are neither known nor requested yet; adds them to `asked`. */
function missingOf(
  needed: ReadonlySet<Address>,
  known: LoadedAccounts,
  asked: Set<Address>,
): readonly Address[] {
  const missing = [...needed].filter((address) => !known.has(address) && !asked.has(address));
  for (const address of missing) asked.add(address);
  return missing;
}

export function addAll(known: LoadedAccounts, read: AccountsRead): void {
  for (const [address, account] of read.accounts) known.set(address, account);
}
