import type { ChainSource, Following, TransactionSource } from "#src/chain/chain-source.ts";
import type { Market } from "#src/measure/market.ts";
import { AppError } from "#src/platform/app-error.ts";
import type { NowMs } from "#src/platform/clock.ts";
import type { StoredAlert } from "#src/store/alerts.ts";
import type { Database } from "#src/store/database.ts";
import type { Address } from "#src/units/address.ts";
import { CLOCK_SYSVAR, WSOL } from "#src/units/known-addresses.ts";
import type { Venue, VenueId } from "#src/venues/venue.ts";
import { AccountReads } from "./account-reads.ts";
import { Answers } from "./answers.ts";
import { applyUpdate } from "./apply-update.ts";
import { type AssessDeps, marketOf } from "./assess-token.ts";
import { BirthWatch } from "./birth-watch.ts";
import { blockTimeMs } from "./chain-clock.ts";
import { mergeFound } from "./followed-pools.ts";
import { accountsOf, lacksHop } from "./followed-tokens.ts";
import type { LoadedAccounts } from "./gather-accounts.ts";
import type { HistoryPoint, HistoryQuery } from "./history.ts";
import { createLiveState, type FollowedToken, type LiveState } from "./live-state.ts";
import { findTokenPools, type LoadDeps } from "./load-token.ts";
import type { MarketSnapshot, MarketSource } from "./market-snapshot.ts";
import { PoolWatch } from "./pool-watch.ts";
import { refreshPools } from "./refresh-pools.ts";
import {
  dropUnasked,
  dueConfirmations,
  dueRereads,
  dueSearches,
  isLookedAt,
  rereadEverything,
} from "./schedule.ts";
import { recordClock } from "./slot-times.ts";
import { type AssessedSnapshot, agedAssessment } from "./snapshot-text.ts";
import { TokenArchive } from "./token-archive.ts";
import { TokenLoads } from "./token-loads.ts";
import { metadataAddress, tokenNames } from "./token-names.ts";
import { type AlertEvent, TokenObserver } from "./token-observer.ts";
import { historySeconds } from "./token-series.ts";
import { type TrackerHealth, trackerHealth } from "./tracker-health.ts";

/** Where the state is older than this when somebody asks, it is read again before the answer. */
const READ_BEFORE_ANSWER_MS = 25_000;
const READ_BEFORE_ANSWER_TIMEOUT_MS = 2_000;
const TICK_EVERY_MS = 15;
const SWEEP_EVERY_MS = 1_000;
const RETRY_WATCHED_MS = 30_000;
const SAVE_EVERY_MS = 5_000;
const RETENTION_DAYS = 30;
const NOTHING_REPLAYED: ReadonlyMap<VenueId, number> = new Map();
const HEAD_SILENT_MS = 3_000;

export type TrackerDeps = {
  readonly source: ChainSource;
  readonly venues: readonly Venue<unknown>[];
  readonly nowMs: NowMs;
  /** Where tokens, samples and alerts are kept; null: nowhere, and nothing survives a restart. */
  readonly database: Database | null;
  /** Samples are kept for so many days. */
  readonly retentionDays?: number;
  /** Share of exactly replayed swaps of the last hour, percent, by venue. */
  readonly exactPctByVenue?: () => ReadonlyMap<VenueId, number>;
  /**
   * Where the source is a stream that tells of every change (gRPC): every token of the modelled
   * programs is tracked from its birth. `transactions` names the coins of curves that do not.
   */
  readonly everything?: { readonly transactions: TransactionSource | null } | null;
  /** Told of failures that tracking survives; for the log. */
  readonly onFailure?: (what: string, cause: unknown) => void;
};

