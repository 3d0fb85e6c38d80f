import type { ChainSource } from "#src/chain/chain-source.ts";
import type { BackgroundWork } from "#src/platform/background-work.ts";
import type { WallClock } from "#src/platform/clock.ts";
import type { Address } from "#src/units/address.ts";
import type { Venue } from "#src/venues/venue.ts";
import type { ChainFeed } from "../following/chain-feed.ts";
import { tokenOfFollowedPool } from "../following/followed-pools.ts";
import {
  isFollowed,
  lackingHops,
  noteAsked,
  noteIncomplete,
  planNextSearch,
  refsOf,
  removeToken,
  replanSearch,
  retrySearch,
  searchSoon,
  setWatched,
} from "../following/followed-tokens.ts";
import { awaitsGraduation } from "../following/graduation.ts";
import type { FollowedToken, LiveState } from "../following/live-state.ts";
import { mergeFound } from "../following/merge-found.ts";
import { Rounds, valuesOf } from "../following/rounds.ts";
import { dropUnasked, dueSearches, isActive } from "../following/schedule.ts";
import { stateTimeMs } from "../following/state-slot.ts";
import type { LoadedAccounts } from "../pools/gather-accounts.ts";
import { findTokenPools, type LoadDeps } from "../pools/load-token.ts";
import { metadataAddress, tokenNames } from "../pools/token-names.ts";
import { FirstReads } from "./first-reads.ts";
import { FirstSearches } from "./first-searches.ts";
import { HopSearches } from "./hop-searches.ts";
import type { KnownTokens } from "./known-tokens.ts";
import { NewPoolFeed } from "./new-pool-feed.ts";
import { NewTokenFeed, type StreamedPrograms } from "./new-token-feed.ts";
import { type TokenLoadCounts, TokenLoads, WATCHLIST } from "./token-loads.ts";
import { TokenOpenings } from "./token-openings.ts";
import { TokenRestore } from "./token-restore.ts";

/** If the state is older than this at a request, it is read again before the answer. */
const READ_BEFORE_ANSWER_MS = 25_000;
const READ_BEFORE_ANSWER_TIMEOUT_MS = 2_000;
/** A token is read before an answer at most this often. */
const READ_AGAIN_MS = 2_000;
const RETRY_WATCHED_MS = 30_000;
/**
 * While a graduated token's pool is not known, its pools are searched again after this, and after twice
 * as long each further time: the addresses that its launchpad uses are watched meanwhile.
 */
const SEARCH_AGAIN_MS = 2_000;
const MAX_SEARCH_AGAIN_DOUBLINGS = 4;
/** Every token is visited within this time, and at least so many in a sweep. */
const VISITS = { roundMs: 15_000, leastVisits: 1_000 } as const;

export type TokenRegistryDeps = {
  readonly source: ChainSource;
  readonly venues: readonly Venue<unknown>[];
  readonly everything: StreamedPrograms | null;
  readonly state: LiveState;
  readonly feed: ChainFeed;
  /** Continues what is stored of the token: its samples and its open alert. */
  readonly openRecord: (token: FollowedToken) => Promise<void>;
  /** What an earlier process left; null: nothing survives a restart. */
  readonly known: KnownTokens | null;
  readonly background: BackgroundWork;
  readonly clock: WallClock;
  /** How busy the event loop is, 0 to 1. */
  readonly loopLoad: () => number;
  readonly signal: AbortSignal;
  /** Called after each change of a followed account that comes with its whole program. */
  readonly onChange: () => void;
  readonly onFailure: (what: string, cause: unknown) => void;
  readonly onDropped: (mint: Address) => void;
};

