import type { ChainSource, TransactionSource } from "#src/chain/chain-source.ts";
import type { ExitAt } from "#src/measure/exit-at.ts";
import type { Market } from "#src/measure/market.ts";
import { type StressedExit, stress } from "#src/measure/stress.ts";
import { AppError } from "#src/platform/app-error.ts";
import type { NowMs } from "#src/platform/clock.ts";
import type { StoredAlert, TimeRange } from "#src/store/alerts.ts";
import type { Database } from "#src/store/database.ts";
import type { Address } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import type { Venue, VenueId } from "#src/venues/venue.ts";
import { Answers } from "./answers.ts";
import { type AssessDeps, marketOf } from "./assess-token.ts";
import { BackgroundWork } from "./background-work.ts";
import { blockTimeMs } from "./chain-clock.ts";
import { ChainFeed } from "./chain-feed.ts";
import type { HistoryPoint, HistoryQuery } from "./history.ts";
import { liquidityOwners } from "./liquidity-owners.ts";
import { type Assessed, createLiveState, type LiveState, type PoolGroup } from "./live-state.ts";
import type { MarketSnapshot } from "./market-snapshot.ts";
import { exitOn, type Markets, type Sale } from "./markets.ts";
import type { PoolRef } from "./open-pool.ts";
import { ShareHolders } from "./share-holders.ts";
import { type AssessedSnapshot, agedAssessment } from "./snapshot-text.ts";
import { TokenArchive } from "./token-archive.ts";
import { TokenCare } from "./token-care.ts";
import { type AlertEvent, TokenObserver } from "./token-observer.ts";
import { historySeconds } from "./token-series.ts";
import type { StateAt } from "./token-states.ts";
import { type TrackerHealth, trackerHealth } from "./tracker-health.ts";

const TICK_EVERY_MS = 15;
const SWEEP_EVERY_MS = 1_000;
const SAVE_EVERY_MS = 5_000;
const RETENTION_DAYS = 30;
const STATE_DAYS = 3;
const NOTHING_REPLAYED: ReadonlyMap<VenueId, number> = new Map();

