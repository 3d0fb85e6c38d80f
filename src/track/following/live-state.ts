import type { Assessment } from "#src/measure/assessment.ts";
import type { UnpricedPool } from "#src/measure/market/market.ts";
import type { TokenNames } from "#src/store/tokens.ts";
import type { Address } from "#src/units/address.ts";
import type { AccountSet } from "#src/venues/account-set.ts";
import type { Mint } from "#src/venues/shared/token/mint.ts";
import type { PoolStatus, VenueId } from "#src/venues/venue.ts";
import type { TokenSeries } from "../history/series.ts";
import type { OpenPool, PoolRef } from "../pools/open-pool.ts";
import { DirtyTokens } from "./dirty-tokens.ts";
import type { HeldAccount } from "./held-account.ts";
import { createSlotTimes, type SlotTimes } from "./slot-times.ts";
import type { Unconfirmed } from "./unconfirmed.ts";

/**
 * An account that a tracked token depends on, with what is held of it in the same object: there are six for each
 * token, and the collector visits every object.
 */
export type FollowedAccount = { -readonly [Field in keyof HeldAccount]: HeldAccount[Field] } & {
  readonly address: Address;
  /**
   * When an event last confirmed these bytes, in whole seconds since 1970; 0: not since the account was followed or
   * may have missed an update. V8 makes an object of milliseconds since 1970, but not of seconds.
   */
  confirmedAtSeconds: number;
  /** Updates before this slot may be lost: a stream that had the account was lost, or brought them too early. 0: none may. */
  lostUntilSlot: bigint;
  /** A read has requested it, whether or not the node returned it. */
  wasAsked: boolean;
  /** One use, or a set of them: most accounts have one, some configurations tens of thousands. */
  uses: AccountUse | Set<AccountUse> | null;
};

/** Why an account is followed. */
export type AccountUse = PoolNeed | MintUse | HopMintUse | Vacancy;

export type PoolNeed = {
  readonly kind: "pool-need";
  readonly pool: FollowedPool;
  readonly account: FollowedAccount;
  /** Slots at which it changed, of the pool's `changes`. */
  changes: number;
  /** Whether it ever changed after its first read. */
  hasChanged: boolean;
};

export type MintUse = {
  readonly kind: "mint";
  readonly token: FollowedToken;
  readonly account: FollowedAccount;
};

/** The mint that a group of hops sells. */
export type HopMintUse = {
  readonly kind: "hop-mint";
  readonly group: PoolGroup;
  readonly account: FollowedAccount;
};

/** An address at which a pool of the group can appear. */
export type Vacancy = PoolRef & {
  readonly kind: "vacancy";
  readonly group: PoolGroup;
  readonly account: FollowedAccount;
};

export type FollowedPool = {
  readonly group: PoolGroup;
  readonly open: OpenPool;
  /** Of a curve: how it last traded, and since which slot it has been closed. Null: not read yet, or no curve. */
  curve: CurveStage | null;
  readonly needs: Map<Address, PoolNeed>;
  /** Slots at which anything of it changed, and the newest of them. */
  changes: number;
  changedSlot: bigint;
  /** Whether the change at that slot is among `changes`. */
  isCounted: boolean;
  /** The first slot whose changes are not decoded yet; null: all are. */
  pendingSlot: bigint | null;
  /** False until its accounts have arrived. */
  isLoaded: boolean;
  /** While it is not loaded: it appeared a moment ago, while answers were given, and these leave it out. */
  isAwaited: boolean;
  /** Since when the pool waits for some of its accounts, so that its newest changes are not decoded; null: it does not. */
  waitsSinceMs: number | null;
  /** When the venue was last asked which accounts the pool needs. */
  needsCheckedAtMs: number;
};

/** Whether a curve sells, or since which slot it is full or migrated. */
export type CurveStage = {
  readonly status: PoolStatus;
  /** Slot of the first bytes with that status; null while it sells. */
  readonly closedSlot: bigint | null;
  /** Whether it was open when it was read before. */
  readonly wasSeenOpen: boolean;
};

/** The pools that sell one mint. */
export type PoolGroup = {
  readonly mint: Address;
  readonly pools: Map<Address, FollowedPool>;
  readonly vacancies: Map<Address, Vacancy>;
  /** Whether its pools were never searched: they are at derived addresses, or came from the stream. */
  isDerivedOnly: boolean;
  leftOut: readonly UnpricedPool[];
  /**
   * Pools that a search weighed and left out: an update of one does not make the search incomplete. True:
   * a search before the last one did so too.
   */
  weighedOut: ReadonlyMap<Address, boolean>;
  isSearchComplete: boolean;
  /** The slot up to which the last complete search has seen every pool; null: none was complete. */
  searchedSlot: bigint | null;
  /** When a quote mint's pools were last searched; 0 for a token's own. */
  searchedAtMs: number;
  /** Searches since there was evidence of a new pool: the more, the longer until the next one. */
  searches: number;
  /** Counts changes of any of its pools. */
  version: number;
  /** The token of these pools; null: they are a stable's pools, for the second hop. */
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
  /** There is evidence of a pool that is not known: its search goes before those that are only due. */
  isSearchUrgent: boolean;
  /** Searches that failed since the last one that did not. */
  failedSearches: number;
  names: TokenNames;
  /** False if the token came from the stream: a search may find more pools. */
  isSearched: boolean;
  /** The gap in the stream after which all its accounts have been confirmed; null: none yet. */
  confirmedAfterGap: number | null;
  /** The last assessment; null before the first. */
  assessed: Assessed | null;
  series: TokenSeries;
};