/** Adds and removes followed tokens, and keeps each token's list of pools complete. */
export class TokenRegistry {
  readonly #deps: TokenRegistryDeps;
  readonly #loadDeps: LoadDeps;
  readonly #loads: TokenLoads;
  readonly #newPools: NewPoolFeed;
  readonly #newTokens: NewTokenFeed | null;
  readonly #restore: TokenRestore | null;
  readonly #firstSearches: FirstSearches;
  readonly #hopSearches: HopSearches;
  readonly #rounds: Rounds<FollowedToken>;
  #watched = new Set<Address>();
  readonly #firstReads: FirstReads;
  readonly #records: TokenOpenings;
  #watchedDueMs = 0;

  constructor(deps: TokenRegistryDeps) {
    const { source, venues, state, clock, signal, everything, onChange, onFailure } = deps;
    const { known, background, loopLoad, openRecord, feed } = deps;
    this.#deps = deps;
    this.#rounds = new Rounds(valuesOf(state.tokens), VISITS);
    this.#loadDeps = { source, venues, clock };
    this.#loads = new TokenLoads({
      ...this.#loadDeps,
      ...{ state, signal, background },
      onFollowed: (token) => {
        this.#firstReads.add(token);
        this.#open(token);
      },
      onMissing: (token) => {
        this.#drop(token);
        background.run("follow closed pools", this.#followStored(token.mint));
      },
    });
    this.#firstReads = new FirstReads({
      state,
      read: (token) => feed.readToken(token, signal),
      onRead: (token) => this.#searchFurther(token),
    });
    this.#records = new TokenOpenings({
      ...{ state, background, what: "open a token's record" },
      open: openRecord,
    });
    this.#firstSearches = new FirstSearches({
      ...{ state, background, loopLoad },
      search: (token) => this.#searchFirst(token),
    });
    this.#hopSearches = new HopSearches({
      ...{ state, background, clock },
      search: (group) => this.#loads.searchHop(group),
    });
    const restoring = { source, state, clock, signal, onFailure };
    const onRestored = (token: FollowedToken): void => {
      this.#open(token);
      this.#searchFurther(token);
    };
    this.#restore = known === null ? null : new TokenRestore({ ...restoring, known, onRestored });
    const streamed = everything?.venues ?? [];
    this.#newPools = new NewPoolFeed({ source, venues, state, clock, signal, streamed, onFailure });
    const onNewToken = (token: FollowedToken): void => {
      this.#openRecord(token);
      this.#ensureHops(token);
    };
    this.#newTokens =
      everything === null
        ? null
        : new NewTokenFeed({
            ...everything,
            ...{ source, state, clock, signal, onChange, onNewToken, onFailure },
          });
  }

  get loads(): TokenLoadCounts {
    return this.#loads.counts;
  }

  get waitingSearches(): number {
    return this.#firstSearches.waiting;
  }

  /** Whether a recent complete search found nothing. */
  isKnownMissing(mint: Address): boolean {
    return this.#loads.missing.has(mint);
  }

  /** The token whose pool a missing address is; null: not known to be a pool. */
  poolOf(address: Address): Address | null {
    return this.#loads.missing.poolOf(address) ?? tokenOfFollowedPool(this.#deps.state, address);
  }

  /**
   * Finds, reads and follows the token; null: it does not exist. Askers take turns.
   *
   * @throws AppError chain_unavailable or overloaded
   */
  async load(mint: Address, asker: string): Promise<FollowedToken | null> {
    const { feed, clock } = this.#deps;
    const restored = (await this.#restore?.restore(mint)) ?? null;
    if (restored !== null) {
      noteAsked(this.#deps.state, restored, clock.nowMs());
      if (!restored.isSearched) await this.#firstSearches.inTime(restored);
      return restored;
    }
    const loaded = await this.#loads.load(mint, asker);
    if (loaded === null) return await this.#followStored(mint);
    const { token, isReadTogether } = loaded;
    noteAsked(this.#deps.state, token, clock.nowMs());
    if (isReadTogether) {
      feed.pump();
      this.#firstReads.end(token);
    } else await this.#firstReads.read(token);
    return token;
  }

  /** A complete search has found no pool; those that were found earlier are closed. Null: none ever was. */
  async #followStored(mint: Address): Promise<FollowedToken | null> {
    const { feed, signal, state, clock } = this.#deps;
    const token = (await this.#restore?.followStored(mint)) ?? null;
    if (token === null) return null;
    this.#loads.forgetMissing(mint);
    token.isSearched = true;
    token.group.isSearchComplete = true;
    planNextSearch(token, clock.nowMs());
    noteAsked(state, token, clock.nowMs());
    await feed.readToken(token, signal);
    return token;
  }

  /** Reads from disk what an earlier process followed. */
  async restore(): Promise<void> {
    await this.#restore?.begin();
    this.#loadWatched(this.#deps.clock.nowMs());
  }

  /** Reads the token again before an answer if its state is old. */
  async freshen(token: FollowedToken): Promise<void> {
    const { feed, source, signal, onFailure } = this.#deps;
    if (!token.isSearched) await this.#firstSearches.inTime(token);
    const nowMs = this.#deps.clock.nowMs();
    const ageMs = nowMs - (stateTimeMs(this.#deps.state, token) ?? nowMs);
    const wasJustRead = token.rereadDueMs - nowMs > READ_AGAIN_MS / 2;
    if (ageMs < READ_BEFORE_ANSWER_MS || source.origin === "recorded" || wasJustRead) return;
    token.rereadDueMs = nowMs + READ_AGAIN_MS;
    const timeout = AbortSignal.timeout(READ_BEFORE_ANSWER_TIMEOUT_MS);
    try {
      await feed.readToken(token, AbortSignal.any([timeout, signal]));
    } catch (cause) {
      // The answer then contains its age.
      onFailure("freshen a token", cause);
    }
  }

  setWatched(mints: readonly Address[]): void {
    // The same tokens, each named once, come every second.
    if (mints.length !== this.#watched.size || !mints.every((mint) => this.#watched.has(mint)))
      this.#replaceWatched(new Set(mints));
    this.#loadWatched(this.#deps.clock.nowMs());
  }

  /** Only what changed: of 100,000 tokens few are watched. */
  #replaceWatched(watched: Set<Address>): void {
    for (const mint of this.#watched.symmetricDifference(watched)) {
      const token = this.#deps.state.tokens.get(mint);
      if (token !== undefined) setWatched(this.#deps.state, token, watched.has(mint));
    }
    this.#watched = watched;
  }

  /** Loads new tokens and those of an earlier process, and searches watched ones. */
  pump(): void {
    this.#newTokens?.pump();
    this.#restore?.pump();
    this.#firstSearches.pump();
  }

  /** Drops tokens, searches pools again, and loads missing tokens and hops, as far as due. */
  sweep(nowMs: number): void {
    const { state, background, onDropped } = this.#deps;
    const visited = this.#nextVisits(nowMs);
    for (const mint of dropUnasked(state, visited, nowMs)) {
      background.run("close subscriptions", this.#newPools.close(mint));
      onDropped(mint);
    }
    background.run("subscribe to new pools", this.#newPools.assignPlaces());
    for (const { token, wasUrgent } of dueSearches(state, nowMs)) {
      background.run("search pools", this.#searchDue(token, wasUrgent));
    }
    for (const token of visited) {
      if (state.tokens.has(token.mint) && isActive(token, nowMs)) this.#ensureHops(token);
    }
    this.#records.openRest();
    this.#firstReads.endRest();
    this.#hopSearches.sweep(nowMs);
    if (nowMs >= this.#watchedDueMs) this.#loadWatched(nowMs);
  }

  /** The tokens that this sweep visits: all of them in turn, so that a sweep of 100,000 is short. */
  #nextVisits(nowMs: number): readonly FollowedToken[] {
    const visited: FollowedToken[] = [];
    this.#rounds.visit(nowMs, (token) => {
      visited.push(token);
      return true;
    });
    return visited;
  }

  async idle(): Promise<void> {
    await this.#newTokens?.idle();
    await this.#restore?.idle();
    await this.#loads.idle();
    await this.#firstSearches.idle();
  }

  async close(): Promise<void> {
    await Promise.all([this.#newPools.closeAll(), this.#newTokens?.close(), this.#loads.close()]);
  }

  #loadWatched(nowMs: number): void {
    this.#watchedDueMs = nowMs + RETRY_WATCHED_MS;
    for (const mint of this.#watched) {
      const token = this.#deps.state.tokens.get(mint);
      if (token?.isSearched === false) this.#firstSearches.addLater(mint);
      if (token !== undefined || this.#loads.missing.isSuspended(mint)) continue;
      if (this.#restore?.isWaiting(mint) === true) continue;
      this.#deps.background.run("load a watched token", this.load(mint, WATCHLIST));
    }
    this.#firstSearches.pump();
  }

  /** A complete search found no pool of the token. */
  #drop(token: FollowedToken): void {
    const { state, background, onDropped } = this.#deps;
    removeToken(state, token);
    background.run("close subscriptions", this.#newPools.close(token.mint));
    onDropped(token.mint);
  }

  #open(token: FollowedToken): void {
    this.#openRecord(token);
    const { background } = this.#deps;
    background.run("subscribe to new pools", this.#newPools.open(token));
  }

  #openRecord(token: FollowedToken): void {
    setWatched(this.#deps.state, token, this.#watched.has(token.mint));
    this.#records.open(token);
  }

  /** Searches what the accounts of a token that was just loaded or restored lead to. */
  #searchFurther(token: FollowedToken): void {
    if (awaitsGraduation(token.group)) searchSoon(token, this.#deps.clock.nowMs());
    this.#ensureHops(token);
  }

  #ensureHops(token: FollowedToken): void {
    const { state, background } = this.#deps;
    if (lackingHops(state, token).length === 0) return;
    background.run("load a second hop", this.#loads.ensureHops(token));
  }

  async #searchFirst(token: FollowedToken): Promise<void> {
    const { feed, signal, clock, onFailure } = this.#deps;
    try {
      await this.#searchAgain(token);
      await this.#loads.ensureHops(token);
      await feed.readToken(token, signal);
    } catch (cause) {
      noteIncomplete(token);
      searchSoon(token, clock.nowMs());
      onFailure("search pools", cause);
    }
    token.isSearched = true;
  }

  async #searchDue(token: FollowedToken, wasUrgent: boolean): Promise<void> {
    try {
      await this.#searchAgain(token);
    } catch (cause) {
      retrySearch(token, wasUrgent, this.#deps.clock.nowMs());
      throw cause;
    }
    await this.#loads.ensureHops(token);
  }

  async #searchAgain(token: FollowedToken): Promise<void> {
    const { source, state, signal, clock } = this.#deps;
    const loaded: LoadedAccounts = new Map();
    const plannedMs = token.searchDueMs;
    const metadata = metadataAddress(token.mint);
    const [found, { accounts }] = await Promise.all([
      findTokenPools(this.#loadDeps, token.mint, loaded, {
        signal,
        followed: refsOf(token.group),
      }),
      source.readAccounts([metadata], signal),
    ]);
    if (!isFollowed(state, token)) return;
    const named = { address: token.mint, facts: token.mintFacts };
    token.names = tokenNames(named, accounts.get(metadata));
    mergeFound(state, token.group, found, loaded);
    token.failedSearches = 0;
    replanSearch(token, plannedMs, clock.nowMs());
    if (awaitsGraduation(token.group)) {
      token.isSearchUrgent = true;
      const searches = Math.max(0, token.group.searches - 1);
      const doublings = Math.min(searches, MAX_SEARCH_AGAIN_DOUBLINGS);
      token.searchDueMs = Math.min(
        token.searchDueMs,
        clock.nowMs() + SEARCH_AGAIN_MS * 2 ** doublings,
      );
    }
  }
}
