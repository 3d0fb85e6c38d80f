import type { StreamInUse } from "#src/chain/chain-source.ts";
import { toNumber } from "#src/units/to-number.ts";
import type { VenueId } from "#src/venues/venue.ts";
import type { LiveState } from "./following/live-state.ts";
import type { TokenLoadCounts } from "./loading/token-loads.ts";
import { blockTimeMs } from "./pools/chain-clock.ts";
import type { TrackerDeps } from "./tracker-deps.ts";

export type VenueRefusal = {
  readonly method: string;
  readonly venue: VenueId | null;
  readonly reason: string;
};

/** How current tracking is, for readiness and metrics. */
export type TrackerHealth = {
  /** Now minus the block time of the newest clock; null before the first one. */
  readonly chainAgeMs: number | null;
  /** Slots by which the newest clock is behind the newest slot received; null: unknown. */
  readonly slotLag: number | null;
  readonly headSlot: bigint | null;
  readonly tokens: number;
  /** Of these tokens, and of the mints that they pay in. */
  readonly pools: number;
  readonly accounts: number;
  /** Pools that wait for some of their accounts, and tokens that wait to be measured again. */
  readonly waitingPools: number;
  readonly waitingTokens: number;
  /** Tokens that a stream named and that wait for the first search of their pools, or are in it. */
  readonly waitingSearches: number;
  /** Tokens being loaded for the first time, and tokens waiting to be loaded. */
  readonly loads: TokenLoadCounts;
  /** Time from which every read has failed; null: reads succeed. */
  readonly readsFailingSinceMs: number | null;
  /** How changes of accounts arrive; null: nothing is tracked. */
  readonly stream: StreamInUse | null;
  /** Searches that the node refuses now, by method and venue; null: of every venue. */
  readonly refusals: readonly VenueRefusal[];
  /** Dollars for one SOL, by the stable pools measured in the last ten minutes; null: not known. */
  readonly solUsd: number | null;
};

const SOL_PRICE_MS = 600_000;

export function trackerHealth(
  state: LiveState,
  nowMs: number,
  known: Pick<
    TrackerHealth,
    "headSlot" | "readsFailingSinceMs" | "loads" | "waitingSearches" | "stream" | "refusals"
  >,
): TrackerHealth {
  const clock = state.times.newest;
  const { headSlot } = known;
  return {
    ...known,
    chainAgeMs: clock === null ? null : Math.max(0, nowMs - blockTimeMs(clock)),
    slotLag:
      clock === null || headSlot === null
        ? null
        : Math.max(0, toNumber(headSlot) - toNumber(clock.slot)),
    tokens: state.tokens.size,
    pools: state.poolCount,
    accounts: state.accounts.size,
    waitingPools: state.dirtyPools.union(state.waiting.pools).size,
    waitingTokens: state.dirtyTokens.size,
    solUsd: solUsdNow(state, nowMs),
  };
}

/** The searches that the node refuses, by the venue of their program. */
export function venueRefusals({
  source,
  venues,
}: Pick<TrackerDeps, "source" | "venues">): readonly VenueRefusal[] {
  return (source.refusals?.() ?? []).map(({ method, programId, reason }) => {
    const venue = venues.find((known) => known.programId === programId)?.id ?? null;
    return { method, venue, reason };
  });
}

/** The health of a process that tracks nothing. */
export const NOTHING_TRACKED: TrackerHealth = {
  chainAgeMs: null,
  slotLag: null,
  headSlot: null,
  tokens: 0,
  pools: 0,
  accounts: 0,
  waitingPools: 0,
  waitingTokens: 0,
  waitingSearches: 0,
  loads: { running: 0, waiting: 0 },
  readsFailingSinceMs: null,
  stream: null,
  refusals: [],
  solUsd: null,
};

function solUsdNow({ solPrice }: LiveState, nowMs: number): number | null {
  return solPrice === null || nowMs - solPrice.atMs > SOL_PRICE_MS ? null : solPrice.usd;
}
