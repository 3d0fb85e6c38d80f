import { setTimeout as delay } from "node:timers/promises";
import type { ChainSource } from "#src/chain/chain-source.ts";
import type { Address } from "#src/units/address.ts";
import type { Account } from "#src/venues/account-set.ts";
import type { PoolSearch, ProgramFilter, Venue } from "#src/venues/venue.ts";
import { gatherAccounts, type LoadedAccounts } from "./gather-accounts.ts";
import { outlineOf, type PoolRef } from "./open-pool.ts";
import { type HolderPools, poolsByHolder, poolsByVault } from "./pools-by-holder.ts";
import { quoteMintFor } from "./quote-mints.ts";

export type PoolQuery = {
  readonly mint: Address;
  /** Only pools against this mint; null: against any. */
  readonly pairedWith: Address | null;
  /** Maximum number of pools that are kept. */
  readonly keep: number;
  /** No venue is searched: only the likely derived addresses are read. */
  readonly isDerivedOnly?: boolean;
};

export type Discovery = {
  readonly pools: readonly PoolRef[];
  /** Addresses at which a pool of this mint may appear later, with its venue. */
  readonly vacant: readonly PoolRef[];
  readonly filters: readonly VenueFilter[];
  /** The accounts that the search itself returned. */
  readonly accounts: ReadonlyMap<Address, Account | null>;
  /** Whether every query was answered. */
  readonly isComplete: boolean;
  /** The lowest slot at which a query was answered: later pools may be missing. */
  readonly slot: bigint;
  readonly refusals: readonly string[];
};

/** A query for a venue's pools of the mint. */
export type VenueFilter = { readonly venue: Venue<unknown>; readonly filter: ProgramFilter };

export type DiscoveryDeps = {
  readonly source: ChainSource;
  readonly venues: readonly Venue<unknown>[];
};

/** What is known after the cheap calls, and what the searches of the programs add later. */
export type StagedDiscovery = {
  readonly first: Discovery;
  /** Null: `first` is the whole result. Never rejects. */
  readonly rest: Promise<Discovery> | null;
};

/** The first result waits so long for the searches, where the cheap calls found a pool. */
const GRACE_MS = 600;
/** And so long where they found none. */
const GRACE_WITHOUT_POOL_MS = 2_500;
const NO_HOLDERS: HolderPools = { pools: [], accounts: new Map(), vaults: [] };
const CONTINUES = "the search continues";

/**
 * Finds every account that may be a pool of the mint: the likely derived addresses in one read, the
 * owners of the largest holders, and the venues' getProgramAccounts filters, concurrently. A refused
 * query only makes the result incomplete. Addresses per fee configuration are derived only if a venue's
 * filters were refused; those that a launchpad uses, if the mint has a curve of that launchpad.
 *
 * @throws AppError chain_unavailable if the node can't be reached at all
 */
export async function discoverPools(
  deps: DiscoveryDeps,
  query: PoolQuery,
  signal?: AbortSignal,
): Promise<Discovery> {
  const { first, rest } = await discoverInStages(deps, query, signal);
  return rest === null ? first : await rest;
}

/**
 * The same in two stages: the first result never waits long for the searches, which a provider may
 * serve slowly, a few a second, or not at all.
 *
 * @throws AppError chain_unavailable if the node can't be reached at all
 */
export async function discoverInStages(
  deps: DiscoveryDeps,
  query: PoolQuery,
  signal?: AbortSignal,
): Promise<StagedDiscovery> {
  const { source } = deps;
  const searches = deps.venues.map((venue) => ({
    venue,
    ...venue.search(query.mint, query.pairedWith),
  }));
  const derived = searches.flatMap(({ venue, derived }) => refsAt(venue, query, derived, true));
  const filters =
    query.isDerivedOnly === true
      ? []
      : searches.flatMap(({ venue, filters }) => filters.map((filter) => ({ venue, filter })));
  const found: (Part | null)[] = filters.map(() => null);
  const searching = Promise.all(
    filters.map(async ({ venue, filter }, index) => {
      found[index] = await runFilter(source, { venue, mint: query.mint, filter }, signal).catch(
        (error: unknown) => refusedPart(venue, error),
      );
    }),
  ).then(() => "searched" as const);
  // The holders of a stable are of no use: thousands of pools have it.
  const needsNoHolders = query.pairedWith !== null || query.isDerivedOnly === true;
  const holders = needsNoHolders
    ? NO_HOLDERS
    : poolsByHolder(source, { mint: query.mint, filters }, signal);
  const [read, held] = await Promise.all([
    readDerived(source, derived, signal),
    Promise.race<HolderPools | "searched">([holders, searching]),
  ]);
  const cheap: Part[] = [read];
  if (held !== "searched") cheap.push({ ...held, refusals: [], slot: null });
  const plan = { searches, derived, filters };
  const hasPool = cheap.some(({ pools }) => pools.length > 0);
  const graceMs = hasPool ? GRACE_MS : GRACE_WITHOUT_POOL_MS;
  if ((await Promise.race([searching, delay(graceMs, "late")])) === "searched") {
    return { first: await combine(deps, query, { ...plan, cheap, found }, signal), rest: null };
  }
  if (held !== "searched") {
    const { vaults } = held;
    const named = await poolsByVault(source, { mint: query.mint, filters, vaults }, signal);
    cheap.push({ ...named, refusals: [], slot: null });
  }
  const first = await combine(deps, query, { ...plan, cheap, found: [...found] }, signal);
  const rest = searching
    .then(() => combine(deps, query, { ...plan, cheap, found }, signal))
    .catch(() => first);
  return { first, rest };
}

