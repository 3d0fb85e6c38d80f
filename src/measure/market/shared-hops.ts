import type { QuotablePool } from "#src/venues/quotable-pool.ts";

/** A hop that several routes lead through, with those behind it, in order into SOL. */
export type SharedHops = {
  readonly hops: readonly QuotablePool[];
  /** The places of these routes. */
  readonly places: readonly number[];
};

const NONE: readonly SharedHops[] = [];

/** Every hop that more than one of these routes leads through, the farthest from SOL first. */
export function sharedHops(
  routes: readonly { readonly hops: readonly QuotablePool[] }[],
): readonly SharedHops[] {
  // Most tokens have no hop at all.
  if (routes.every(({ hops }) => hops.length === 0)) return NONE;
  const byHop = new Map<QuotablePool, { hops: readonly QuotablePool[]; places: number[] }>();
  routes.forEach(({ hops }, place) => {
    hops.forEach((hop, index) => {
      const sharing = byHop.get(hop);
      if (sharing === undefined) byHop.set(hop, { hops: hops.slice(index), places: [place] });
      else sharing.places.push(place);
    });
  });
  return [...byHop.values()]
    .filter(({ places }) => places.length > 1)
    .toSorted((a, b) => b.hops.length - a.hops.length);
}
