import type { Market } from "#src/measure/market/market.ts";
import { isWithin, type WallClock } from "#src/platform/clock.ts";
import { Listeners } from "#src/platform/listeners.ts";
import { CostlyTokens } from "../following/costly-tokens.ts";
import { groupsOf } from "../following/followed-tokens.ts";
import type { Assessed, FollowedToken, LiveState } from "../following/live-state.ts";
import { refreshGroup, refreshGroups, refreshPools } from "../following/refresh-pools.ts";
import { Rounds, valuesOf } from "../following/rounds.ts";
import { isActive } from "../following/schedule.ts";
import { chainTimeMs } from "../following/slot-times.ts";
import { isSlotArriving } from "../following/state-slot.ts";
import { isSampleDue } from "../history/series.ts";
import type { MarketReport } from "../market-report.ts";
import type { AssessedSnapshot } from "../snapshot-text.ts";
import { type AssessDeps, assessToken } from "./assess-token.ts";
import { withLostTrend } from "./carried-assessment.ts";
import { snapshotOf, type TokenObserver } from "./token-observer.ts";

/** An answer is recomputed after this time even if nothing changed: its age and clock changed. */
const MAX_AGE_MS = 1_000;
/**
 * Changed tokens are measured for at most this time in one call, so that requests are served in between. Where calls
 * come late, as while the heap is marked, those in use are measured for up to half of the time since the last call.
 */
const BUDGET_MS = 10;
const BUSY_SHARE = 0.5;
const LONGEST_BUDGET_MS = 100;
/**
 * The longest pause of unused tokens: slots may arrive one after the other, and a call that seems to take longer may
 * be a change of the clock.
 */
const LONGEST_PAUSE_MS = 200;
const NO_MARKET = (): null => null;
/** A token in use is visited for its sample within this time, also where calls come late. */
const USED_ROUND_MS = 5_000;
/** After this time the other tokens in use are left to the next call. */
const SAMPLING_BUDGET_MS = 20;
/**
 * Every token is visited for its sample within this time, as far as that takes no more than ten milliseconds in a
 * call, or a tenth of the time since the last one.
 */
const ROUND_MS = 6_000;
const LEAST_VISITS = 200;
const ROUND_BUDGET_MS = 10;
const ROUND_SHARE = 0.1;

export type AnswersDeps = {
  readonly state: LiveState;
  readonly assess: AssessDeps;
  readonly observer: TokenObserver;
  readonly clock: WallClock;
  /** Null: no market can be built at this moment, or its model is wrong. */
  readonly marketOf: (token: FollowedToken) => Market | null;
  readonly onFailure: (what: string, cause: unknown) => void;
};

/** The newest answer of every token, recomputed after changes and on request. */
export class Answers {
  readonly #deps: AnswersDeps;
  /** Called with each new answer. */
  readonly onSnapshot = new Listeners<AssessedSnapshot>();
  /** Called with each new measurement and each change of a token's alert. */
  readonly onReport = new Listeners<MarketReport>();
  /** Called with each answer that was served, once a newer one replaces it. */
  readonly onServed = new Listeners<Assessed>();
  readonly #usedRounds: Rounds<FollowedToken>;
  readonly #rounds: Rounds<FollowedToken>;
  readonly #costly = new CostlyTokens();
  #measuredAtMs = 0;
  /** The last call that measured unused tokens. */
  #lastOthers = { endedAtMs: 0, tookMs: 0 };
  #sampledAtMs = 0;

  constructor(deps: AnswersDeps) {
    this.#deps = deps;
    const ofUsed = { roundMs: USED_ROUND_MS, leastVisits: 1 };
    this.#usedRounds = new Rounds(deps.state.usedTokens, ofUsed);
    const ofAll = { roundMs: ROUND_MS, leastVisits: LEAST_VISITS };
    this.#rounds = new Rounds(valuesOf(deps.state.tokens), ofAll);
  }

  /** The token's answer now; null while the chain's clock is unknown. */
  of(token: FollowedToken): AssessedSnapshot | null {
    const { state } = this.#deps;
    const nowMs = this.#deps.clock.nowMs();
    refreshGroups(state, groupsOf(state, token), nowMs);
    return this.#answer(token, nowMs, MAX_AGE_MS);
  }