function refusedPart(venue: Venue<unknown>, error: unknown): Part {
  const reason = error instanceof Error ? error.message : String(error);
  return { pools: [], accounts: new Map(), refusals: [`${venue.id}: ${reason}`], slot: null };
}

type SearchPlan = {
  readonly searches: readonly (PoolSearch & { readonly venue: Venue<unknown> })[];
  readonly derived: readonly PoolRef[];
  readonly filters: readonly VenueFilter[];
  readonly cheap: readonly Part[];
  /** By the place of the filter; null: its search goes on. */
  readonly found: readonly (Part | null)[];
};

/** Puts the parts together, and reads the addresses that replace the missing searches. */
async function combine(
  deps: DiscoveryDeps,
  query: PoolQuery,
  { searches, derived, filters, cheap, found }: SearchPlan,
  signal: AbortSignal | undefined,
): Promise<Discovery> {
  const missing = new Set(
    filters.flatMap(({ venue }, index) => {
      const part = found[index];
      return part === null || part === undefined || part.refusals.length > 0 ? [venue] : [];
    }),
  );
  const answered = found.filter((part) => part !== null);
  const places = searches
    .filter(({ venue }) => missing.has(venue))
    .flatMap(({ venue, configured }) => refsAt(venue, query, configured(), false));
  const graduation = await graduationRefs(deps, query, { parts: [...cheap, ...answered], signal });
  const late = await readDerived(deps.source, [...graduation, ...places], signal);
  const parts = [...cheap, late, ...answered];
  const refusals = parts.flatMap((part) => part.refusals);
  if (answered.length < found.length) refusals.push(CONTINUES);
  const pools = new Map<Address, PoolRef>();
  const accounts = new Map<Address, Account | null>();
  for (const part of parts) {
    for (const pool of part.pools) if (!pools.has(pool.address)) pools.set(pool.address, pool);
    for (const [address, account] of part.accounts) keepNewest(accounts, address, account);
  }
  return {
    pools: [...pools.values()],
    vacant: [
      ...derived.filter(({ address }) => !pools.has(address)),
      // The launchpad uses one of them: the others stay vacant.
      ...graduation.filter(
        ({ venue }) => !graduation.some((ref) => ref.venue === venue && pools.has(ref.address)),
      ),
    ],
    filters,
    accounts,
    isComplete: refusals.length === 0,
    slot: lowestSlot(parts),
    refusals,
  };
}

/** 0 where no query was answered. */
function lowestSlot(parts: readonly Part[]): bigint {
  const slots = parts.flatMap(({ slot }) => (slot === null ? [] : [slot]));
  return slots.reduce((low, slot) => (slot < low ? slot : low), slots[0] ?? 0n);
}

function refsAt(
  venue: Venue<unknown>,
  { mint }: PoolQuery,
  addresses: readonly Address[],
  isReserved: boolean,
): readonly PoolRef[] {
  return addresses.map((address) => ({ venue, address, mint, isReserved }));
}

/** Where the launchpads of the mint's curves put its pool, against what each curve is quoted in. */
async function graduationRefs(
  { source, venues }: DiscoveryDeps,
  query: PoolQuery,
  { parts, signal }: { readonly parts: readonly Part[]; readonly signal: AbortSignal | undefined },
): Promise<readonly PoolRef[]> {
  const curves = parts.flatMap(({ pools }) => pools.filter(({ venue }) => venue.kind === "curve"));
  const graduating = venues.filter(
    ({ kind, family }) => kind === "amm" && curves.some(({ venue }) => venue.family === family),
  );
  if (graduating.length === 0) return [];
  const known: LoadedAccounts = new Map(parts.flatMap(({ accounts }) => [...accounts]));
  await gatherAccounts(source, curves, known, { rounds: 1, signal });
  return curves.flatMap((curve) => {
    const outline = outlineOf(curve, known);
    const quoteMint = outline === null ? null : quoteMintFor(query.mint, outline);
    if (quoteMint === null) return [];
    return graduating.flatMap((venue) => {
      if (venue.family !== curve.venue.family) return [];
      const { graduated } = venue.search(query.mint, quoteMint);
      return graduated === undefined
        ? []
        : refsAt(venue, query, graduated.addresses(), graduated.isReserved);
    });
  });
}

type Part = Pick<Discovery, "pools" | "accounts" | "refusals"> & {
  /** Null where nothing was asked. */
  readonly slot: bigint | null;
};

async function readDerived(
  source: ChainSource,
  derived: readonly PoolRef[],
  signal: AbortSignal | undefined,
): Promise<Part> {
  if (derived.length === 0) return { pools: [], accounts: new Map(), refusals: [], slot: null };
  const read = await source.readAccounts(
    derived.map(({ address }) => address),
    signal,
  );
  const leftOut = derived.filter(({ address }) => !read.accounts.has(address)).length;
  return {
    pools: derived.filter(({ address, venue }) => isOwnedBy(read.accounts.get(address), venue)),
    accounts: read.accounts,
    slot: read.slot,
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
    const refusals = [`${venue.id}: ${result.reason}`];
    return { pools: [], accounts: new Map(), refusals, slot: null };
  }
  const own = [...result.accounts].filter(([, account]) => isOwnedBy(account, venue));
  return {
    pools: own.map(([address]) => ({ venue, address, mint, isReserved: false })),
    accounts: new Map(own),
    refusals: [],
    slot: result.slot,
  };
}

/** Anyone can send lamports to a derived address; only the program can own the account. */
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
