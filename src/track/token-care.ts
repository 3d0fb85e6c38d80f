import type { ChainSource, TransactionSource } from "#src/chain/chain-source.ts";
import type { NowMs } from "#src/platform/clock.ts";
import type { Address } from "#src/units/address.ts";
import type { Venue } from "#src/venues/venue.ts";
import type { BackgroundWork } from "./background-work.ts";
import { BirthWatch } from "./birth-watch.ts";
import type { ChainFeed } from "./chain-feed.ts";
import { mergeFound } from "./followed-pools.ts";
import { lacksHop } from "./followed-tokens.ts";
import type { LoadedAccounts } from "./gather-accounts.ts";
import type { FollowedToken, LiveState } from "./live-state.ts";
import { findTokenPools, type LoadDeps } from "./load-token.ts";
import { PoolWatch } from "./pool-watch.ts";
import { dropUnasked, dueSearches, isLookedAt } from "./schedule.ts";
import { TokenLoads } from "./token-loads.ts";
import { metadataAddress, tokenNames } from "./token-names.ts";
import type { TokenObserver } from "./token-observer.ts";
import type { TokenLoadCounts } from "./tracker-health.ts";

/** Where the state is older than this when somebody asks, it is read again before the answer. */
const READ_BEFORE_ANSWER_MS = 25_000;
const READ_BEFORE_ANSWER_TIMEOUT_MS = 2_000;
/** The same token is read before an answer at most this often. */
const READ_AGAIN_MS = 2_000;
const RETRY_WATCHED_MS = 30_000;

export type TokenCareDeps = {
  readonly source: ChainSource;
  readonly venues: readonly Venue<unknown>[];
  readonly everything: { readonly transactions: TransactionSource | null } | null;
  readonly state: LiveState;
  readonly feed: ChainFeed;
  readonly observer: TokenObserver;
  readonly background: BackgroundWork;
  readonly nowMs: NowMs;
  readonly signal: AbortSignal;
  readonly onFailure: (what: string, cause: unknown) => void;
  readonly onDropped: (mint: Address) => void;
};

/** Which tokens are followed, and that each has all of its pools. */
export class TokenCare {
  readonly #deps: TokenCareDeps;
  readonly #loadDeps: LoadDeps;
  readonly #loads: TokenLoads;
  readonly #poolWatch: PoolWatch;
  readonly #births: BirthWatch | null;
  #watched: ReadonlySet<Address> = new Set();
  #watchedDueMs = 0;

  constructor(deps: TokenCareDeps) {
    const { source, venues, state, nowMs, signal, everything, onFailure } = deps;
    this.#deps = deps;
    this.#loadDeps = { source, venues, nowMs };
    this.#loads = new TokenLoads(this.#loadDeps, state, signal);
    this.#poolWatch = new PoolWatch({ source, state, nowMs });
    const onBorn = (token: FollowedToken): void => this.#welcome(token);
    this.#births =
      everything === null
        ? null
        : new BirthWatch({
            ...everything,
            source,
            venues,
            state,
            nowMs,
            signal,
            onBorn,
            onFailure,
          });
  }

  get loads(): TokenLoadCounts {
    return this.#loads.counts;
  }

  /** Whether a complete search found nothing, not long ago. */
  isKnownMissing(mint: Address): boolean {
    return this.#loads.isKnownMissing(mint);
  }

  /**
   * The token, found, read and followed from now on; null: there is none.
   *
   * @throws AppError chain_unavailable, or overloaded
   */
  async load(mint: Address): Promise<FollowedToken | null> {
    const { feed, observer, background, signal, nowMs } = this.#deps;
    const token = await this.#loads.load(mint);
    if (token === null) return null;
    token.isWatched = this.#watched.has(mint);
    token.askedAtMs = nowMs();
    if (token.assessed !== null) return token;
    await feed.readToken(token, signal);
    this.#poolWatch.open(token);
    background.run("open a token's record", observer.open(token));
    return token;
  }

