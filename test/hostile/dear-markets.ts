import { measureHonest } from "#bench/adversary/effects.ts";
import { assessPlan, PLAN_TIME_MS } from "#bench/adversary/measure-plan.ts";
import type { PoolPlan } from "#bench/adversary/pool-plan.ts";
import type { Assessment } from "#src/measure/assessment.ts";
import { newSeries, observe, type TokenSeries } from "#src/track/history/series.ts";
import { bidPool, honestPool, planOf } from "./plans.ts";

const FEES_PCT = [6, 9] as const;
const POOLS_SOL = [100, 300, 1_000] as const;
const BIDS_PCT = [1, 2, 3] as const;

/** A dear pool, and a bid at the price just below its ask. */
export type Market = {
  readonly name: string;
  readonly sol: number;
  /** The dear pool with so much SOL. */
  readonly dear: (sol: number, changes?: Partial<PoolPlan>) => PoolPlan;
  readonly bid: PoolPlan;
};

export const MARKETS = FEES_PCT.flatMap((feePct) =>
  POOLS_SOL.flatMap((sol) =>
    BIDS_PCT.flatMap((bidPct) =>
      (["meteora-damm-v2", "orca-whirlpool"] as const).map((venue): Market => {
        const dear: Market["dear"] = (held, changes) =>
          honestPool({ venue, feePct, sol: held, ...changes });
        const near = measureHonest(planOf([dear(sol)]))?.nearSol ?? 0;
        const price = 0.000_999 / (1 - feePct / 100);
        const bid = bidPool({ sol: (near * bidPct) / 100, price, feePct: 0.01, range: 0.01 });
        return {
          name: `${venue} of ${sol} SOL, ${feePct} %, a bid of ${bidPct} %`,
          sol,
          dear,
          bid,
        };
      }),
    ),
  ),
);

const known = new Map<string, Assessment>();

/** Whether the bid takes the mid: C10 then is less than half of what it was. */
export function isMidTaken({ dear, sol, bid }: Market): boolean {
  const alone = assessed([dear(sol)]).measurement?.c10Sol ?? 0;
  return (assessed([dear(sol), bid]).measurement?.c10Sol ?? 0) < alone / 2;
}

function assessed(pools: readonly PoolPlan[]): Assessment {
  const plan = JSON.stringify(pools);
  const assessment = known.get(plan) ?? assessPlan(planOf(pools));
  known.set(plan, assessment);
  return assessment;
}

/** A token followed over markets that change. */
export class Followed {
  alerts = 0;
  readonly series: TokenSeries = newSeries(1);
  readonly #isClosed: () => boolean;
  #seconds = 0;

  /** @param isClosed whether pools that are missing are closed; else they are lost from sight */
  constructor({ isClosed } = { isClosed: false }) {
    this.#isClosed = () => isClosed;
  }

  /** Shows this market once now, and again every ten seconds until so many have passed. */
  show(pools: readonly PoolPlan[], seconds: number): this {
    const assessment = assessed(pools);
    for (const until = this.#seconds + seconds; this.#seconds < until; ) {
      const nowMs = PLAN_TIME_MS + 1_000 * this.#seconds;
      const { change } = observe(this.series, {
        assessment: { ...assessment, stateTimeMs: nowMs },
        nowMs,
        chainMs: nowMs,
        isClosed: this.#isClosed,
      });
      if (change?.kind === "on") this.alerts++;
      this.#seconds += Math.min(10, until - this.#seconds);
    }
    return this;
  }
}

export function alertedIn(
  markets: readonly Market[],
  play: (market: Market) => Followed,
): string[] {
  return markets.filter((market) => play(market).alerts > 0).map(({ name }) => name);
}
