import type { Market } from "#src/measure/market/market.ts";
import { type ExitAt, type ExitQuery, exitOn } from "#src/measure/questions/exit-at.ts";
import type { ExitCurve } from "#src/measure/questions/exit-curve.ts";
import {
  answerExit,
  type ExitAnswer,
  type ExitQuestion,
} from "#src/measure/questions/exit-question.ts";
import type { HoldersFirst } from "#src/measure/questions/holders-first.ts";
import { type StressedExit, stress } from "#src/measure/questions/stress.ts";
import { AppError } from "#src/platform/app-error.ts";
import { BackgroundWork } from "#src/platform/background-work.ts";
import { isWithin } from "#src/platform/clock.ts";
import { CoalescedTask } from "#src/platform/coalesced-task.ts";
import { TickTimer } from "#src/platform/tick-timer.ts";
import type { StoredAlert, TimeRange } from "#src/store/alerts.ts";
import type { Address } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { Answers } from "./answers/answers.ts";
import type { AssessDeps } from "./answers/assess-token.ts";
import type { SaleGround } from "./answers/sale-ground.ts";
import { StoredSnapshots } from "./answers/stored-snapshots.ts";
import { TokenMarkets } from "./answers/token-markets.ts";
import { TokenObserver } from "./answers/token-observer.ts";
import { usdPrice } from "./answers/usd-price.ts";
import { ChainFeed } from "./following/chain-feed.ts";
import { noteAsked, refsOf } from "./following/followed-tokens.ts";
import {
  type Assessed,
  createCompleteStream,
  createLiveState,
  type LiveState,
} from "./following/live-state.ts";
import { isSlotArriving } from "./following/state-slot.ts";
import { type ComputedDay, type Sampled, TokenArchive } from "./history/archive.ts";
import type { HistoryGrid, HistoryPoint } from "./history/history.ts";
import type { PastDay } from "./history/past-day.ts";
import type { AnswerAt } from "./history/stored-answers.ts";
import { liquidityOwners } from "./holders/liquidity-owners.ts";
import { ShareHolders } from "./holders/share-holders.ts";
import { poolAddresses, TokenHolderReads } from "./holders/token-holders.ts";
import { KnownTokens } from "./loading/known-tokens.ts";
import { loadInTime } from "./loading/load-in-time.ts";
import { TokenRegistry } from "./loading/token-registry.ts";
import type { MarketReport } from "./market-report.ts";
import type { MarketSnapshot } from "./market-snapshot.ts";
import type { Markets } from "./markets.ts";
import { blockTimeMs } from "./pools/chain-clock.ts";
import type { PoolRef } from "./pools/open-pool.ts";
import type { AssessedSnapshot } from "./snapshot-text.ts";
import { assessDepsOf, type TrackerDeps } from "./tracker-deps.ts";
import { type TrackerHealth, trackerHealth, venueRefusals } from "./tracker-health.ts";

const SWEEP_EVERY_MS = 1_000;
/** Samples and sweeps wait for so long at most while a slot arrives or tokens in use are left to measure. */
const LONGEST_SAMPLE_WAIT_MS = 200;
/** Where a tick takes longer than this, the thread is behind: sweeps wait then, for so long at most. */
const BEHIND_MS = 50;
const LONGEST_SWEEP_WAIT_MS = 3_000;
const SAVE_EVERY_MS = 5_000;
const HISTORY_DAYS = 30;
const STATE_DAYS = 3;

/** Follows tokens, keeps their accounts current, and answers from memory. */
export class Tracker implements Markets {
  readonly #deps: TrackerDeps;
  readonly #assessDeps: AssessDeps;
  readonly #state: LiveState;
  readonly #abort = new AbortController();
  readonly #background: BackgroundWork;
  readonly #archive: TokenArchive | null;
  readonly #stored: StoredSnapshots;
  readonly #known: KnownTokens | null;
  readonly #answers: Answers;
  readonly #measuring: CoalescedTask;
  readonly #markets: TokenMarkets;
  readonly #holders: ShareHolders;
  readonly #tokenHolders: TokenHolderReads;
  readonly #feed: ChainFeed;
  readonly #registry: TokenRegistry;
  readonly #timer: TickTimer;
  /** How long the last tick took. */
  #tookMs = 0;
  /** When a tick last took samples. */
  #sampledAtMs = 0;
  #sweepDueMs = 0;
  #saveDueMs = 0;