/** What follows tokens, keeps them current, and answers at once from what it holds. */
export interface Tracker extends MarketSource {
  /** These tokens are tracked for as long as they stand here, asked for or not. */
  setWatched(mints: Iterable<Address>): void;
  /** The market behind the newest answer, for questions at any size; null where it is not tracked. */
  market(mint: Address): Market | null;
  health(): TrackerHealth;
  /** The token's past on an even grid, up to 2,000 points; empty where it was never tracked. */
  history(mint: Address, query: HistoryQuery): Promise<readonly HistoryPoint[]>;
  /** The newest alerts of the token, the last one first. */
  alerts(mint: Address): Promise<readonly StoredAlert[]>;
  /** Called with each new answer of a tracked token. Returns what ends it. */
  onSnapshot(listener: (snapshot: AssessedSnapshot) => void): () => void;
  /** Called when a token's alert turns on or off. Returns what ends it. */
  onAlert(listener: (event: AlertEvent) => void): () => void;
  /** Ticks by itself from now on, until it is closed. */
  start(): void;
  /** Does what is due now: `start` calls it every few milliseconds, tests as their clock says. */
  tick(): void;
  /** Resolves when no read and no load is under way. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

export function createTracker(deps: TrackerDeps): Tracker {
  return new LiveTracker(deps);
}

class LiveTracker implements Tracker {
  readonly #deps: TrackerDeps;
  readonly #loadDeps: LoadDeps;
  readonly #assessDeps: AssessDeps;
  readonly #state: LiveState;
  readonly #abort = new AbortController();
  readonly #reads: AccountReads;
  readonly #loads: TokenLoads;
  readonly #poolWatch: PoolWatch;
  readonly #following: Following;
  readonly #archive: TokenArchive | null;
  readonly #observer: TokenObserver;
  readonly #answers: Answers;
  readonly #births: BirthWatch | null;
  readonly #alertListeners = new Set<(event: AlertEvent) => void>();
  readonly #background = new Set<Promise<void>>();
  #watched: ReadonlySet<Address> = new Set();
  #timer: NodeJS.Timeout | null = null;
  #sweepDueMs = 0;
  #saveDueMs = 0;
  #watchedDueMs = 0;
  #headSlot: bigint | null = null;
  #headHeardAtMs: number;

  constructor(deps: TrackerDeps) {
    const { source, venues, nowMs, everything = null } = deps;
    this.#deps = deps;
    this.#state = createLiveState(everything === null ? null : { gaps: 0, gapAtMs: 0 });
    this.#headHeardAtMs = nowMs();
    this.#loadDeps = { source, venues, nowMs };
    const standsStill = source.origin === "recorded";
    this.#assessDeps = {
      standsStill,
      // Of what stands still there is no past to wait for.
      historySeconds: ({ series }) => (standsStill ? null : historySeconds(series)),
      exactPctByVenue: deps.exactPctByVenue ?? (() => NOTHING_REPLAYED),
    };
    const { database, retentionDays = RETENTION_DAYS } = deps;
    this.#archive = database === null ? null : new TokenArchive({ database, nowMs, retentionDays });
    this.#observer = new TokenObserver({
      state: this.#state,
      archive: this.#archive,
      inBackground: (what, work) => this.#inBackground(what, work),
      onAlert: (event) => {
        for (const listener of this.#alertListeners) listener(event);
      },
    });
    this.#answers = new Answers({
      state: this.#state,
      assess: this.#assessDeps,
      observer: this.#observer,
      nowMs,
    });
    const { signal } = this.#abort;
    this.#reads = new AccountReads({
      source,
      state: this.#state,
      nowMs,
      signal,
      onFailure: (cause) => this.#failed("read accounts", cause),
    });
    this.#loads = new TokenLoads(this.#loadDeps, this.#state, signal);
    this.#poolWatch = new PoolWatch({ source, state: this.#state, nowMs });
    this.#following = source.follow({
      onUpdate: (update) => applyUpdate(this.#state, update, nowMs()),
      onFollowed: (addresses) => this.#reads.queue(addresses),
      onGap: () => rereadEverything(this.#state, nowMs()),
      onSlot: (slot) => this.#hearSlot(slot),
    });
    this.#following.add([CLOCK_SYSVAR]);
    this.#births =
      everything === null
        ? null
        : new BirthWatch({
            source,
            venues,
            state: this.#state,
            transactions: everything.transactions,
            nowMs,
            signal,
            onBorn: (token) => this.#welcome(token),
            onFailure: (what, cause) => this.#failed(what, cause),
          });
  }

  async snapshot(mint: Address): Promise<MarketSnapshot> {
    if (mint === WSOL) return { kind: "not-found", mint };
    const token = this.#state.tokens.get(mint);
    if (token !== undefined) {
      this.#ask(token);
      await this.#freshen(token);
      const held = this.#answers.of(token);
      if (held !== null) return held;
    }
    if (this.#loads.isKnownMissing(mint)) return { kind: "not-found", mint };
    try {
      return (await this.#load(mint)) ?? { kind: "not-found", mint };
    } catch (cause) {
      if (!(cause instanceof AppError) || cause.code !== "chain_unavailable") throw cause;
      this.#failed("load a token", cause);
      return await this.#storedSnapshot(mint);
    }
  }

  latest(mint: Address): MarketSnapshot | null {
    const token = this.#state.tokens.get(mint);
    if (token === undefined) {
      return this.#loads.isKnownMissing(mint) ? { kind: "not-found", mint } : null;
    }
    this.#ask(token);
    return this.#answers.of(token);
  }

  market(mint: Address): Market | null {
    const token = this.#state.tokens.get(mint);
    if (token === undefined) return null;
    return marketOf(this.#state, token, this.#assessDeps, this.#deps.nowMs());
  }

  setWatched(mints: Iterable<Address>): void {
    this.#watched = new Set(mints);
    for (const token of this.#state.tokens.values())
      token.isWatched = this.#watched.has(token.mint);
    this.#loadWatched(this.#deps.nowMs());
  }

  #loadWatched(nowMs: number): void {
    this.#watchedDueMs = nowMs + RETRY_WATCHED_MS;
    for (const mint of this.#watched) {
      if (this.#state.tokens.has(mint) || this.#loads.isKnownMissing(mint)) continue;
      this.#inBackground("load a watched token", this.#load(mint));
    }
  }

  health(): TrackerHealth {
    return trackerHealth(this.#state, {
      nowMs: this.#judgedNowMs(),
      headSlot: this.#headSlot,
      readsFailedAtMs: this.#reads.failedAtMs,
    });
  }

  async history(mint: Address, query: HistoryQuery): Promise<readonly HistoryPoint[]> {
    return (await this.#archive?.history(mint, query)) ?? [];
  }

  async alerts(mint: Address): Promise<readonly StoredAlert[]> {
    return (await this.#archive?.alerts(mint)) ?? [];
  }

  onSnapshot(listener: (snapshot: AssessedSnapshot) => void): () => void {
    return this.#answers.listen(listener);
  }

  onAlert(listener: (event: AlertEvent) => void): () => void {
    this.#alertListeners.add(listener);
    return () => this.#alertListeners.delete(listener);
  }

  start(): void {
    this.#timer ??= setInterval(() => this.tick(), TICK_EVERY_MS);
  }

  tick(): void {
    const nowMs = this.#deps.nowMs();
    this.#answers.tick();
    if (nowMs >= this.#sweepDueMs) {
      this.#sweepDueMs = nowMs + SWEEP_EVERY_MS;
      this.#sweep(nowMs);
    }
    this.#births?.pump();
    this.#followWanted();
    this.#reads.pump();
  }

  async idle(): Promise<void> {
    await this.#births?.idle();
    await this.#loads.idle();
    await this.#reads.idle();
    while (this.#background.size > 0) await Promise.all(this.#background);
  }

  async close(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#abort.abort();
    await Promise.all([
      this.#following.close(),
      this.#poolWatch.closeAll(),
      this.#births?.close(),
      this.idle(),
    ]);
    await this.#archive?.save({ all: true });
  }

  async #load(mint: Address): Promise<MarketSnapshot | null> {
    const token = await this.#loads.load(mint);
    if (token === null) return null;
    token.isWatched = this.#watched.has(mint);
    this.#ask(token);
    if (token.assessed === null) {
      this.#followWanted();
      await this.#readToken(token, this.#abort.signal);
      this.#poolWatch.open(token);
      this.#inBackground("open a token's record", this.#observer.open(token));
    }
    return this.#answers.of(token) ?? { kind: "unavailable", mint };
  }

  async #readToken(token: FollowedToken, signal: AbortSignal): Promise<void> {
    const accounts = accountsOf(this.#state, token);
    await this.#reads.readNow(
      Array.from(accounts, ({ address }) => address),
      signal,
    );
    if (this.#state.times.newest === null) await this.#readHead();
    refreshPools(this.#state, this.#deps.nowMs());
  }

  /** Begins the record of a token that the stream brought. */
  #welcome(token: FollowedToken): void {
    token.isWatched = this.#watched.has(token.mint);
    this.#inBackground("open a token's record", this.#observer.open(token));
    if (lacksHop(this.#state, token)) {
      this.#inBackground("load a second hop", this.#loads.ensureHops(token));
    }
  }

