import { assess as assessMarket } from "#src/measure/assess.ts";
import type { Market } from "#src/measure/market/market.ts";
import type { ExitCurve } from "#src/measure/questions/exit-curve.ts";
import {
  type HoldersFirst,
  holdersFirst,
  holdersFirstInParts,
} from "#src/measure/questions/holders-first.ts";
import type { TokenHolders } from "#src/measure/questions/token-holders.ts";
import { AppError } from "#src/platform/app-error.ts";
import type { BackgroundWork } from "#src/platform/background-work.ts";
import type { WallClock } from "#src/platform/clock.ts";
import { runInParts } from "#src/platform/run-in-parts.ts";
import { SingleFlight } from "#src/platform/single-flight.ts";
import { TaskQueue } from "#src/platform/task-queue.ts";
import type { Address } from "#src/units/address.ts";
import { groupsOf } from "../following/followed-tokens.ts";
import type { FollowedToken, LiveState, PoolGroup } from "../following/live-state.ts";
import { refreshGroups } from "../following/refresh-pools.ts";
import { clockFor } from "../pools/open-pool.ts";
import { type AssessDeps, marketOf, openPools } from "./assess-token.ts";
import { type ByExecution, ExecutedAnswers } from "./executed-answers.ts";
import { measureCurve } from "./measure-curve.ts";
import { accountsBehind, type SaleGround } from "./sale-ground.ts";

export type TokenMarketsDeps = {
  readonly state: LiveState;
  readonly assess: AssessDeps;
  /** Null: the model always answers. */
  readonly byExecution: ByExecution | null;
  readonly clock: WallClock;
  readonly background: BackgroundWork;
};

/** Questions that split dozens of positions, one at a time: on many pools each takes seconds. */
const LONG_QUESTIONS = {
  maxActive: 1,
  maxWaiting: 20,
  overloadedMessage: "Too many long questions are waiting; try again in a moment.",
};

/** A token's market as it is now, and how something is measured on it: by the models, or on executed amounts. */
type Measurable = {
  readonly market: Market;
  readonly run: <Answer>(measure: (market: Market) => Answer) => Answer | Promise<Answer>;
};

/** The markets of followed tokens: priced by our models, or by executing the programs where these are wrong. */
export class TokenMarkets {
  readonly #deps: TokenMarketsDeps;
  readonly #executed: ExecutedAnswers | null;
  readonly #longQuestions = new TaskQueue(LONG_QUESTIONS);
  readonly #holdersFirst = new SingleFlight<Address, HoldersFirst | null>();
  readonly assess: AssessDeps;

  constructor(deps: TokenMarketsDeps) {
    const { state, assess, byExecution, clock, background } = deps;
    this.#deps = deps;
    const groundOf = (token: FollowedToken): SaleGround | null => this.ground(token);
    const executed =
      byExecution === null
        ? null
        : new ExecutedAnswers({ byExecution, state, clock, background, groundOf });
    this.#executed = executed;
    this.assess = executed === null ? assess : { ...assess, executed };
  }

  /** Executes the next answer that is due. */
  pump(): void {
    this.#executed?.pump();
  }

  /** Null while the chain's clock is unknown. */
  modelled(token: FollowedToken): Market | null {
    return this.#marketOf(token, { isLasting: false });
  }

  #marketOf(token: FollowedToken, { isLasting }: { readonly isLasting: boolean }): Market | null {
    const { state, assess, clock } = this.#deps;
    const nowMs = clock.nowMs();
    refreshGroups(state, groupsOf(state, token), nowMs);
    return marketOf(state, token, assess, { nowMs, isLasting });
  }

  /**
   * As `modelled`, but measured also in later turns; also null while the token's answers are executed: then no model
   * prices its sales.
   */
  of(token: FollowedToken): Market | null {
    return this.#executed?.isExecuted(token) === true
      ? null
      : this.#marketOf(token, { isLasting: true });
  }

  /** The modelled market with its accounts; null also while some of these are newer than the market. */
  ground(token: FollowedToken): SaleGround | null {
    const { state } = this.#deps;
    const market = this.#marketOf(token, { isLasting: true });
    const { newest } = state.times;
    if (market === null || newest === null) return null;
    const groups = groupsOf(state, token);
    const isPending = ({ pools }: PoolGroup): boolean =>
      pools.values().some(({ pendingSlot }) => pendingSlot !== null);
    if (groups.some(isPending)) return null;
    const pools = groups.flatMap((group) => openPools(state, group));
    return { market, accounts: accountsBehind(state, token), clock: clockFor(pools, newest) };
  }

  /**
   * What `measure` says of the token's market: on executed amounts while its answers are executed. Null
   * if the token is not tracked. Fails as `ByExecution.run`.
   *
   * @throws AppError overloaded also while its answers are executed and its accounts are newer than its market
   */
  async measure<Answer>(
    mint: Address,
    measure: (market: Market) => Answer,
  ): Promise<Answer | null> {
    const measurable = this.#measurable(mint, { isLasting: false });
    return measurable === null ? null : measurable.run(measure);
  }

  /** The curve of the token's market, as `measure`. */
  async curve(mint: Address): Promise<ExitCurve | null> {
    const measurable = this.#measurable(mint, { isLasting: true });
    return measurable === null ? null : measureCurve(measurable.market, measurable.run);
  }

  /**
   * The exits after these holders have sold, of the token's market, as `measure`. Where a question about the token
   * waits or is answered, a further one gets the same answer.
   *
   * @throws AppError overloaded if too many such questions wait
   */
  holdersFirst(mint: Address, holders: TokenHolders): Promise<HoldersFirst | null> {
    return this.#holdersFirst.run(mint, () =>
      this.#longQuestions.run(async () => {
        const token = this.#deps.state.tokens.get(mint);
        const lasting = token === undefined ? null : this.of(token);
        const asked = token === undefined ? null : this.modelled(token);
        if (lasting === null || asked === null)
          return this.measure(mint, (market) => holdersFirst(market, holders));
        const now = assessMarket(asked);
        return runInParts(holdersFirstInParts(lasting, { holders, now }), this.#deps.clock);
      }),
    );
  }

  #measurable(mint: Address, lasting: { readonly isLasting: boolean }): Measurable | null {
    const { state, byExecution } = this.#deps;
    const token = state.tokens.get(mint);
    if (token === undefined) return null;
    if (byExecution !== null && this.#executed?.isExecuted(token) === true) {
      const ground = this.ground(token);
      if (ground === null)
        throw new AppError("overloaded", {
          publicMessage:
            "The accounts of this token's pools are changing just now; try again in a moment.",
        });
      return { market: ground.market, run: (measure) => byExecution.run(ground, measure) };
    }
    const market = this.#marketOf(token, lasting);
    return market === null ? null : { market, run: (measure) => measure(market) };
  }
}