/** An assessment with the version of the state it was computed from. */
export type Assessed = {
  readonly assessment: Assessment;
  readonly atMs: number;
  /** Versions of the token's pools and of the hops it uses, summed. */
  readonly version: number;
  /** The key of the shared facts under which it holds at later slots too, as long as nothing changes; null: it may not. */
  readonly carriedUnder: string | null;
};

/** What all measurements use besides accounts and the clock. */
export type SharedFacts = {
  readonly readAtMs: number;
  readonly exactPctByVenue: ReadonlyMap<VenueId, number>;
  readonly newDeployments: ReadonlySet<VenueId>;
  /** The same text as long as all of this says the same of every pool, in the same epoch. */
  readonly key: string;
};

/**
 * Everything that is followed, as one object. The functions beside it advance it by events; none of
 * them reads a clock or does IO. The IO they need is queued in `wanted`, `unwanted` and `rereadSoon`.
 */
export type LiveState = {
  readonly accounts: Map<Address, FollowedAccount>;
  readonly tokens: Map<Address, FollowedToken>;
  /** Those that are watched or were requested lately, and some that no longer are: `forEachActive` removes these. */
  readonly usedTokens: Set<FollowedToken>;
  /** Pools that sell a stable or another quote mint, as hops into SOL, shared by all tokens. */
  readonly hops: Map<Address, PoolGroup>;
  /** Pools of all groups. */
  poolCount: number;
  /** Calls of `dueRereads` so far. */
  rereadSweeps: number;
  readonly times: SlotTimes;
  /** The stream of every change; null: there is none, and a missing update does not prove that nothing changed. */
  readonly stream: CompleteStream | null;
  /** What is not confirmed yet; null: the source has reported the end of no processed slot. */
  unconfirmed: Unconfirmed | null;
  readonly known: AccountSet;
  /** Pools that changed since they were decoded. */
  readonly dirtyPools: Set<FollowedPool>;
  readonly waiting: WaitingPools;
  readonly dirtyTokens: DirtyTokens;
  readonly uncheckedPools: Set<FollowedPool>;
  /** Changed pools of unused tokens, until the next sample of these. */
  readonly resting: RestingPools;
  /** Groups whose pools, vacancies or search changed since they were last stored. */
  readonly unsavedGroups: Set<PoolGroup>;
  /** Accounts to follow and read for the first time. */
  readonly wanted: Set<Address>;
  /** Accounts that are no longer needed. */
  readonly unwanted: Set<Address>;
  /** Accounts to read again immediately. */
  readonly rereadSoon: Set<Address>;
  /** Accounts that were reported as gone, until that is confirmed: they are read with each sweep. */
  readonly doubted: Set<FollowedAccount>;
  sharedFacts: SharedFacts | null;
  /** Dollars for one SOL when a token with a stable's pools was last measured; null before that. */
  solPrice: { readonly usd: number; readonly atMs: number } | null;
};

/** Pools that changed, but not all of their accounts are of one slot yet. */
export type WaitingPools = {
  /** In the order in which they began to wait. */
  readonly pools: Set<FollowedPool>;
  /** The newest slot that was delivered whole when all of them were last visited. */
  visitedSlot: bigint | null;
};

export type RestingPools = { readonly pools: Set<FollowedPool>; visitedAtMs: number };

/** A feed that misses no change while it is whole: an account without updates has not changed. */
export type CompleteStream = {
  /** False while part of it is lost, or replaced by notifications that may be missing. */
  isWhole: boolean;
  /** Gaps in all accounts so far; those confirmed before the last gap have to be confirmed again. */
  gaps: number;
  /** What all gaps so far have lost is of earlier slots; 0: no gap had a known end. */
  gapUntilSlot: bigint;
  /** The newest slot that every part of the feed has delivered whole; null: none was reported. */
  reachedSlot: bigint | null;
  /** Accounts that the feed does not deliver: notifications of them may be late or missing. */
  elsewhere: ReadonlySet<Address>;
};

export function createCompleteStream(): CompleteStream {
  return {
    ...{ isWhole: true, gaps: 0, gapUntilSlot: 0n },
    ...{ reachedSlot: null, elsewhere: new Set() },
  };
}

export function createLiveState(stream: CompleteStream | null = null): LiveState {
  const accounts = new Map<Address, FollowedAccount>();
  return {
    accounts,
    tokens: new Map(),
    hops: new Map(),
    poolCount: 0,
    rereadSweeps: 0,
    times: createSlotTimes(),
    stream,
    unconfirmed: null,
    known: { get: (address) => accounts.get(address)?.content },
    dirtyPools: new Set(),
    waiting: { pools: new Set(), visitedSlot: null },
    usedTokens: new Set(),
    dirtyTokens: new DirtyTokens(),
    uncheckedPools: new Set(),
    resting: { pools: new Set(), visitedAtMs: 0 },
    unsavedGroups: new Set(),
    wanted: new Set(),
    unwanted: new Set(),
    rereadSoon: new Set(),
    doubted: new Set(),
    sharedFacts: null,
    solPrice: null,
  };
}