  /** Reads the token again before an answer, where nothing has confirmed it for a while. */
  async #freshen(token: FollowedToken): Promise<void> {
    const nowMs = this.#deps.nowMs();
    if (!token.isSearched) await this.#searchFirst(token);
    const { assessed } = token;
    if (assessed === null || nowMs - assessed.assessment.stateTimeMs < READ_BEFORE_ANSWER_MS)
      return;
    if (this.#deps.source.origin === "recorded" || nowMs < token.rereadDueMs - SWEEP_EVERY_MS)
      return;
    token.rereadDueMs = nowMs + SWEEP_EVERY_MS * 2;
    const timeout = AbortSignal.timeout(READ_BEFORE_ANSWER_TIMEOUT_MS);
    try {
      await this.#readToken(token, AbortSignal.any([timeout, this.#abort.signal]));
    } catch (cause) {
      // The answer then says how old it is.
      this.#failed("freshen a token", cause);
    }
  }

  /** The stream shows pools that trade; who asks shall have the quiet ones too. */
  async #searchFirst(token: FollowedToken): Promise<void> {
    token.isSearched = true;
    try {
      await this.#searchAgain(token);
      this.#followWanted();
      await this.#readToken(token, this.#abort.signal);
    } catch (cause) {
      token.isSearched = false;
      token.group.isSearchComplete = false;
      this.#failed("search pools", cause);
    }
  }

  #ask(token: FollowedToken): void {
    token.askedAtMs = this.#deps.nowMs();
  }

  /** The last answer that was stored, as old as it is by now. */
  async #storedSnapshot(mint: Address): Promise<MarketSnapshot> {
    const stored = await this.#archive?.lastAnswer(mint);
    if (!stored) return { kind: "unavailable", mint };
    return { ...stored, assessment: agedAssessment(stored.assessment, this.#deps.nowMs()) };
  }

  #sweep(nowMs: number): void {
    for (const mint of dropUnasked(this.#state, nowMs)) {
      this.#inBackground("close subscriptions", this.#poolWatch.close(mint));
      if (this.#archive !== null) this.#inBackground("save samples", this.#archive.close(mint));
    }
    if (this.#archive !== null && nowMs >= this.#saveDueMs) {
      this.#saveDueMs = nowMs + SAVE_EVERY_MS;
      this.#inBackground("save samples", this.#archive.save());
    }
    const isStreaming = nowMs - this.#headHeardAtMs < HEAD_SILENT_MS;
    this.#reads.queue(dueRereads(this.#state, nowMs, isStreaming));
    this.#reads.queue(dueConfirmations(this.#state, nowMs));
    for (const token of dueSearches(this.#state, nowMs)) {
      this.#inBackground("search pools", this.#searchAgain(token));
    }
    for (const token of this.#state.tokens.values()) {
      if (isLookedAt(token, nowMs) && lacksHop(this.#state, token)) {
        this.#inBackground("load a second hop", this.#loads.ensureHops(token));
      }
    }
    if (nowMs >= this.#watchedDueMs) this.#loadWatched(nowMs);
    if (nowMs - this.#state.times.receivedAtMs >= HEAD_SILENT_MS) {
      this.#inBackground("read the head", this.#readHead());
    }
  }

  async #searchAgain(token: FollowedToken): Promise<void> {
    const loaded: LoadedAccounts = new Map();
    const { signal } = this.#abort;
    const metadata = metadataAddress(token.mint);
    const [found, { accounts }] = await Promise.all([
      findTokenPools(this.#loadDeps, token.mint, loaded, signal),
      this.#deps.source.readAccounts([metadata], signal),
    ]);
    if (this.#state.tokens.get(token.mint) !== token) return;
    const named = { address: token.mint, facts: token.mintFacts };
    token.names = tokenNames(named, accounts.get(metadata));
    mergeFound(this.#state, token.group, found, loaded);
    await this.#loads.ensureHops(token);
  }

  async #readHead(): Promise<void> {
    const { clock } = await this.#deps.source.readHead(this.#abort.signal);
    recordClock(this.#state.times, clock, this.#deps.nowMs());
  }

  /** Of recorded accounts, the time at which they stand still. */
  #judgedNowMs(): number {
    const { newest } = this.#state.times;
    const { standsStill } = this.#assessDeps;
    return standsStill && newest !== null ? blockTimeMs(newest) : this.#deps.nowMs();
  }

  #hearSlot(slot: bigint): void {
    this.#headHeardAtMs = this.#deps.nowMs();
    if (this.#headSlot === null || slot > this.#headSlot) this.#headSlot = slot;
  }

  #followWanted(): void {
    const { wanted, unwanted, rereadSoon } = this.#state;
    if (unwanted.size > 0) this.#following.remove([...unwanted]);
    if (wanted.size > 0) this.#following.add([...wanted].filter((it) => !this.#isStreamed(it)));
    this.#reads.queue(wanted);
    this.#reads.queueOnce(rereadSoon);
    for (const set of [wanted, unwanted, rereadSoon]) set.clear();
  }

  /** Whether the account comes with its whole program: it needs no subscription of its own. */
  #isStreamed(address: Address): boolean {
    if (this.#births === null) return false;
    const owner = this.#state.known.get(address)?.owner;
    return this.#deps.venues.some(({ programId }) => programId === owner);
  }

  #inBackground(what: string, work: Promise<unknown>): void {
    const done = work.then(
      () => {},
      (cause) => this.#failed(what, cause),
    );
    const tracked = done.finally(() => this.#background.delete(tracked));
    this.#background.add(tracked);
  }

  #failed(what: string, cause: unknown): void {
    if (!this.#abort.signal.aborted) this.#deps.onFailure?.(what, cause);
  }
}