  /**
   * Measures the tokens that changed since they were measured, those in use first. After a call that measured others
   * as well, these pause for as long as the call took. While a slot arrives they pause until it is delivered, 200 ms at
   * most: tokens in use have to be measured then.
   *
   * @returns false where the time was over: of those in use, more may be left
   */
  measureChanged(): boolean {
    const { state, clock } = this.#deps;
    const calledMs = clock.nowMs();
    const shareMs = BUSY_SHARE * (calledMs - this.#measuredAtMs);
    const budgetMs = Math.min(Math.max(BUDGET_MS, shareMs), LONGEST_BUDGET_MS);
    this.#measuredAtMs = calledMs;
    refreshPools(state, calledMs);
    const startedMs = clock.nowMs();
    if (!this.#measureAll(state.dirtyTokens.inUse, startedMs, budgetMs)) return false;
    const { endedAtMs, tookMs } = this.#lastOthers;
    const pauseMs = isSlotArriving(state) ? LONGEST_PAUSE_MS : tookMs;
    if (state.dirtyTokens.size === 0 || isWithin(pauseMs, endedAtMs, startedMs)) return true;
    this.#measureAll(state.dirtyTokens.others, startedMs, BUDGET_MS);
    const nowMs = clock.nowMs();
    this.#lastOthers = {
      endedAtMs: nowMs,
      tookMs: Math.min(nowMs - calledMs, LONGEST_PAUSE_MS),
    };
    return true;
  }

  /** @returns whether all were measured before so much time had passed since `startedMs` */
  #measureAll(tokens: Iterable<FollowedToken>, startedMs: number, budgetMs: number): boolean {
    const { state, clock } = this.#deps;
    for (const token of tokens) {
      // It stays marked as changed: its last change is measured once its rest has ended.
      if (this.#isResting(token, startedMs)) continue;
      this.#measure(token, startedMs, MAX_AGE_MS);
      state.dirtyTokens.delete(token);
      if (clock.nowMs() - startedMs >= budgetMs) return false;
    }
    return true;
  }

  /** A rest ends early where the last assessment may be of a slot that was dropped. */
  #isResting(token: FollowedToken, nowMs: number): boolean {
    if (this.#deps.state.unconfirmed?.takenBack.has(token) === true) return false;
    return this.#costly.isResting(token, { nowMs, hopsTakenBack: this.#hopsTakenBack });
  }

  get #hopsTakenBack(): number {
    return this.#deps.state.unconfirmed?.hopsTakenBack ?? 0;
  }

  /** Takes the samples that are due among the next tokens, and writes the records whose slots are confirmed. */
  sample(): void {
    const { clock } = this.#deps;
    const nowMs = clock.nowMs();
    this.#usedRounds.visit(nowMs, (token) => {
      this.#sampleIfDue(token, nowMs);
      return clock.nowMs() - nowMs < SAMPLING_BUDGET_MS;
    });
    this.#visitAll(nowMs);
    this.#deps.observer.settle();
  }

  /** Where calls come late these wait: answers and alerts go before samples of unused tokens. */
  #visitAll(nowMs: number): void {
    const { clock } = this.#deps;
    const startedMs = clock.nowMs();
    const shareMs = Math.min(ROUND_SHARE * (nowMs - this.#sampledAtMs), LONGEST_BUDGET_MS);
    const budgetMs = Math.max(ROUND_BUDGET_MS, shareMs);
    this.#sampledAtMs = nowMs;
    this.#rounds.visit(nowMs, (token) => {
      this.#sampleIfDue(token, nowMs);
      return clock.nowMs() - startedMs < budgetMs;
    });
  }

  /** Active tokens are measured again for their sample, or carried on; others if they changed, which rest until then. */
  #sampleIfDue(token: FollowedToken, nowMs: number): void {
    if (!isSampleDue(token.series, nowMs)) return;
    refreshGroup(this.#deps.state, token.group, nowMs);
    if (!this.#deps.observer.isDue(token, nowMs)) return;
    const maxAgeMs = isActive(token, nowMs) ? MAX_AGE_MS : Number.POSITIVE_INFINITY;
    this.#measure(token, nowMs, maxAgeMs);
  }

  /** A bug of ours that one token's accounts reveal stops no other token. */
  #measure(token: FollowedToken, nowMs: number, maxAgeMs: number): void {
    try {
      this.#answer(token, nowMs, maxAgeMs);
    } catch (cause) {
      this.#deps.onFailure("measure a token", cause);
    }
  }

  #answer(token: FollowedToken, nowMs: number, maxAgeMs: number): AssessedSnapshot | null {
    const { state, assess, observer, clock } = this.#deps;
    const before = token.assessed;
    const isResting = this.#isResting(token, nowMs);
    const startedMs = clock.nowMs();
    const measured = assessToken(state, token, assess, { nowMs, maxAgeMs, isResting });
    if (measured === null) return null;
    const isMeasured = token.assessed !== before;
    const hopsTakenBack = this.#hopsTakenBack;
    if (isMeasured) this.#costly.note(token, startedMs, { nowMs: clock.nowMs(), hopsTakenBack });
    const alertChange =
      isMeasured || isSampleDue(token.series, nowMs)
        ? observer.observe(token, measured, nowMs)
        : null;
    const assessment = withLostTrend(token, measured, assess);
    if (token.assessed !== null && assessment !== measured)
      token.assessed = { ...token.assessed, assessment };
    const isNew = token.assessed !== before;
    if (isNew && before !== null && token.askedAtMs >= before.atMs) this.onServed.emit(before);
    const snapshot = snapshotOf(token, assessment);
    const takenBack = isNew ? observer.takeBack(token, assessment, nowMs) : null;
    if (takenBack !== null) this.#report({ snapshot, market: NO_MARKET, ...takenBack }, nowMs);
    observer.give(token, snapshot);
    if (isNew || alertChange !== null) {
      this.#report({ snapshot, market: () => this.#deps.marketOf(token), alertChange }, nowMs);
    }
    if (isNew) this.onSnapshot.emit(snapshot);
    return snapshot;
  }

  #report(report: Omit<MarketReport, "chainMs">, nowMs: number): void {
    this.onReport.emit({ ...report, chainMs: chainTimeMs(this.#deps.state.times, nowMs) });
  }
}