export type TrackerDeps = {
  readonly source: ChainSource;
  readonly venues: readonly Venue<unknown>[];
  readonly nowMs: NowMs;
  /** Where tokens, samples and alerts are kept; null: nowhere, and nothing survives a restart. */
  readonly database: Database | null;
  /** Samples are kept for so many days. */
  readonly retentionDays?: number;
  /** States are kept for so many days, today included; 0: none is. */
  readonly stateDays?: number;
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
export interface Tracker extends Markets {
  /** These tokens are tracked for as long as they stand here, asked for or not. */
  setWatched(mints: Iterable<Address>): void;
  /** The market behind the newest answer, for questions at any size; null where it is not tracked. */
  market(mint: Address): Market | null;
  /** Every pool that is held now, the stables' own included. */
  pools(): Iterable<PoolRef>;
  /** Whether anything that is tracked depends on the account. */
  holds(address: Address): boolean;
  /** Called with each answer that somebody was given, once another takes its place. Returns what ends it. */
  onServed(listener: (served: Assessed) => void): () => void;
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

/** The parts, and who is called when: what each does is told in its own file. */
class LiveTracker implements Tracker {
  readonly #deps: TrackerDeps;
  readonly #assessDeps: AssessDeps;
  readonly #state: LiveState;
  readonly #abort = new AbortController();
  readonly #background: BackgroundWork;
  readonly #archive: TokenArchive | null;
  readonly #answers: Answers;
  readonly #holders: ShareHolders;
  readonly #feed: ChainFeed;
  readonly #care: TokenCare;
  readonly #alertListeners = new Set<(event: AlertEvent) => void>();
  #timer: NodeJS.Timeout | null = null;
  #sweepDueMs = 0;
  #saveDueMs = 0;

  constructor(deps: TrackerDeps) {
    const { source, venues, nowMs, database, everything = null } = deps;
    const { retentionDays = RETENTION_DAYS, stateDays = STATE_DAYS } = deps;
    this.#deps = deps;
    const state = createLiveState(everything === null ? null : { gaps: 0, gapAtMs: 0 });
    this.#state = state;
    this.#assessDeps = assessDepsOf(deps);
    const onFailure = (what: string, cause: unknown): void => this.#failed(what, cause);
    const background = new BackgroundWork(onFailure);
    this.#background = background;
    this.#archive =
      database === null ? null : new TokenArchive({ database, nowMs, retentionDays, stateDays });
    const observer = new TokenObserver({
      state,
      archive: this.#archive,
      inBackground: (what, work) => background.run(what, work),
      onAlert: (event) => {
        for (const listener of this.#alertListeners) listener(event);
      },
    });
    this.#answers = new Answers({ state, assess: this.#assessDeps, observer, nowMs });
    const { signal } = this.#abort;
    this.#holders = new ShareHolders({ source, nowMs, signal });
    const feed = new ChainFeed({ source, venues, state, nowMs, signal, background, onFailure });
    this.#feed = feed;
    this.#care = new TokenCare({
      ...{ source, venues, everything, state, feed, observer, background, nowMs, signal },
      onFailure,
      onDropped: (mint) => {
        if (this.#archive !== null) background.run("save samples", this.#archive.close(mint));
      },
    });
  }

  async snapshot(mint: Address): Promise<MarketSnapshot> {
    if (mint === WSOL) return { kind: "not-found", mint };
    const followed = this.#state.tokens.get(mint);
    if (followed !== undefined) {
      followed.askedAtMs = this.#deps.nowMs();
      await this.#care.freshen(followed);
      const held = this.#answers.of(followed);
      if (held !== null) return held;
    }
    if (this.#care.isKnownMissing(mint)) return { kind: "not-found", mint };
    try {
      const token = await this.#care.load(mint);
      if (token === null) return { kind: "not-found", mint };
      return this.#answers.of(token) ?? { kind: "unavailable", mint };
    } catch (cause) {
      if (!(cause instanceof AppError) || cause.code !== "chain_unavailable") throw cause;
      this.#failed("load a token", cause);
      return await this.#storedSnapshot(mint);
    }
  }

  latest(mint: Address): MarketSnapshot | null {
    const token = this.#state.tokens.get(mint);
    if (token === undefined) {
      return this.#care.isKnownMissing(mint) ? { kind: "not-found", mint } : null;
    }
    token.askedAtMs = this.#deps.nowMs();
    return this.#answers.of(token);
  }

  touch(mint: Address): boolean {
    const token = this.#state.tokens.get(mint);
    if (token === undefined) return this.#care.isKnownMissing(mint);
    token.askedAtMs = this.#deps.nowMs();
    return true;
  }

  market(mint: Address): Market | null {
    const token = this.#state.tokens.get(mint);
    if (token === undefined) return null;
    return marketOf(this.#state, token, this.#assessDeps, this.#deps.nowMs());
  }

  async exit(mint: Address, sale: Sale): Promise<ExitAt | null> {
    return exitOn(this.market(mint), sale);
  }

  async stressed(mint: Address): Promise<StressedExit | null> {
    const token = this.#state.tokens.get(mint);
    const asked = this.market(mint);
    if (token === undefined || asked === null) return null;
    const { known } = this.#state;
    const holders = this.#holders;
    const owners = await liquidityOwners(asked, poolsOf(token.group), { known, holders });
    // Reading took a while: the market is the one that stands now.
    const market = this.market(mint);
    return market === null ? null : stress(market, owners);
  }

  setWatched(mints: Iterable<Address>): void {
    this.#care.setWatched(mints);
  }

  health(): TrackerHealth {
    return trackerHealth(this.#state, {
      nowMs: this.#judgedNowMs(),
      headSlot: this.#feed.headSlot,
      readsFailedAtMs: this.#feed.readsFailedAtMs,
      loads: this.#care.loads,
    });
  }

  *pools(): Iterable<PoolRef> {
    const { tokens, hops } = this.#state;
    for (const { group } of tokens.values()) yield* poolsOf(group);
    for (const group of hops.values()) yield* poolsOf(group);
  }

  holds(address: Address): boolean {
    return this.#state.accounts.has(address);
  }

  async history(mint: Address, query: HistoryQuery): Promise<readonly HistoryPoint[]> {
    return (await this.#archive?.history(mint, query)) ?? [];
  }

  async alerts(mint: Address, begun: TimeRange): Promise<readonly StoredAlert[]> {
    return (await this.#archive?.alerts(mint, begun)) ?? [];
  }

  async stateAt(mint: Address, slot: bigint): Promise<StateAt> {
    const stored = await this.#archive?.stateAt(mint, slot);
    return stored ?? { kind: "not-stored", slots: { before: null, after: null } };
  }

  onSnapshot(listener: (snapshot: AssessedSnapshot) => void): () => void {
    return this.#answers.listen(listener);
  }

  onServed(listener: (served: Assessed) => void): () => void {
    return this.#answers.listenToServed(listener);
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
      this.#care.sweep(nowMs);
      this.#feed.sweep(nowMs);
      this.#save(nowMs);
    }
    this.#care.pump();
    this.#feed.pump();
  }

  async idle(): Promise<void> {
    await this.#care.idle();
    await this.#feed.idle();
    await this.#background.idle();
  }

  async close(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#abort.abort();
    await Promise.all([this.#feed.close(), this.#care.close(), this.idle()]);
    await this.#archive?.save({ all: true });
  }

  #save(nowMs: number): void {
    const archive = this.#archive;
    if (archive === null || nowMs < this.#saveDueMs) return;
    this.#saveDueMs = nowMs + SAVE_EVERY_MS;
    this.#background.runAlone("save samples", () => archive.save());
  }

  /** The last answer that was stored, as old as it is by now. */
  async #storedSnapshot(mint: Address): Promise<MarketSnapshot> {
    const stored = await this.#archive?.lastAnswer(mint);
    if (!stored) return { kind: "unavailable", mint };
    return { ...stored, assessment: agedAssessment(stored.assessment, this.#deps.nowMs()) };
  }

  /** Of recorded accounts, the time at which they stand still. */
  #judgedNowMs(): number {
    const { newest } = this.#state.times;
    const { standsStill } = this.#assessDeps;
    return standsStill && newest !== null ? blockTimeMs(newest) : this.#deps.nowMs();
  }

  #failed(what: string, cause: unknown): void {
    if (!this.#abort.signal.aborted) this.#deps.onFailure?.(what, cause);
  }
}

function assessDepsOf({ source, exactPctByVenue }: TrackerDeps): AssessDeps {
  const standsStill = source.origin === "recorded";
  return {
    standsStill,
    // Of what stands still there is no past to wait for.
    historySeconds: ({ series }) => (standsStill ? null : historySeconds(series)),
    exactPctByVenue: exactPctByVenue ?? (() => NOTHING_REPLAYED),
  };
}

function poolsOf({ pools }: PoolGroup): readonly PoolRef[] {
  return Array.from(pools.values(), ({ open }) => open.ref);
}
