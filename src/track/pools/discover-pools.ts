import { setTimeout as delay } from "node:timers/promises";
import type { AccountsRead, BackgroundReads, ChainSource } from "#src/chain/chain-source.ts";
import type { UnpricedPool } from "#src/measure/market/market.ts";
import type { Address } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import type { Account } from "#src/venues/account-set.ts";
import type { PoolSearch, ProgramFilter, Venue } from "#src/venues/venue.ts";
import { derivedOf, graduationRefs, readDerived, refsAt } from "./derived-pools.ts";
import type { PoolRef } from "./open-pool.ts";
import {
  endsWithin,
  hasPool,
  lowestSlot,
  type Part,
  prepareSearches,
  type Searching,
  searchesEndIn,
} from "./pool-searches.ts";
import { NO_HOLDERS, poolsByHolder, poolsByVault } from "./pools-by-holder.ts";

export type PoolQuery = {
  readonly mint: Address;
  /** Only pools against this mint; null: against any. */
  readonly pairedWith: Address | null;
  /** Maximum number of pools that are kept. */
  readonly keep: number;
  /** No venue is searched: only the likely derived addresses are read. */
  readonly isDerivedOnly?: boolean;
  /** A read that has the derived addresses (`derivedRefs`) already. */
  readonly derivedRead?: AccountsRead | undefined;
  /** Pools that are followed already: the search chooses among them too, since it may miss some. */
  readonly followed?: readonly PoolRef[] | undefined;
};

export type Discovery = {
  readonly pools: readonly PoolRef[];
  /** Addresses at which a pool of this mint may appear later, with its venue. */
  readonly vacant: readonly PoolRef[];
  /** Pools of programs that no venue models: known by name alone. */
  readonly unmodelled: readonly UnpricedPool[];
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
  /**
   * Resolves when no first answer is being prepared: what adds to an answer begins then. Nothing of it is
   * kept once the signal aborts. Absent: at once.
   */
  readonly whenAnswered?: ((signal: AbortSignal) => Promise<unknown>) | undefined;
  readonly venues: readonly Venue<unknown>[];
};

/** What is known after the cheap calls, and what dearer ones add later. */
export type StagedDiscovery = {
  readonly first: Discovery;
  /** The same with what the next calls found; null: `first` is the whole result. Never rejects. */
  readonly rest: Promise<StagedDiscovery> | null;
};

/** A first result with a pool waits so long for searches that may make it whole. */
const GRACE_MS = 600;
/** Where the cheap calls found no pool, the searches have so long before dearer ways are tried. */
const GRACE_WITHOUT_POOL_MS = 1_000;
/** Without a pool at a derived address, a first result is returned after so long, unless holders are still read. */
const LONGEST_FIRST_MS = 3_000;
const LONGEST_HOLDERS_MS = 2_000;
/** Where holders name a pool, later stages have this time to add to it before it is returned. */
const GRACE_OF_HELD_MS = 500;
/** After a first answer with a pool, holders are asked for if the searches take longer. */
const LONGEST_BEFORE_HOLDERS_MS = 60_000;
/** The searches that a vault's authority names have so long before the vault's last transaction is read. */
const GRACE_OF_NAMED_MS = 800;
/** The reads for the first answer go before the calls of further stages. */
const BEFORE_FURTHER_MS = 400;
const LONGEST_BEFORE_FURTHER_MS = 4_000;
const CONTINUES = "the search continues";

