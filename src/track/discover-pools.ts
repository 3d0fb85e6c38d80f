import type { ChainSource } from "#src/chain/chain-source.ts";
import type { Address } from "#src/units/address.ts";
import type { Account } from "#src/venues/account-set.ts";
import type { ProgramFilter, Venue } from "#src/venues/venue.ts";
import type { PoolRef } from "./open-pool.ts";

export type PoolQuery = {
  readonly mint: Address;
  /** Only pools against this mint; null: against any. */
  readonly pairedWith: Address | null;
  /** How many of the pools are kept at most. */
  readonly keep: number;
};

export type Discovery = {
  readonly pools: readonly PoolRef[];
  /** Addresses at which a pool of this mint is likely to appear later, with the venue it would be. */
  readonly vacant: readonly PoolRef[];
  readonly filters: readonly VenueFilter[];
  /** What the search itself brought in. */
  readonly accounts: ReadonlyMap<Address, Account | null>;
  /** Whether every query was answered. */
  readonly isComplete: boolean;
  readonly refusals: readonly string[];
};

/** A query for a venue's pools of the mint. */
export type VenueFilter = { readonly venue: Venue<unknown>; readonly filter: ProgramFilter };

export type DiscoveryDeps = {
  readonly source: ChainSource;
  readonly venues: readonly Venue<unknown>[];
};

/**
 * Every account that may be a pool of the mint: the likely derived addresses in one read, and the
 * venues' getProgramAccounts filters, all at once. A refused query costs completeness, nothing else.
 * What a venue has one place for per fee configuration is derived only where its filters were refused,
 * or where more pools were found than are kept: there a place that no stranger can take counts first.
 *
 * @throws AppError chain_unavailable where the node can't be reached at all
 */
export async function discoverPools(
  deps: DiscoveryDeps,
  query: PoolQuery,
  signal?: AbortSignal,
): Promise<Discovery> {
  const searches = deps.venues.map((venue) => ({
    venue,
    ...venue.search(query.mint, query.pairedWith),
  }));
  const derived = searches.flatMap(({ venue, derived }) => derivedRefs(venue, query, derived));
  const filters = searches.flatMap(({ venue, filters }) =>
    filters.map((filter) => ({ venue, filter })),
  );
  const [read, found] = await Promise.all([
    readDerived(deps.source, derived, signal),
    Promise.all(
      filters.map(({ venue, filter }) =>
        runFilter(deps.source, { venue, mint: query.mint, filter }, signal),
      ),
    ),
  ]);
  const refused = new Set(
    filters.flatMap(({ venue }, index) => (found[index]?.refusals.length ? [venue] : [])),
  );
  const isCrowded = found.reduce((sum, { pools }) => sum + pools.length, 0) > query.keep;
  const places = searches
    .filter(({ venue }) => isCrowded || refused.has(venue))
    .flatMap(({ venue, configured }) => derivedRefs(venue, query, configured()));
  const parts = [read, await readDerived(deps.source, places, signal), ...found];
  const refusals = parts.flatMap((part) => part.refusals);
  const pools = new Map<Address, PoolRef>();
  const accounts = new Map<Address, Account | null>();
  for (const part of parts) {
    for (const pool of part.pools) if (!pools.has(pool.address)) pools.set(pool.address, pool);
    for (const [address, account] of part.accounts) keepNewest(accounts, address, account);
  }
  return {
    pools: [...pools.values()],
    vacant: derived.filter(({ address }) => !pools.has(address)),
    filters,
    accounts,
    isComplete: refusals.length === 0,
    refusals,
  };
}

function derivedRefs(
  venue: Venue<unknown>,
  { mint }: PoolQuery,
  addresses: readonly Address[],
): readonly PoolRef[] {
  return addresses.map((address) => ({ venue, address, mint, isDerived: true }));
}

type Part = Pick<Discovery, "pools" | "accounts" | "refusals">;

async function readDerived(
  source: ChainSource,
  derived: readonly PoolRef[],
  signal: AbortSignal | undefined,
): Promise<Part> {
  if (derived.length === 0) return { pools: [], accounts: new Map(), refusals: [] };
  const read = await source.readAccounts(
    derived.map(({ address }) => address),
    signal,
  );
  const leftOut = derived.filter(({ address }) => !read.accounts.has(address)).length;
  return {
    pools: derived.filter(({ address, venue }) => isOwnedBy(read.accounts.get(address), venue)),
    accounts: read.accounts,
    refusals: leftOut === 0 ? [] : [`${leftOut} derived addresses were left out of a read`],
  };
}

async function runFilter(
  source: ChainSource,
  query: {
    readonly venue: Venue<unknown>;
    readonly mint: Address;
    readonly filter: ProgramFilter;
  },
  signal: AbortSignal | undefined,
): Promise<Part> {
  const { venue, mint, filter } = query;
  const result = await source.searchAccounts(filter, signal);
  if (result.kind === "refused") {
    return { pools: [], accounts: new Map(), refusals: [`${venue.id}: ${result.reason}`] };
  }
  const own = [...result.accounts].filter(([, account]) => isOwnedBy(account, venue));
  return {
    pools: own.map(([address]) => ({ venue, address, mint, isDerived: false })),
    accounts: new Map(own),
    refusals: [],
  };
}

/** Anyone may send lamports to a derived address; only the program can own what stands there. */
function isOwnedBy(account: Account | null | undefined, venue: Venue<unknown>): boolean {
  return account !== null && account !== undefined && account.owner === venue.programId;
}

function keepNewest(
  accounts: Map<Address, Account | null>,
  address: Address,
  account: Account | null,
): void {
  const held = accounts.get(address);
  if (account !== null && held !== null && held !== undefined && held.slot > account.slot) return;
  if (account === null && held !== undefined) return;
  accounts.set(address, account);
}
