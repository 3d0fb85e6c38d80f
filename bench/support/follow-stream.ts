import type { AssessDeps } from "#src/track/answers/assess-token.ts";
import { applyRead } from "#src/track/following/account-reads.ts";
import { addToken } from "#src/track/following/followed-tokens.ts";
import { createLiveState, type LiveState } from "#src/track/following/live-state.ts";
import { refreshPools } from "#src/track/following/refresh-pools.ts";
import { recordClock } from "#src/track/following/slot-times.ts";
import { NO_NAMES } from "#src/track/pools/token-names.ts";
import type { Address } from "#src/units/address.ts";
import type { Account } from "#src/venues/account-set.ts";
import { VENUES } from "#src/venues/all.ts";
import { decodeMint } from "#src/venues/shared/token/mint.ts";
import type { StreamToken, UpdateStream } from "./update-stream.ts";

export const START_MS = 1_790_000_000_500;

export const ASSESS_DEPS: AssessDeps = {
  isFrozen: false,
  isProcessed: false,
  historySeconds: () => 1_000,
  exactPctByVenue: () => new Map(),
};

export type Live = { readonly state: LiveState; nowMs: number };

/** Every token of the stream followed, in its state before the first swap. */
export function followStream(stream: UpdateStream): Live {
  const state = createLiveState();
  const loaded = new Map<Address, Account | null>(stream.accounts);
  recordClock(state.times, stream.clock, START_MS);
  for (const token of stream.tokens) follow(state, token, loaded);
  const asked = [...state.accounts.keys()];
  const accounts = new Map(asked.map((address) => [address, loaded.get(address) ?? null]));
  applyRead(state, asked, { slot: stream.clock.slot, accounts }, START_MS);
  refreshPools(state, START_MS);
  return { state, nowMs: START_MS };
}

function follow(
  state: LiveState,
  { mint, venue: id, pool }: StreamToken,
  loaded: Map<Address, Account | null>,
): void {
  const venue = VENUES.find((candidate) => candidate.id === id);
  if (venue === undefined) throw new RangeError(`no venue ${id}`);
  addToken(state, {
    mint,
    mintFacts: decodeMint(loaded.get(mint)),
    names: NO_NAMES,
    found: {
      pools: [{ venue, address: pool, mint, isReserved: false }],
      vacant: [],
      isDerivedOnly: true,
      leftOut: [],
      isSearchComplete: true,
      searchedSlot: null,
      refusals: [],
    },
    loaded,
    isSearched: true,
    nowMs: START_MS,
  });
}
