import {
  mintAccount,
  type PlainPool,
  plainPoolAccount,
  plainVenue,
  vaultAccount,
} from "#bench/detection/plain-pool-venue.ts";
import { addToken } from "#src/track/following/followed-tokens.ts";
import type { FollowedToken, LiveState } from "#src/track/following/live-state.ts";
import { NO_NAMES } from "#src/track/pools/token-names.ts";

const NOW_MS = 1_790_000_000_000;
const SLOT = 1n;

/** Follows the first token of a pool, with all accounts of slot 1 and 5 base units in each vault. */
export function followPlainToken(state: LiveState, pool: PlainPool): FollowedToken {
  const { mintA: mint, address } = pool;
  const loaded = new Map([
    [mint, { ...mintAccount(), slot: SLOT }],
    [address, { ...plainPoolAccount(pool), slot: SLOT }],
    [pool.vaultA, { ...vaultAccount(mint, 5n), slot: SLOT }],
    [pool.vaultB, { ...vaultAccount(pool.mintB, 5n), slot: SLOT }],
  ]);
  const ref = { venue: plainVenue(), address, mint, isReserved: false };
  return addToken(state, {
    ...{ mint, mintFacts: null, names: NO_NAMES, loaded, isSearched: true, nowMs: NOW_MS },
    found: {
      ...{ pools: [ref], vacant: [], isDerivedOnly: false, leftOut: [], refusals: [] },
      ...{ isSearchComplete: true, searchedSlot: SLOT },
    },
  });
}
