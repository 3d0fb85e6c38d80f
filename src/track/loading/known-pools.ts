import type { UnpricedPool } from "#src/measure/market/market.ts";
import { integerJson, parseIntegerJson } from "#src/platform/integer-json.ts";
import type { TokenNames } from "#src/store/tokens.ts";
import type { Address } from "#src/units/address.ts";
import type { Venue, VenueId } from "#src/venues/venue.ts";
import type { PoolGroup } from "../following/live-state.ts";
import type { FoundPools } from "../pools/load-token.ts";
import type { PoolRef } from "../pools/open-pool.ts";

/** Increased when the format of the text changes: text of another version is not read. */
const VERSION = 1;

type WrittenPool = readonly [venue: VenueId, address: Address, isReserved: 0 | 1];

type Written = {
  readonly version: typeof VERSION;
  readonly pools: readonly WrittenPool[];
  readonly vacant: readonly WrittenPool[];
  readonly leftOut: readonly UnpricedPool[];
  readonly isSearchComplete: boolean;
  readonly searchedSlot: bigint | null;
  readonly searches: number;
  readonly searchDueMs: number;
  /** Used for a hop: its pools were derived and never searched. */
  readonly isDerivedOnly: boolean;
  /** Used for a token: all venues were searched. */
  readonly isSearched: boolean;
  /** The token's names; null for a hop. */
  readonly names: TokenNames | null;
};

/** The pools of a mint as an earlier process stored them. */
export type KnownGroup = {
  readonly found: FoundPools;
  readonly searches: number;
  /** For a token, when its next search was due; for a hop, the time of its last search. */
  readonly searchDueMs: number;
  readonly isSearched: boolean;
  readonly names: TokenNames | null;
};

/** The addresses of a group's pools as text, for the next process. */
export function knownPoolsText(
  group: PoolGroup,
  of: Pick<KnownGroup, "searchDueMs" | "isSearched" | "names">,
): string {
  const written: Written = {
    version: VERSION,
    pools: Array.from(group.pools.values(), ({ open }) => writtenPool(open.ref)),
    vacant: Array.from(group.vacancies.values(), writtenPool),
    leftOut: group.leftOut,
    isSearchComplete: group.isSearchComplete,
    searchedSlot: group.searchedSlot,
    searches: group.searches,
    isDerivedOnly: group.isDerivedOnly,
    ...of,
  };
  return integerJson(written);
}

/**
 * Parses the text of `knownPoolsText`; null if it has another version. A pool of a venue that no longer
 * exists makes the search incomplete.
 */
export function parseKnownPools(
  text: string,
  mint: Address,
  venues: readonly Venue<unknown>[],
): KnownGroup | null {
  const written = parseIntegerJson(text);
  if (!isWritten(written)) return null;
  const byId = new Map(venues.map((venue) => [venue.id, venue]));
  const refsOf = (pools: readonly WrittenPool[]): readonly PoolRef[] =>
    pools.flatMap(([id, address, isReserved]) => {
      const venue = byId.get(id);
      return venue === undefined ? [] : [{ venue, address, mint, isReserved: isReserved === 1 }];
    });
  const pools = refsOf(written.pools);
  const isWhole = pools.length === written.pools.length;
  const isSearchComplete = written.isSearchComplete && isWhole;
  return {
    found: {
      pools,
      vacant: refsOf(written.vacant),
      isDerivedOnly: written.isDerivedOnly,
      leftOut: written.leftOut,
      isSearchComplete,
      searchedSlot: written.searchedSlot,
      refusals: [],
    },
    searches: written.searches,
    searchDueMs: written.searchDueMs,
    isSearched: written.isSearched,
    names: written.names,
  };
}

function writtenPool({ venue, address, isReserved }: PoolRef): WrittenPool {
  return [venue.id, address, isReserved ? 1 : 0];
}

/** The text was written by this service: its version determines the fields. */
function isWritten(value: unknown): value is Written {
  return (
    typeof value === "object" && value !== null && "version" in value && value.version === VERSION
  );
}
