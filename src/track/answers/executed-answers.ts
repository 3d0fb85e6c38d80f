import { assess } from "#src/measure/assess.ts";
import type { Assessment } from "#src/measure/assessment.ts";
import type { Market } from "#src/measure/market/market.ts";
import { AppError } from "#src/platform/app-error.ts";
import type { BackgroundWork } from "#src/platform/background-work.ts";
import type { WallClock } from "#src/platform/clock.ts";
import type { VenueId } from "#src/venues/venue.ts";
import { groupsOf, isFollowed } from "../following/followed-tokens.ts";
import type { FollowedToken, LiveState } from "../following/live-state.ts";
import { isActive } from "../following/schedule.ts";
import { agedAssessment } from "../snapshot-text.ts";
import { versionOf } from "./assess-token.ts";
import type { SaleGround } from "./sale-ground.ts";

/** Measures markets on amounts that the programs themselves paid, in venues whose model is wrong. */
export interface ByExecution {
  /** Another set after each change, and after a deployment: what was executed before no longer counts. */
  venues(): ReadonlySet<VenueId>;
  /** @throws AppError overloaded where a sale could not be executed, or too many wait; chain_unavailable */
  run<Answer>(ground: SaleGround, measure: (market: Market) => Answer): Promise<Answer>;
}

/** An unchanged market is executed again after this: some fees depend on the clock alone. */
const REPEAT_MS = 60_000;
/** After this without a success the model answers again, with the low confidence that its failures give it. */
const GIVE_UP_MS = 120_000;
/** Of one processor, for answers that no request waits for. */
const CPU_SHARE = 0.5;
const SHORTEST_WAIT_MS = 20;
/** After a failure: of the token alone where a sale could not be executed, else of all. */
const RETRY_MS = 5_000;

type ExecutedAnswer = {
  readonly assessment: Assessment;
  readonly version: number;
  readonly venues: ReadonlySet<VenueId>;
  /** Of the clock that it was executed at: transfer fees begin with an epoch. Null: no clock was known. */
  readonly epoch: bigint | null;
  readonly atMs: number;
};

export type ExecutedAnswersDeps = {
  readonly byExecution: ByExecution;
  readonly state: LiveState;
  readonly groundOf: (token: FollowedToken) => SaleGround | null;
  readonly clock: WallClock;
  readonly background: BackgroundWork;
};

/**
 * The answers of tokens that sell in venues whose model is wrong: executed one after the other, the tokens
 * that were requested lately first, within a share of one processor.
 */
export class ExecutedAnswers {
  readonly #deps: ExecutedAnswersDeps;
  readonly #held = new WeakMap<FollowedToken, ExecutedAnswer>();
  readonly #wanted = new Set<FollowedToken>();
  /** When a token is executed again of which a sale could not be executed. */
  readonly #retryAtMs = new WeakMap<FollowedToken, number>();
  #isRunning = false;
  #nextAtMs = 0;

  constructor(deps: ExecutedAnswersDeps) {
    this.#deps = deps;
  }

  /** Whether the token sells in such a venue, directly or at a hop. */
  concerns(token: FollowedToken): boolean {
    const venues = this.#deps.byExecution.venues();
    if (venues.size === 0) return false;
    for (const { pools } of groupsOf(this.#deps.state, token)) {
      for (const { open } of pools.values()) if (venues.has(open.ref.venue.id)) return true;
    }
    return false;
  }

  /**
   * The newest executed answer, and a newer one is executed soon if the market changed. Null: the model
   * answers, because the venues are fine or nothing could be executed yet.
   *
   * @param market as it is now: an answer on the same accounts holds up to its slot
   */
  of(token: FollowedToken, market: Market): Assessment | null {
    if (!this.concerns(token)) return null;
    const held = this.#newest(token);
    const { state, clock, byExecution } = this.#deps;
    const isCurrent =
      held !== null &&
      held.version === versionOf(state, token) &&
      held.venues === byExecution.venues() &&
      held.epoch === this.#epoch;
    if (!isCurrent || clock.nowMs() - held.atMs >= REPEAT_MS) this.#wanted.add(token);
    if (held === null) return null;
    const { slot, stateTimeMs } = isCurrent ? market : held.assessment;
    return agedAssessment({ ...held.assessment, slot, stateTimeMs }, market.nowMs);
  }

  /** Whether the token's newest answer was executed. */
  isExecuted(token: FollowedToken): boolean {
    return this.concerns(token) && this.#newest(token) !== null;
  }

  /** Executes the next answer if it is due. */
  pump(): void {
    if (this.#isRunning || this.#wanted.size === 0) return;
    if (this.#deps.clock.nowMs() < this.#nextAtMs) return;
    const token = this.#next();
    if (token === null) return;
    this.#isRunning = true;
    const work = this.#execute(token).finally(() => {
      this.#isRunning = false;
    });
    this.#deps.background.run("execute an answer", work);
  }

  get #epoch(): bigint | null {
    return this.#deps.state.times.newest?.epoch ?? null;
  }

  #newest(token: FollowedToken): ExecutedAnswer | null {
    const held = this.#held.get(token);
    return held === undefined || this.#deps.clock.nowMs() - held.atMs >= GIVE_UP_MS ? null : held;
  }

  #next(): FollowedToken | null {
    const nowMs = this.#deps.clock.nowMs();
    let first: FollowedToken | null = null;
    for (const token of this.#wanted) {
      if (!isFollowed(this.#deps.state, token)) {
        this.#wanted.delete(token);
        continue;
      }
      if (nowMs < (this.#retryAtMs.get(token) ?? 0)) continue;
      first ??= token;
      if (!isActive(token, nowMs)) continue;
      first = token;
      break;
    }
    if (first !== null) this.#wanted.delete(first);
    return first;
  }

  async #execute(token: FollowedToken): Promise<void> {
    const { byExecution, groundOf, clock, state } = this.#deps;
    const ground = groundOf(token);
    if (ground === null) return;
    const venues = byExecution.venues();
    const version = versionOf(state, token);
    const epoch = this.#epoch;
    const startedMs = clock.nowMs();
    this.#nextAtMs = startedMs + RETRY_MS;
    try {
      const assessment = await byExecution.run(ground, assess);
      this.#held.set(token, { assessment, version, venues, epoch, atMs: clock.nowMs() });
    } catch (cause) {
      if (!(cause instanceof AppError) || cause.code !== "overloaded") throw cause;
      this.#retryAtMs.set(token, clock.nowMs() + RETRY_MS);
      this.#pause(startedMs);
      throw cause;
    }
    if (isFollowed(state, token)) state.dirtyTokens.add(token);
    this.#pause(startedMs);
  }

  #pause(startedMs: number): void {
    const endedMs = this.#deps.clock.nowMs();
    const idleMs = (endedMs - startedMs) * (1 / CPU_SHARE - 1);
    this.#nextAtMs = endedMs + Math.max(SHORTEST_WAIT_MS, idleMs);
  }
}