  constructor(deps: TrackerDeps) {
    const { source, venues, clock, database, everything = null } = deps;
    const { historyDays = HISTORY_DAYS, stateDays = STATE_DAYS } = deps;
    this.#deps = deps;
    const state = createLiveState(everything === null ? null : createCompleteStream());
    this.#state = state;
    const onFailure = (what: string, cause: unknown): void => this.#failed(what, cause);
    const background = new BackgroundWork(onFailure);
    this.#background = background;
    const { byExecution = null } = deps;
    const assess = assessDepsOf(deps);
    this.#markets = new TokenMarkets({ state, byExecution, assess, clock, background });
    this.#assessDeps = this.#markets.assess;
    this.#archive =
      database === null ? null : new TokenArchive({ database, clock, historyDays, stateDays });
    this.#stored = new StoredSnapshots(this.#archive, clock);
    const isEverything = everything !== null;
    this.#known =
      database === null ? null : new KnownTokens({ database, state, venues, clock, isEverything });
    const observer = new TokenObserver({ state, archive: this.#archive });
    this.#answers = new Answers({
      ...{ state, assess: this.#assessDeps, observer, clock },
      marketOf: (token) => this.#markets.of(token),
      onFailure,
    });
    this.#timer = new TickTimer(() => {
      this.tick();
      return this.#tookMs;
    });
    // Without ticks, the caller of `tick` decides when changes are measured.
    const measureSoon = () => {
      if (this.#timer.isRunning) this.#measuring.request();
    };
    this.#measuring = new CoalescedTask(() => {
      if (!this.#answers.measureChanged()) measureSoon();
    });
    const { signal } = this.#abort;
    this.#holders = new ShareHolders({ source, clock, signal });
    this.#tokenHolders = new TokenHolderReads({ source, clock, signal });
    const streamed = everything?.venues ?? [];
    const feed = new ChainFeed({
      ...{ source, streamed, state, clock, signal, background, onFailure },
      onChange: measureSoon,
    });
    this.#feed = feed;
    this.#registry = new TokenRegistry({
      ...{ source, venues, everything, state, feed, background, clock, signal },
      openRecord: (token) => observer.open(token),
      onChange: measureSoon,
      known: this.#known,
      loopLoad: deps.loopLoad ?? (() => 0),
      onFailure,
      onDropped: (mint) => {
        if (this.#archive !== null) background.run("save samples", this.#archive.close(mint));
      },
    });
  }

  async snapshot(mint: Address, asker = ""): Promise<MarketSnapshot> {
    if (mint === WSOL) return { kind: "not-found", mint };
    const followed = this.#state.tokens.get(mint);
    if (followed !== undefined) {
      noteAsked(this.#state, followed, this.#deps.clock.nowMs());
      await this.#registry.freshen(followed);
      const held = this.#answers.of(followed);
      if (held !== null) return held;
    }
    if (this.#registry.isKnownMissing(mint)) return this.#notFound(mint);
    return await this.#stored.unlessSoon(mint, this.#load(mint, asker));
  }

  #notFound(mint: Address): MarketSnapshot {
    const poolOf = this.#registry.poolOf(mint);
    return poolOf === null ? { kind: "not-found", mint } : { kind: "not-found", mint, poolOf };
  }

  /** The answer of a token that is not followed yet. */
  async #load(mint: Address, asker: string): Promise<MarketSnapshot> {
    try {
      const token = await loadInTime(this.#registry.load(mint, asker));
      if (token === null) return this.#notFound(mint);
      return this.#answers.of(token) ?? { kind: "unavailable", mint };
    } catch (cause) {
      if (!(cause instanceof AppError) || cause.code !== "chain_unavailable") throw cause;
      this.#failed("load a token", cause);
      return await this.#stored.last(mint);
    }
  }

  latest(mint: Address): MarketSnapshot | null {
    const token = this.#state.tokens.get(mint);
    if (token === undefined) {
      return this.#registry.isKnownMissing(mint) ? this.#notFound(mint) : null;
    }
    noteAsked(this.#state, token, this.#deps.clock.nowMs());
    // A token known only from the stream lacks its pools without trades: `snapshot` searches them.
    return token.isSearched ? this.#answers.of(token) : null;
  }

  touch(mint: Address): boolean {
    const token = this.#state.tokens.get(mint);
    if (token === undefined) return this.#registry.isKnownMissing(mint);
    noteAsked(this.#state, token, this.#deps.clock.nowMs());
    return true;
  }

  /** The market behind the newest answer, for exits of any size; null as `TokenMarkets.of`, or if it is not tracked. */
  market(mint: Address): Market | null {
    const token = this.#state.tokens.get(mint);
    return token === undefined ? null : this.#markets.of(token);
  }

  /** The token's market as the model sees it, with its accounts as they are now; null if it is not tracked. */
  saleGround(mint: Address): SaleGround | null {
    const token = this.#state.tokens.get(mint);
    return token === undefined ? null : this.#markets.ground(token);
  }

  exit(mint: Address, query: ExitQuery): Promise<ExitAt | null> {
    return this.#markets.measure(mint, (market) => exitOn(market, query));
  }

  answerExit(mint: Address, question: ExitQuestion): Promise<ExitAnswer | null> {
    const microUsd = usdPrice(this.#state);
    return this.#markets.measure(mint, (market) => answerExit(market, question, microUsd));
  }

  curve(mint: Address): Promise<ExitCurve | null> {
    return this.#markets.curve(mint);
  }

  async stressed(mint: Address): Promise<StressedExit | null> {
    const token = this.#state.tokens.get(mint);
    const asked = token === undefined ? null : this.#markets.modelled(token);
    if (token === undefined || asked === null) return null;
    const { known } = this.#state;
    const holders = this.#holders;
    const owners = await liquidityOwners(asked, refsOf(token.group), { known, holders });
    // Reading takes a while: use the market as it is now.
    return this.#markets.measure(mint, (market) => stress(market, owners));
  }

  async holdersFirst(mint: Address): Promise<HoldersFirst | null> {
    const token = this.#state.tokens.get(mint);
    if (token === undefined) return null;
    const pools = poolAddresses(refsOf(token.group), this.#state.known);
    const holders = await this.#tokenHolders.of(mint, pools);
    // Reading takes a while: use the market as it is now.
    return this.#markets.holdersFirst(mint, holders);
  }

  /** Tracks these tokens, each named once, until the next call, whether or not they are asked for. */
  setWatched(mints: readonly Address[]): void {
    this.#registry.setWatched(mints);
  }

  health(): TrackerHealth {
    return trackerHealth(this.#state, this.#assessedNowMs(), {
      headSlot: this.#feed.headSlot,
      readsFailingSinceMs: this.#feed.readsFailingSinceMs,
      loads: this.#registry.loads,
      waitingSearches: this.#registry.waitingSearches,
      stream: this.#feed.streamInUse(this.#deps.clock.nowMs()),
      refusals: venueRefusals(this.#deps),
    });
  }

  /** Every pool that is held now, including the pools of the stables. */
  *pools(): Iterable<PoolRef> {
    const { tokens, hops } = this.#state;
    for (const { group } of tokens.values()) yield* refsOf(group);
    for (const group of hops.values()) yield* refsOf(group);
  }

  /** The tokens that are tracked now. */
  mints(): readonly Address[] {
    return [...this.#state.tokens.keys()];
  }

  /** Whether a tracked token depends on the account. */
  holds(address: Address): boolean {
    return this.#state.accounts.has(address);
  }

  async history(mint: Address, grid: HistoryGrid): Promise<readonly HistoryPoint[]> {
    return (await this.#archive?.history(mint, grid)) ?? [];
  }

  async pastDay(mint: Address): Promise<PastDay | null> {
    return (await this.#archive?.pastDay(mint)) ?? null;
  }

  async alerts(mint: Address, begun: TimeRange): Promise<readonly StoredAlert[]> {
    return (await this.#archive?.alerts(mint, begun)) ?? [];
  }

  async answerAt(mint: Address, slot: bigint): Promise<AnswerAt> {
    const stored = await this.#archive?.answerAt(mint, slot);
    return stored ?? { kind: "not-stored", slots: { before: null, after: null } };
  }

  onSnapshot(listener: (snapshot: AssessedSnapshot) => void): () => void {
    return this.#answers.onSnapshot.add(listener);
  }

  /** Called with each answer that was served, once a newer one replaces it. Returns a function that stops the calls. */
  onServed(listener: (served: Assessed) => void): () => void {
    return this.#answers.onServed.add(listener);
  }

  /** Calls the listener with each computed past day of a tracked token. Returns a function that stops the calls. */
  onPastDay(listener: (computed: ComputedDay) => void): () => void {
    return this.#archive?.onPastDay.add(listener) ?? (() => {});
  }

  /**
   * Calls the listener with the sample of each token every ten seconds, rounded as the history stores it.
   * Returns a function that stops the calls.
   */
  onSample(listener: (sampled: Sampled) => void): () => void {
    return this.#archive?.onSample.add(listener) ?? (() => {});
  }

  /** Called with each new measurement and each change of a token's alert. Returns a function that stops the calls. */
  onReport(listener: (report: MarketReport) => void): () => void {
    return this.#answers.onReport.add(listener);
  }

  /**
   * Begins to restore the tokens of an earlier process. Until `close`, changes are measured when they arrive, and
   * `tick` is called periodically.
   */
  start(): void {
    this.#background.run("list known tokens", this.restore());
    this.#timer.start();
  }

  /** Reads the list of tokens that an earlier process followed; ticks restore them. */
  restore(): Promise<void> {
    return this.#registry.restore();
  }

  /** Does the work that is due now; samples and sweeps may wait for a later tick. Tests call it directly. */
  tick(): void {
    const nowMs = this.#deps.clock.nowMs();
    this.#measuring.run();
    this.#markets.pump();
    const mayWait = isWithin(LONGEST_SAMPLE_WAIT_MS, this.#sampledAtMs, nowMs);
    if (!mayWait || !this.#isMeasuringUrgent()) this.#sampleAndSweep(nowMs);
    this.#registry.pump();
    this.#feed.pump();
    this.#tookMs = Math.max(0, this.#deps.clock.nowMs() - nowMs);
  }

  /** Whether tokens in use are left to measure, or will be once the slot that arrives is delivered. */
  #isMeasuringUrgent(): boolean {
    return this.#state.dirtyTokens.hasInUse || isSlotArriving(this.#state);
  }

  #sampleAndSweep(nowMs: number): void {
    this.#sampledAtMs = nowMs;
    this.#answers.sample();
    const sweepWaitMs = this.#tookMs > BEHIND_MS ? LONGEST_SWEEP_WAIT_MS : 0;
    if (nowMs < this.#sweepDueMs + sweepWaitMs) return;
    this.#sweepDueMs = nowMs + SWEEP_EVERY_MS;
    this.#registry.sweep(nowMs);
    this.#feed.sweep(nowMs);
    this.#save(nowMs);
  }

  /** Resolves when no read and no load is in progress. */
  async idle(): Promise<void> {
    await this.#registry.idle();
    await this.#feed.idle();
    await this.#background.idle();
  }

  async close(): Promise<void> {
    this.#timer.stop();
    this.#measuring.stop();
    this.#abort.abort();
    await Promise.all([this.#feed.close(), this.#registry.close(), this.idle()]);
    await this.#archive?.save({ all: true });
    await this.#known?.save({ all: true });
  }

  #save(nowMs: number): void {
    const [archive, known] = [this.#archive, this.#known];
    if (archive === null || known === null || nowMs < this.#saveDueMs) return;
    this.#saveDueMs = nowMs + SAVE_EVERY_MS;
    this.#background.runAlone("save samples", () => archive.save());
    const chain = this.#assessDeps.isFrozen ? null : this.#state.times;
    this.#background.runAlone("roll up history", () => archive.rollUp(chain));
    this.#background.runAlone("save known pools", () => known.save());
  }

  /** The time used for ages: of recorded accounts, the time of the recording. */
  #assessedNowMs(): number {
    const { newest } = this.#state.times;
    const { isFrozen } = this.#assessDeps;
    return isFrozen && newest !== null ? blockTimeMs(newest) : this.#deps.clock.nowMs();
  }

  #failed(what: string, cause: unknown): void {
    if (!this.#abort.signal.aborted) this.#deps.onFailure?.(what, cause);
  }
}