/**
 * Finds every account that may be a pool of the mint: the likely derived addresses in one read, the
 * owners of the largest holders, and the venues' getProgramAccounts filters, concurrently. A refused
 * query only makes the result incomplete. Addresses per fee configuration are derived only if a venue's
 * filters were refused; those that a launchpad uses, if the mint has a curve of that launchpad.
 *
 * The first result never waits long for the searches, which a provider may serve slowly, a few a second,
 * or not at all. Holders are asked for only if the searches leave something open.
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
  const derived = searches.flatMap(({ venue, ...search }) => derivedOf(venue, query, search));
  const filters =
    query.isDerivedOnly === true
      ? []
      : searches.flatMap(({ venue, filters }) => filters.map((filter) => ({ venue, filter })));
  const searching = prepareSearches(source, { mint: query.mint, filters }, signal);
  const isSpaced = (source.searchPauseMs?.() ?? 0) > 0;
  if (!isSpaced) void searching.begin();
  const cheap: Part[] = [await readDerived(source, derived, { signal, given: query.derivedRead })];
  const plan = { searches, derived, filters, cheap, found: searching.found };
  const resultBy =
    (reader: BackgroundReads) =>
    (reads: PlaceReads): Promise<Discovery> => {
      const found = [...searching.found];
      return combine({ ...deps, source: reader }, query, { ...plan, found, reads }, signal);
    };
  const result = resultBy(source);
  const background = source.background ?? source;
  const lastResult = resultBy(background);
  const places = (): readonly PoolRef[] =>
    query.pairedWith === null && query.isDerivedOnly !== true
      ? deps.venues.flatMap((venue) =>
          refsAt(venue, query, venue.search(query.mint, WSOL).configured(), false),
        )
      : [];
  const quiet = (): Promise<void> => whenQuiet(deps);
  const stages = { query, places, quiet, filters, cheap, searching, isSpaced, lastResult, signal };
  if (!hasPool(cheap)) {
    const holdersRead = Promise.withResolvers<void>();
    const onHolders = holdersRead.resolve;
    const later = furtherStages({ ...stages, source, result, onHolders });
    const kept = later.catch(() => null);
    const held = holdersRead.promise.then(() => delay(hasPool(cheap) ? GRACE_OF_HELD_MS : 0, null));
    const soon = await Promise.race([later, delay(LONGEST_FIRST_MS, null)]);
    const first = soon ?? (await Promise.race([kept, held, delay(LONGEST_HOLDERS_MS, null)]));
    return first ?? withRest(await result("none"), later);
  }
  if (!isSpaced) await searchesEndIn(searching, GRACE_MS);
  if (searching.isWhole()) return { first: await result("all"), rest: null };
  const first = await result("graduation");
  const later = whenQuiet(deps).then(async () => {
    void searching.begin();
    // Where the searches are answered, holders cost nothing.
    if (isSpaced) await endsWithin(searching, LONGEST_BEFORE_HOLDERS_MS, signal);
    if (searching.isWhole()) return { first: await lastResult("all"), rest: null };
    return await furtherStages({ ...stages, source: background, result: lastResult });
  });
  return withRest(first, later);
}

type StageDeps = {
  /** Searches are spaced: those that may not be needed for the first answer wait for it. */
  readonly isSpaced: boolean;
  readonly source: BackgroundReads;
  readonly quiet: () => Promise<void>;
  readonly query: PoolQuery;
  /** The configured addresses of all venues, against SOL. */
  readonly places: () => readonly PoolRef[];
  readonly filters: readonly VenueFilter[];
  /** What was found without a search; each stage adds to it. */
  readonly cheap: Part[];
  readonly searching: Searching;
  readonly result: (reads: PlaceReads) => Promise<Discovery>;
  /** The same, which no answer waits for. */
  readonly lastResult: (reads: PlaceReads) => Promise<Discovery>;
  readonly signal: AbortSignal | undefined;
  readonly onHolders?: () => void;
};

/** The holders of the mint, what they were last seen in, and in the end the searches. */
async function furtherStages(deps: StageDeps): Promise<StagedDiscovery> {
  const { source, query, filters, cheap, searching, isSpaced, result, lastResult, signal } = deps;
  // The holders of a stable are of no use: thousands of pools have it.
  const needsNoHolders = query.pairedWith !== null || query.isDerivedOnly === true;
  const holders = needsNoHolders
    ? NO_HOLDERS
    : poolsByHolder(source, { mint: query.mint, filters }, signal);
  const hasFound = (): boolean => hasPool(cheap) || hasPool(searching.found);
  const early = await Promise.race([holders, searching.whole]);
  if (early === "whole" && hasFound()) return { first: await result("all"), rest: null };
  // A token without a pool may be on a program that is not searched: its holders name it.
  const held = await holders;
  cheap.push({ ...held, refusals: [], slot: null });
  deps.onHolders?.();
  if (!hasFound() && isSpaced) {
    if (held.venues.size > 0)
      await Promise.race([searching.begin(held.venues), delay(GRACE_OF_NAMED_MS)]);
  } else if (!hasPool(cheap)) await searchesEndIn(searching, GRACE_WITHOUT_POOL_MS);
  // One read of the likely addresses may find what dozens of searches would.
  if (!hasFound() && isSpaced) {
    void searching.begin();
    // Where searches are refused, all of these addresses are read below.
    await delay(0);
    const isRefused = searching.found.some((part) => (part?.refusals.length ?? 0) > 0);
    if (!isRefused) cheap.push(await readDerived(source, deps.places(), { signal }));
  }
  // Pools of these vaults are found by the searches that go on.
  const vaults = isSpaced && hasFound() && !searching.hasEnded() ? [] : held.vaults;
  if (searching.isWhole() && (hasFound() || vaults.length === 0)) {
    return { first: await result("all"), rest: null };
  }
  const named = await poolsByVault(source, { mint: query.mint, filters, vaults }, signal);
  cheap.push({ ...named, refusals: [], slot: null });
  // An answer without a pool is of no use: it waits for the searches, up to LONGEST_FIRST_MS.
  if (!hasFound()) await searching.begin();
  const hasAny = hasFound();
  const first = await result(hasAny ? "graduation" : "all");
  if (!hasAny && searching.hasEnded()) return { first, rest: null };
  const last = deps
    .quiet()
    .then(() => searching.begin())
    .then(async () => ({ first: await lastResult("all"), rest: null }));
  return withRest(first, last);
}

