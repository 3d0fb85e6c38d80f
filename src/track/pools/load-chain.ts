import type { Address } from "#src/units/address.ts";
import { isMoney, isStable } from "#src/units/known-addresses.ts";
import type { Venue } from "#src/venues/venue.ts";
import { addAll, gatherAccounts, type LoadedAccounts } from "./gather-accounts.ts";
import type { FoundPools, LoadDeps } from "./load-token.ts";
import { isOwned, outlineOf, type PoolRef } from "./open-pool.ts";
import { quoteMintFor } from "./quote-mints.ts";

/** Coins that a chain may lead through behind the token: as deep as pump lets coins be quoted in coins. */
export const MAX_CHAIN_HOPS = 5;

export type LoadedChain = {
  /** The launchpad's own pools of each coin. */
  readonly coins: ReadonlyMap<Address, FoundPools>;
  /** Where it ends with something else than SOL: a stable, or a mint without a pool of the launchpad's. */
  readonly ends: readonly Address[];
};

type ChainStart = {
  readonly mints: readonly Address[];
  /** How many coins may follow each other. */
  readonly hops: number;
  /** Whether the mint is not followed: the token itself, and what is loaded already. */
  readonly isKnown: (mint: Address) => boolean;
};

type Coin = {
  readonly mint: Address;
  readonly curve: PoolRef;
  /** Null while the curve can't be read. */
  readonly quoteMint: Address | null;
  /** The curve holds nothing, as after graduation. */
  readonly isEmpty: boolean;
};

/**
 * Loads coins that are quoted in each other, with every account behind the launchpad's own pools stored
 * in `known`. A coin's curve names its quote, and everything else is derived: one read for each coin of
 * the longest chain, one more where the last coin allowed is quoted in yet another, and no search.
 *
 * @throws AppError chain_unavailable if the node can't be reached
 */
export async function loadChain(
  { source, venues }: LoadDeps,
  { mints, hops, isKnown }: ChainStart,
  known: LoadedAccounts,
  signal?: AbortSignal,
): Promise<LoadedChain> {
  const launchpads = venues.filter(({ chainSales }) => chainSales !== undefined);
  const coins = new Map<Address, Coin>();
  const ends = new Set<Address>();
  const isNew = (mint: Address): boolean => !isKnown(mint) && !coins.has(mint) && !ends.has(mint);
  let level = [...new Set(mints)].filter(isNew);
  // Coins whose curve names a quote for which no pool was derived yet.
  let unread: readonly Coin[] = [];
  for (let left = hops; level.length > 0 || unread.length > 0; left--) {
    const wanted = new Set([
      ...level.flatMap((mint) => derivedAccounts(launchpads, mint, null)),
      ...unread.flatMap(({ mint, quoteMint }) => derivedAccounts(launchpads, mint, quoteMint)),
    ]);
    const missing = [...wanted].filter((address) => !known.has(address));
    if (missing.length > 0) addAll(known, await source.readAccounts(missing, signal));
    const found = level.flatMap((mint) => coinOf(launchpads, mint, known) ?? []);
    for (const coin of found) coins.set(coin.mint, coin);
    for (const mint of level) if (!coins.has(mint)) ends.add(mint);
    unread = found.filter(({ quoteMint }) => quoteMint !== null && !isMoney(quoteMint));
    const quotes = found.flatMap(({ quoteMint }) => quoteMint ?? []);
    for (const quote of quotes) if (isStable(quote) && isNew(quote)) ends.add(quote);
    const next = quotes.filter((quote) => !isMoney(quote) && isNew(quote));
    level = left > 1 ? [...new Set(next)] : [];
  }
  const found = new Map<Address, FoundPools>();
  for (const coin of coins.values()) {
    const pools = poolsOf(launchpads, coin, known);
    // A coin that left the launchpad for another program is searched as any other mint.
    if (pools === null) ends.add(coin.mint);
    else found.set(coin.mint, pools);
  }
  const loaded = [...found.values()].flatMap(({ pools }) => pools);
  await gatherAccounts(source, loaded, known, { signal });
  return { coins: found, ends: [...ends] };
}

function derivedAccounts(
  launchpads: readonly Venue<unknown>[],
  mint: Address,
  quoteMint: Address | null,
): readonly Address[] {
  return launchpads.flatMap(({ chainSales }) => chainSales?.derivedAccounts(mint, quoteMint) ?? []);
}

/** Null where the mint has no curve of these launchpads. */
function coinOf(
  launchpads: readonly Venue<unknown>[],
  mint: Address,
  known: LoadedAccounts,
): Coin | null {
  for (const venue of launchpads) {
    if (venue.kind !== "curve") continue;
    for (const address of venue.search(mint, null).derived) {
      const curve: PoolRef = { venue, address, mint, isReserved: true };
      if (!isOwned(curve, known)) continue;
      const outline = outlineOf(curve, known);
      const quoteMint = quoteMintFor(mint, outline);
      const isEmpty = outline !== null && outline.heldA === 0n && outline.heldB === 0n;
      return { mint, curve, quoteMint, isEmpty };
    }
  }
  return null;
}

/** Its curve and the pool that it graduates to; null where the curve is empty and there is no such pool. */
function poolsOf(
  launchpads: readonly Venue<unknown>[],
  { mint, curve, quoteMint, isEmpty }: Coin,
  known: LoadedAccounts,
): FoundPools | null {
  const places = launchpads.flatMap((venue): readonly PoolRef[] => {
    if (venue.kind === "curve" || quoteMint === null) return [];
    const { derived, graduated } = venue.search(mint, quoteMint);
    const addresses = [...derived, ...(graduated?.addresses() ?? [])];
    return addresses.map((address) => ({ venue, address, mint, isReserved: true }));
  });
  const graduated = places.filter((place) => isOwned(place, known));
  if (isEmpty && graduated.length === 0) return null;
  return {
    pools: [curve, ...graduated],
    vacant: places.filter((place) => !isOwned(place, known)),
    isDerivedOnly: true,
    leftOut: [],
    isSearchComplete: true,
    searchedSlot: null,
    refusals: [],
  };
}
