import type { AccountsRead, BackgroundReads } from "#src/chain/chain-source.ts";
import type { Address } from "#src/units/address.ts";
import type { PoolSearch, Venue } from "#src/venues/venue.ts";
import type { PoolQuery } from "./discover-pools.ts";
import { gatherAccounts, type LoadedAccounts } from "./gather-accounts.ts";
import { isOwned, outlineOf, type PoolRef } from "./open-pool.ts";
import type { Part } from "./pool-searches.ts";
import { quoteMintFor } from "./quote-mints.ts";

/**
 * The places at which a pool of the mint may be, by the mint and well-known constants alone. Of pools against
 * one mint these are few, the configured ones included.
 */
export function derivedRefs(
  venues: readonly Venue<unknown>[],
  query: Pick<PoolQuery, "mint" | "pairedWith">,
): readonly PoolRef[] {
  return venues.flatMap((venue) =>
    derivedOf(venue, query, venue.search(query.mint, query.pairedWith)),
  );
}

export function derivedOf(
  venue: Venue<unknown>,
  query: Pick<PoolQuery, "mint" | "pairedWith">,
  { derived, configured }: Pick<PoolSearch, "derived" | "configured">,
): readonly PoolRef[] {
  const reserved = refsAt(venue, query, derived, true);
  if (query.pairedWith === null) return reserved;
  return [...reserved, ...refsAt(venue, query, configured(), false)];
}

/** The addresses as pools of the mint on the venue. */
export function refsAt(
  venue: Venue<unknown>,
  { mint }: Pick<PoolQuery, "mint">,
  addresses: readonly Address[],
  isReserved: boolean,
): readonly PoolRef[] {
  return addresses.map((address) => ({ venue, address, mint, isReserved }));
}

/** Where the launchpads of the mint's curves put its pool, against what each curve is quoted in. */
export async function graduationRefs(
  {
    source,
    venues,
  }: { readonly source: BackgroundReads; readonly venues: readonly Venue<unknown>[] },
  query: PoolQuery,
  { parts, signal }: { readonly parts: readonly Part[]; readonly signal: AbortSignal | undefined },
): Promise<readonly PoolRef[]> {
  const curves = parts.flatMap(({ pools }) => pools.filter(({ venue }) => venue.kind === "curve"));
  const graduating = venues.filter(
    ({ kind, family }) => kind === "amm" && curves.some(({ venue }) => venue.family === family),
  );
  if (graduating.length === 0) return [];
  const known: LoadedAccounts = new Map(parts.flatMap(({ accounts }) => [...accounts]));
  const unread = curves.filter((curve) => outlineOf(curve, known) === null);
  await gatherAccounts(source, unread, known, { rounds: 1, signal });
  return curves.flatMap((curve) => {
    const quoteMint = quoteMintFor(query.mint, outlineOf(curve, known));
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

/** Which of the addresses have a pool of their venue, by one read or by what a read returned already. */
export async function readDerived(
  source: BackgroundReads,
  derived: readonly PoolRef[],
  {
    signal,
    given,
  }: { readonly signal: AbortSignal | undefined; readonly given?: AccountsRead | undefined },
): Promise<Part> {
  if (derived.length === 0) return { pools: [], accounts: new Map(), refusals: [], slot: null };
  const addresses = derived.map(({ address }) => address);
  const read = given ?? (await source.readAccounts(addresses, signal));
  const leftOut = derived.filter(({ address }) => !read.accounts.has(address)).length;
  return {
    pools: derived.filter((ref) => isOwned(ref, read.accounts)),
    accounts: new Map(
      addresses.flatMap((address) => {
        const account = read.accounts.get(address);
        return account === undefined ? [] : [[address, account] as const];
      }),
    ),
    slot: read.slot,
    refusals: leftOut === 0 ? [] : [`${leftOut} derived addresses were left out of a read`],
  };
}
