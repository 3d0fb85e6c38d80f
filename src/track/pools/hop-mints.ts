import type { Address } from "#src/units/address.ts";
import { compareBigints } from "#src/units/integer.ts";
import { isMoney, isStable, WSOL } from "#src/units/known-addresses.ts";
import type { AccountSet } from "#src/venues/account-set.ts";
import { outlineOf, type PoolRef } from "./open-pool.ts";
import { heldOf, quoteMintFor } from "./quote-mints.ts";

/** Mints besides SOL and the stables whose own pools are searched, for one token's routes. */
const MAX_OTHER_QUOTES = 3;

/**
 * The quote mints of these pools whose own pools make the hops into SOL: each stable, and of the others
 * the few against which the most of `mint` itself is held. Amounts of one mint can be compared, and
 * holding the token costs what it is worth; amounts of a mint made by a third party have no value. A mint
 * at an address that only a launchpad can use comes first.
 *
 * @param except a mint that the routes come from: they do not lead back to it
 */
export function hopMintsOf(
  { mint, except }: { readonly mint: Address; readonly except: Address | null },
  pools: Iterable<PoolRef>,
  known: AccountSet,
): readonly Address[] {
  const stables = new Set<Address>();
  const others = new Map<Address, { isReserved: boolean; held: bigint }>();
  for (const pool of pools) {
    const outline = outlineOf(pool, known);
    const quoteMint = quoteMintFor(mint, outline);
    if (quoteMint === null || quoteMint === WSOL || quoteMint === except) continue;
    if (isStable(quoteMint)) {
      stables.add(quoteMint);
      continue;
    }
    const sum = others.get(quoteMint) ?? { isReserved: false, held: 0n };
    sum.isReserved ||= pool.isReserved;
    sum.held += heldOf(outline, mint) ?? 0n;
    others.set(quoteMint, sum);
  }
  if (others.size <= MAX_OTHER_QUOTES) return [...stables, ...others.keys()];
  const chosen = [...others]
    .toSorted(([, a], [, b]) => {
      if (a.isReserved !== b.isReserved) return a.isReserved ? -1 : 1;
      return compareBigints(b.held, a.held);
    })
    .slice(0, MAX_OTHER_QUOTES);
  return [...stables, ...chosen.map(([quoteMint]) => quoteMint)];
}

/**
 * The quote mints that a launchpad's own pool of this mint pays in, other than SOL and the stables: its
 * other pools can be derived where they are coins of the same launchpad.
 */
export function launchpadQuotes(
  mint: Address,
  pools: Iterable<PoolRef>,
  known: AccountSet,
): ReadonlySet<Address> {
  const quotes = new Set<Address>();
  for (const pool of pools) {
    if (pool.venue.chainSales === undefined) continue;
    const quoteMint = quoteMintFor(mint, outlineOf(pool, known));
    if (quoteMint === null || isMoney(quoteMint) || quotes.has(quoteMint)) continue;
    if (isOwnPlace(pool, mint, quoteMint)) quotes.add(quoteMint);
  }
  return quotes;
}

function isOwnPlace({ venue, address, isReserved }: PoolRef, mint: Address, quote: Address) {
  if (isReserved) return true;
  const { derived, graduated } = venue.search(mint, quote);
  return derived.includes(address) || graduated?.addresses().includes(address) === true;
}
