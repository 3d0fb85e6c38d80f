import type { BackgroundReads } from "#src/chain/chain-source.ts";
import { matchesFilter } from "#src/chain/rpc/rpc-answers.ts";
import type { UnpricedPool } from "#src/measure/market/market.ts";
import { type Address, addressBytes } from "#src/units/address.ts";
import { isOnCurve } from "#src/units/curve-membership.ts";
import { maxBigint } from "#src/units/integer.ts";
import type { Account } from "#src/venues/account-set.ts";
import { tokenAccountOwner, tokenBalance } from "#src/venues/shared/token/token-account.ts";
import type { Venue } from "#src/venues/venue.ts";
import type { VenueFilter } from "./discover-pools.ts";
import type { PoolRef } from "./open-pool.ts";
import { unmodelledPool } from "./unmodelled-programs.ts";

export type HolderPools = {
  readonly pools: readonly PoolRef[];
  readonly accounts: ReadonlyMap<Address, Account | null>;
  /** Token accounts whose owner is an address of a program and no pool: one authority holds the vaults of all pools. */
  readonly vaults: readonly Address[];
  /** The venues whose authority owns one of these vaults: each has a pool that was not found. */
  readonly venues: ReadonlySet<Venue<unknown>>;
  /** Pools of programs that no venue models. */
  readonly unmodelled: readonly UnpricedPool[];
};

export const NO_HOLDERS: HolderPools = {
  pools: [],
  accounts: new Map(),
  vaults: [],
  venues: new Set(),
  unmodelled: [],
};
/** A program's account with less than this part of the largest holding is ignored. */
const LEAST_PART = 100n;
/** Vaults whose last transaction is read to learn the pool: the largest ones. */
const MAX_VAULTS_READ = 3;
const MAX_CANDIDATES = 60;

type HolderQuery = { readonly mint: Address; readonly filters: readonly VenueFilter[] };

/**
 * The pools among the owners of the mint's largest token accounts: three cheap calls, which every plan
 * serves and which name the pools that hold the most. An owner that is a venue's authority names the venue:
 * its configured addresses are read with the other owners. Never throws: if holders cannot be read, the result is empty.
 */
export async function poolsByHolder(
  source: BackgroundReads,
  query: HolderQuery,
  signal: AbortSignal | undefined,
): Promise<HolderPools> {
  try {
    const largest = await source.findLargestAccounts(query.mint, signal);
    if (largest.kind === "refused" || largest.addresses.length === 0) return NO_HOLDERS;
    const held = await source.readAccounts(largest.addresses, signal);
    const vaultsByOwner = new Map<Address, Address>();
    for (const address of largest.addresses) {
      const owner = tokenAccountOwner(held.accounts.get(address));
      if (owner !== null && !vaultsByOwner.has(owner)) vaultsByOwner.set(owner, address);
    }
    const owners = [...vaultsByOwner.keys()].filter(isProgramAddress);
    if (owners.length === 0) return NO_HOLDERS;
    const authorities = new Map(
      query.filters.flatMap(({ venue }) =>
        venue.vaultAuthority === undefined ? [] : [[venue.vaultAuthority, venue] as const],
      ),
    );
    const named = new Set(owners.flatMap((owner) => authorities.get(owner) ?? []));
    const places = [...named].flatMap((venue) => venue.search(query.mint, null).configured());
    const others = owners.filter((owner) => !authorities.has(owner));
    const { accounts } = await source.readAccounts([...others, ...places], signal);
    const pools = poolsAmong(accounts, query);
    const explained = new Set(pools.map(({ venue }) => venue));
    const venues = new Set([...named].filter((venue) => !explained.has(venue)));
    const found = new Set(pools.map(({ address }) => address));
    for (const [authority, venue] of authorities) if (explained.has(venue)) found.add(authority);
    const amountOf = (vault: Address | undefined): bigint =>
      vault === undefined ? 0n : (tokenBalance(held.accounts.get(vault)) ?? 0n);
    const most = largest.addresses.map(amountOf).reduce(maxBigint, 0n);
    const weighty = owners.filter((owner) => {
      return LEAST_PART * amountOf(vaultsByOwner.get(owner)) >= most;
    });
    const unmodelled = weighty.flatMap((owner) => {
      const programId = accounts.get(owner)?.owner;
      return programId === undefined ? [] : (unmodelledPool(programId, owner) ?? []);
    });
    for (const { address } of unmodelled) found.add(address);
    const vaults = owners.flatMap((owner) =>
      found.has(owner) ? [] : (vaultsByOwner.get(owner) ?? []),
    );
    return { pools, accounts: onlyPools(accounts, pools), vaults, venues, unmodelled };
  } catch {
    // The searches find the same pools; a node that does not answer fails the other reads too.
    return NO_HOLDERS;
  }
}

/** The pools that the last transactions of these vaults name. Never throws. */
export async function poolsByVault(
  source: BackgroundReads,
  query: HolderQuery & { readonly vaults: readonly Address[] },
  signal: AbortSignal | undefined,
): Promise<Omit<HolderPools, "vaults" | "venues">> {
  const { readLastMention } = source;
  if (readLastMention === undefined || query.vaults.length === 0) return NO_HOLDERS;
  try {
    const programs = new Set(query.filters.map(({ filter }) => filter.programId));
    const instructions = await Promise.all(
      query.vaults.slice(0, MAX_VAULTS_READ).map(async (vault) => {
        const transaction = await readLastMention(vault, signal);
        return transaction?.instructions?.map((instruction) => ({ vault, ...instruction })) ?? [];
      }),
    );
    const candidates = new Set<Address>();
    const unmodelled = new Map<Address, UnpricedPool>();
    for (const { vault, programId, accounts } of instructions.flat()) {
      const pool = accounts.includes(vault) ? unmodelledPool(programId, vault) : null;
      if (pool !== null) unmodelled.set(vault, pool);
      if (!programs.has(programId)) continue;
      for (const address of accounts) candidates.add(address);
    }
    const named = { ...NO_HOLDERS, unmodelled: [...unmodelled.values()] };
    if (candidates.size === 0) return named;
    const wanted = [...candidates].slice(0, MAX_CANDIDATES);
    const { accounts } = await source.readAccounts(wanted, signal);
    const pools = poolsAmong(accounts, query);
    return { ...named, pools, accounts: onlyPools(accounts, pools) };
  } catch {
    // As above.
    return NO_HOLDERS;
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