  /** Reads the token again before an answer, where nothing has confirmed it for a while. */
  async freshen(token: FollowedToken): Promise<void> {
    const { feed, source, signal, onFailure } = this.#deps;
    if (!token.isSearched) await this.#searchFirst(token);
    const nowMs = this.#deps.nowMs();
    const ageMs = nowMs - (token.assessed?.assessment.stateTimeMs ?? nowMs);
    const wasJustRead = token.rereadDueMs - nowMs > READ_AGAIN_MS / 2;
    if (ageMs < READ_BEFORE_ANSWER_MS || source.origin === "recorded" || wasJustRead) return;
    token.rereadDueMs = nowMs + READ_AGAIN_MS;
    const timeout = AbortSignal.timeout(READ_BEFORE_ANSWER_TIMEOUT_MS);
    try {
      await feed.readToken(token, AbortSignal.any([timeout, signal]));
    } catch (cause) {
      // The answer then says how old it is.
      onFailure("freshen a token", cause);
    }
  }

  setWatched(mints: Iterable<Address>): void {
    this.#watched = new Set(mints);
    for (const token of this.#deps.state.tokens.values()) {
      token.isWatched = this.#watched.has(token.mint);
    }
    this.#loadWatched(this.#deps.nowMs());
  }

  /** Reads in what was born since. */
  pump(): void {
    this.#births?.pump();
  }

  /** Lets go of tokens, searches pools again, and loads what is missing, as it is due. */
  sweep(nowMs: number): void {
    const { state, background, onDropped } = this.#deps;
    for (const mint of dropUnasked(state, nowMs)) {
      background.run("close subscriptions", this.#poolWatch.close(mint));
      onDropped(mint);
    }
    for (const token of dueSearches(state, nowMs)) {
      background.run("search pools", this.#searchAgain(token));
    }
    for (const token of state.tokens.values()) {
      if (isLookedAt(token, nowMs)) this.#ensureHops(token);
    }
    if (nowMs >= this.#watchedDueMs) this.#loadWatched(nowMs);
  }

  async idle(): Promise<void> {
    await this.#births?.idle();
    await this.#loads.idle();
  }

  async close(): Promise<void> {
    await Promise.all([this.#poolWatch.closeAll(), this.#births?.close()]);
  }

  #loadWatched(nowMs: number): void {
    this.#watchedDueMs = nowMs + RETRY_WATCHED_MS;
    for (const mint of this.#watched) {
      if (this.#deps.state.tokens.has(mint) || this.isKnownMissing(mint)) continue;
      this.#deps.background.run("load a watched token", this.load(mint));
    }
  }

  /** Begins the record of a token that the stream brought. */
  #welcome(token: FollowedToken): void {
    const { background, observer } = this.#deps;
    token.isWatched = this.#watched.has(token.mint);
    background.run("open a token's record", observer.open(token));
    this.#ensureHops(token);
  }

  #ensureHops(token: FollowedToken): void {
    if (!lacksHop(this.#deps.state, token)) return;
    this.#deps.background.run("load a second hop", this.#loads.ensureHops(token));
  }

  /** The stream shows pools that trade; who asks shall have the quiet ones too. */
  async #searchFirst(token: FollowedToken): Promise<void> {
    const { feed, signal, onFailure } = this.#deps;
    token.isSearched = true;
    try {
      await this.#searchAgain(token);
      await feed.readToken(token, signal);
    } catch (cause) {
      token.isSearched = false;
      token.group.isSearchComplete = false;
      onFailure("search pools", cause);
    }
  }

  async #searchAgain(token: FollowedToken): Promise<void> {
    const { source, state, signal } = this.#deps;
    const loaded: LoadedAccounts = new Map();
    const metadata = metadataAddress(token.mint);
    const [found, { accounts }] = await Promise.all([
      findTokenPools(this.#loadDeps, token.mint, loaded, signal),
      source.readAccounts([metadata], signal),
    ]);
    if (state.tokens.get(token.mint) !== token) return;
    const named = { address: token.mint, facts: token.mintFacts };
    token.names = tokenNames(named, accounts.get(metadata));
    mergeFound(state, token.group, found, loaded);
    await this.#loads.ensureHops(token);
  }
}
