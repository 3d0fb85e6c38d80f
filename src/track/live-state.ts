import type { Assessment } from "#src/measure/assessment.ts";
import type { UnpricedPool } from "#src/measure/market.ts";
import type { Address } from "#src/units/address.ts";
import type { AccountSet } from "#src/venues/account-set.ts";
import type { Mint } from "#src/venues/token/mint.ts";
import type { VenueFilter } from "./discover-pools.ts";
import type { HeldAccount } from "./held-account.ts";
import type { OpenPool, PoolRef } from "./open-pool.ts";
import { createSlotTimes, type SlotTimes } from "./slot-times.ts";
import type { TokenNames } from "./token-names.ts";
import type { TokenSeries } from "./token-series.ts";

/** An account that something of ours depends on. */
export type FollowedAccount = {
  readonly address: Address;
  held: HeldAccount;
  /** When an event last spoke for these bytes. */
  confirmedAtMs: number;
  /** A read has asked for it, whether or not the node delivered it. */
  wasAsked: boolean;
  /** One use, or a set of them: most accounts have one, some configurations tens of thousands. */
  uses: AccountUse | Set<AccountUse> | null;
};

/** Why an account is followed. */
export type AccountUse = PoolNeed | MintUse | Vacancy;

export type PoolNeed = {
  readonly kind: "pool-need";
  readonly pool: FollowedPool;
  readonly account: FollowedAccount;
  /** Slots at which it changed, of the pool's `changes`. */
  changes: number;
};

export type MintUse = {
  readonly kind: "mint";
  readonly token: FollowedToken;
  readonly account: FollowedAccount;
};

/** An address at which a pool of the group can appear. */
export type Vacancy = {
  readonly kind: "vacancy";
  readonly group: PoolGroup;
  readonly ref: PoolRef;
  readonly account: FollowedAccount;
};

export type FollowedPool = {
  readonly group: PoolGroup;
  readonly open: OpenPool;
  readonly needs: Map<Address, PoolNeed>;
  /** Slots at which anything of it changed, and the newest of them. */
  changes: number;
  changedSlot: bigint;
  /** False while it was just found and its accounts are on their way: nothing is known of it yet. */
  isLoaded: boolean;
  /** Since when it has waited for parts of itself; null: it does not. */
  waitingSinceMs: number | null;
  /** When the venue was last asked which accounts it needs. */
  needsCheckedAtMs: number;
};

/** The pools that sell one mint. */
export type PoolGroup = {
  readonly mint: Address;
  readonly pools: Map<Address, FollowedPool>;
  readonly vacancies: Map<Address, Vacancy>;
  /** The queries that find its pools. */
  readonly filters: readonly VenueFilter[];
  leftOut: UnpricedPool | null;
  isSearchComplete: boolean;
  /** Counts changes of any of its pools. */
  version: number;
  /** The token whose pools these are; null: they are a stable's, for the second hop. */
  token: FollowedToken | null;
};

export type FollowedToken = {
  readonly mint: Address;
  readonly group: PoolGroup;
  mintFacts: Mint | null;
  askedAtMs: number;
  isWatched: boolean;
  rereadDueMs: number;
  searchDueMs: number;
  names: TokenNames;
  /** False where it was met in the stream: a search may know of more pools. */
  isSearched: boolean;
  /** The gap in the stream after which all its accounts have been confirmed; null: none yet. */
  confirmedAfterGap: number | null;
  /** What was last computed; null before the first time. */
  assessed: Assessed | null;
  series: TokenSeries;
};

/** An assessment with what it was computed from. */
export type Assessed = {
  readonly assessment: Assessment;
  readonly atMs: number;
  /** Versions of the token's pools and of the hops it uses, summed. */
  readonly version: number;
};

/**
 * Everything that is followed, as one object. The functions beside it advance it by events; none of
 * them reads a clock or does IO. What they want done is left in `wanted`, `unwanted` and `rereadSoon`.
 */
export type LiveState = {
  readonly accounts: Map<Address, FollowedAccount>;
  readonly tokens: Map<Address, FollowedToken>;
  /** SOL pools of the stables, shared by all tokens. */
  readonly hops: Map<Address, PoolGroup>;
  readonly times: SlotTimes;
  /** The stream that tells of every change, where there is one; null: silence proves nothing. */
  readonly stream: CompleteStream | null;
  readonly known: AccountSet;
  readonly dirtyPools: Set<FollowedPool>;
  readonly dirtyTokens: Set<FollowedToken>;
  readonly uncheckedPools: Set<FollowedPool>;
  /** Accounts to follow and read for the first time. */
  readonly wanted: Set<Address>;
  /** Accounts that nothing needs any more. */
  readonly unwanted: Set<Address>;
  /** Accounts to read again at once. */
  readonly rereadSoon: Set<Address>;
};

/** A feed that misses nothing while it stands: what it is silent about has not changed. */
export type CompleteStream = {
  /** Gaps so far; what was confirmed before the last one is not known to hold. */
  gaps: number;
  gapAtMs: number;
};

export function createLiveState(stream: CompleteStream | null = null): LiveState {
  const accounts = new Map<Address, FollowedAccount>();
  return {
    accounts,
    tokens: new Map(),
    hops: new Map(),
    times: createSlotTimes(),
    stream,
    known: { get: (address) => accounts.get(address)?.held.account },
    dirtyPools: new Set(),
    dirtyTokens: new Set(),
    uncheckedPools: new Set(),
    wanted: new Set(),
    unwanted: new Set(),
    rereadSoon: new Set(),
  };
}