/** First answers go before what adds to one, for a while. */
async function whenQuiet({ source, whenAnswered }: DiscoveryDeps): Promise<void> {
  await delay(BEFORE_FURTHER_MS);
  if (whenAnswered === undefined || source.searchPauseMs === undefined) return;
  const ended = new AbortController();
  const answered = whenAnswered(ended.signal).then(() => delay(BEFORE_FURTHER_MS));
  await Promise.race([answered, delay(LONGEST_BEFORE_FURTHER_MS)]);
  // Where loads always overlap, what waits would otherwise pile up.
  ended.abort();
}

/** A stage that fails leaves what the one before it found. */
function withRest(first: Discovery, rest: Promise<StagedDiscovery>): StagedDiscovery {
  return { first, rest: rest.catch(() => ({ first, rest: null })) };
}

type SearchPlan = {
  readonly searches: readonly (PoolSearch & { readonly venue: Venue<unknown> })[];
  readonly derived: readonly PoolRef[];
  readonly filters: readonly VenueFilter[];
  readonly cheap: readonly Part[];
  /** By the place of the filter; null: its search goes on. */
  readonly found: readonly (Part | null)[];
  readonly reads: PlaceReads;
};

/**
 * The addresses that replace missing searches, dozens a venue: none, those that the launchpads of the
 * mint's curves use, or all.
 */
type PlaceReads = "none" | "graduation" | "all";

type CombineDeps = Pick<DiscoveryDeps, "venues"> & { readonly source: BackgroundReads };

/** Puts the parts together, and reads the addresses that replace the missing searches. */
async function combine(
  deps: CombineDeps,
  query: PoolQuery,
  { searches, derived, filters, cheap, found, reads }: SearchPlan,
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
    .filter(({ venue }) => reads === "all" && missing.has(venue))
    .flatMap(({ venue, configured }) => refsAt(venue, query, configured(), false));
  const graduation =
    reads === "none"
      ? []
      : await graduationRefs(deps, query, { parts: [...cheap, ...answered], signal });
  const late = await readDerived(deps.source, [...graduation, ...places], { signal });
  const parts = [...cheap, late, ...answered];
  const refusals = parts.flatMap((part) => part.refusals);
  if (answered.length < found.length || (missing.size > 0 && reads !== "all")) {
    refusals.push(CONTINUES);
  }
  const pools = new Map<Address, PoolRef>();
  const accounts = new Map<Address, Account | null>();
  for (const part of parts) {
    for (const pool of part.pools) if (!pools.has(pool.address)) pools.set(pool.address, pool);
    for (const [address, account] of part.accounts) keepNewest(accounts, address, account);
  }
  return {
    pools: [...pools.values()],
    vacant: [
      ...derived.filter(({ address, isReserved }) => isReserved && !pools.has(address)),
      // The launchpad uses one of them: the others stay vacant.
      ...graduation.filter(
        ({ venue }) => !graduation.some((ref) => ref.venue === venue && pools.has(ref.address)),
      ),
    ],
    unmodelled: parts.flatMap(({ unmodelled = [] }) => unmodelled),
    accounts,
    isComplete: refusals.length === 0,
    slot: lowestSlot(parts),
    refusals,
  };
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
