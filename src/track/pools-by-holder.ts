import type { BackgroundReads } from "#src/chain/chain-source.ts";
import { matchesFilter } from "#src/chain/rpc-answers.ts";
import { type Address, addressBytes } from "#src/units/address.ts";
import { isOnCurve } from "#src/units/curve-membership.ts";
import type { Account } from "#src/venues/account-set.ts";
import { tokenAccountOwner } from "#src/venues/shared/token/token-account.ts";
import type { VenueFilter } from "./discover-pools.ts";
import type { PoolRef } from "./open-pool.ts";

export type HolderPools = {
  readonly pools: readonly PoolRef[];
  readonly accounts: ReadonlyMap<Address, Account | null>;
  /** Token accounts whose owner is an address of a program and no pool: one authority holds the vaults of all pools. */
  readonly vaults: readonly Address[];
};

const NONE: HolderPools = { pools: [], accounts: new Map(), vaults: [] };
/** Vaults whose last transaction is read to learn the pool: the largest ones. */
const MAX_VAULTS_READ = 3;
const MAX_CANDIDATES = 60;

type HolderQuery = { readonly mint: Address; readonly filters: readonly VenueFilter[] };

/**
 * The pools among the owners of the mint's largest token accounts: three cheap calls, which every plan
 * serves and which name the pools that hold the most. Never throws: without holders there are no pools.
 */
export async function poolsByHolder(
  source: BackgroundReads,
  query: HolderQuery,
  signal: AbortSignal | undefined,
): Promise<HolderPools> {
  try {
    const largest = await source.findLargestAccounts(query.mint, signal);
    if (largest.kind === "refused" || largest.addresses.length === 0) return NONE;
    const held = await source.readAccounts(largest.addresses, signal);
    const vaultsByOwner = new Map<Address, Address>();
    for (const address of largest.addresses) {
      const owner = tokenAccountOwner(held.accounts.get(address));
      if (owner !== null && !vaultsByOwner.has(owner)) vaultsByOwner.set(owner, address);
    }
    const owners = [...vaultsByOwner.keys()].filter(isProgramAddress);
    if (owners.length === 0) return NONE;
    const { accounts } = await source.readAccounts(owners, signal);
    const pools = poolsAmong(accounts, query);
    const found = new Set(pools.map(({ address }) => address));
    const vaults = owners.flatMap((owner) =>
      found.has(owner) ? [] : (vaultsByOwner.get(owner) ?? []),
    );
    return { pools, accounts: onlyPools(accounts, pools), vaults };
  } catch {
    // The searches find the same pools; a node that does not answer fails the other reads too.
    return NONE;
  }
}

/** The pools that the last transactions of these vaults name. Never throws. */
export async function poolsByVault(
  source: BackgroundReads,
  query: HolderQuery & { readonly vaults: readonly Address[] },
  signal: AbortSignal | undefined,
): Promise<Pick<HolderPools, "pools" | "accounts">> {
  const { readLastMention } = source;
  if (readLastMention === undefined || query.vaults.length === 0) return NONE;
  try {
    const programs = new Set(query.filters.map(({ filter }) => filter.programId));
    const transactions = await Promise.all(
      query.vaults.slice(0, MAX_VAULTS_READ).map((vault) => readLastMention(vault, signal)),
    );
    const candidates = new Set<Address>();
    for (const transaction of transactions) {
      for (const { programId, accounts } of transaction?.instructions ?? []) {
        if (!programs.has(programId)) continue;
        for (const address of accounts) candidates.add(address);
      }
    }
    if (candidates.size === 0) return NONE;
    const wanted = [...candidates].slice(0, MAX_CANDIDATES);
    const { accounts } = await source.readAccounts(wanted, signal);
    const pools = poolsAmong(accounts, query);
    return { pools, accounts: onlyPools(accounts, pools) };
  } catch {
    // As above.
    return NONE;
  }
}

/** The accounts that a search of their program would return. */
function poolsAmong(
  accounts: ReadonlyMap<Address, Account | null>,
  { mint, filters }: HolderQuery,
): readonly PoolRef[] {
  return [...accounts].flatMap(([address, account]) => {
    if (account === null) return [];
    const own = filters.find(({ filter }) => matchesFilter(account, filter));
    return own === undefined ? [] : [{ venue: own.venue, address, mint, isReserved: false }];
  });
}

function onlyPools(
  accounts: ReadonlyMap<Address, Account | null>,
  pools: readonly PoolRef[],
): ReadonlyMap<Address, Account | null> {
  return new Map(pools.map(({ address }) => [address, accounts.get(address) ?? null]));
}

/** A wallet's address is a point of the curve; a program's is not. */
function isProgramAddress(address: Address): boolean {
  const bytes = addressBytes(address);
  return bytes !== null && !isOnCurve(bytes);
}
