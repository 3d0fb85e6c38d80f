import type { NowMs } from "#src/platform/clock.ts";
import { type AssessDeps, assessToken } from "./assess-token.ts";
import { hopsOf } from "./followed-tokens.ts";
import type { Assessed, FollowedToken, LiveState } from "./live-state.ts";
import { refreshGroups, refreshPools } from "./refresh-pools.ts";
import { isLookedAt } from "./schedule.ts";
import type { AssessedSnapshot } from "./snapshot-text.ts";
import { snapshotOf, type TokenObserver } from "./token-observer.ts";
import { isSampleDue } from "./token-series.ts";

/** An answer is computed anew after this long even where nothing changed: its age did, and its clock. */
const MAX_AGE_MS = 1_000;
/** One tick works for at most this long, so that requests are served in between. */
const BUDGET_MS = 10;
/** Every token is visited once in so many ticks for its sample: well within the ten seconds of one. */
const TICKS_PER_ROUND = 400;
const LEAST_VISITS = 200;

export type AnswersDeps = {
  readonly state: LiveState;
  readonly assess: AssessDeps;
  readonly observer: TokenObserver;
  readonly nowMs: NowMs;
};

/** The newest answer of every token, measured anew where something changed or somebody asks. */
export class Answers {
  readonly #deps: AnswersDeps;
  readonly #listeners = new Set<(snapshot: AssessedSnapshot) => void>();
  readonly #servedListeners = new Set<(served: Assessed) => void>();
  #visits: Iterator<FollowedToken> | null = null;

  constructor(deps: AnswersDeps) {
    this.#deps = deps;
  }

  /** Called with each new answer. Returns what ends it. */
  listen(listener: (snapshot: AssessedSnapshot) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Called with each answer that somebody was given, once another takes its place. Returns what ends it. */
  listenToServed(listener: (served: Assessed) => void): () => void {
    this.#servedListeners.add(listener);
    return () => this.#servedListeners.delete(listener);
  }

  /** The token's answer now; null while the chain's clock is not known. */
  of(token: FollowedToken): AssessedSnapshot | null {
    const { state } = this.#deps;
    const nowMs = this.#deps.nowMs();
    refreshGroups(state, [token.group, ...hopsOf(state, token)], nowMs);
    return this.#answer(token, nowMs, MAX_AGE_MS);
  }

  /** Measures what changed since the last tick, and samples who is due. */
  tick(): void {
    const { state } = this.#deps;
    const nowMs = this.#deps.nowMs();
    refreshPools(state, nowMs);
    for (const token of state.dirtyTokens) {
      this.#answer(token, nowMs, MAX_AGE_MS);
      state.dirtyTokens.delete(token);
      if (this.#deps.nowMs() - nowMs >= BUDGET_MS) break;
    }
    this.#sample(nowMs);
  }

  /** One that somebody looks at is measured anew for its sample, the others where they changed. */
  #sample(nowMs: number): void {
    const { tokens } = this.#deps.state;
    const visits = Math.max(LEAST_VISITS, Math.ceil(tokens.size / TICKS_PER_ROUND));
    this.#visits ??= tokens.values();
    for (let visit = 0; visit < visits; visit++) {
      const { value: token, done } = this.#visits.next();
      if (done === true) {
        this.#visits = null;
        return;
      }
      if (!isSampleDue(token.series, nowMs)) continue;
      const maxAgeMs = isLookedAt(token, nowMs) ? MAX_AGE_MS : Number.POSITIVE_INFINITY;
      this.#answer(token, nowMs, maxAgeMs);
    }
  }

  #answer(token: FollowedToken, nowMs: number, maxAgeMs: number): AssessedSnapshot | null {
    const { state, assess, observer } = this.#deps;
    const before = token.assessed;
    const assessment = assessToken(state, token, assess, { nowMs, maxAgeMs });
    if (assessment === null) return null;
    const isNew = token.assessed !== before;
    if (isNew && before !== null && token.askedAtMs >= before.atMs)
      for (const listener of this.#servedListeners) listener(before);
    if (isNew || isSampleDue(token.series, nowMs)) observer.observe(token, assessment, nowMs);
    const snapshot = snapshotOf(token, assessment);
    if (isNew) for (const listener of this.#listeners) listener(snapshot);
    return snapshot;
  }
}
