import type { MarketPlan, PoolPlan } from "#bench/adversary/pool-plan.ts";
import type { Assessment, Measurement } from "#src/measure/assessment.ts";
import { confidenceOf } from "#src/measure/findings.ts";
import { ratioToNumber } from "#src/units/to-number.ts";

/** What a user sees of an assessment. */
export type Seen = {
  readonly blocked: Assessment["blocked"];
  readonly mid: number | null;
  readonly retail: number | null;
  readonly pro: number | null;
  readonly exitMaxSol: number | null;
  readonly family: string;
  readonly confidence: string;
};

const PLAIN: PoolPlan = {
  venue: "raydium-amm-v4",
  sol: 1_000,
  price: 0.001,
  feePct: 0.25,
  range: 1,
  sells: true,
  quote: "sol",
  opensLater: false,
};

/** An AMM v4 pool of 1,000 SOL at 0.001 lamports a unit, or as changed. */
export function honestPool(changes: Partial<PoolPlan> = {}): PoolPlan {
  return { ...PLAIN, ...changes };
}

/** A DAMM v2 pool that only buys: 0.12 SOL within 10 % below its price, or as changed. */
export function bidPool(changes: Partial<PoolPlan>): PoolPlan {
  return {
    ...PLAIN,
    venue: "meteora-damm-v2",
    sol: 0.12,
    range: 0.1,
    sells: false,
    ...changes,
  };
}

export function planOf(pools: readonly PoolPlan[], changes: Partial<MarketPlan> = {}): MarketPlan {
  return { seed: 1, unitLamports: 0.001, supplySol: 20_000, pools, ...changes };
}

export function seen(assessment: Assessment): Seen {
  const measurement: Measurement | null = assessment.measurement;
  const mid = measurement?.midPrice ?? null;
  return {
    blocked: assessment.blocked,
    mid: mid === null ? null : ratioToNumber(mid.numerator, mid.denominator),
    retail: measurement?.retail.score ?? null,
    pro: measurement?.pro.score ?? null,
    exitMaxSol: measurement?.retail.exitMaxSol ?? null,
    family: assessment.family,
    confidence: confidenceOf(assessment),
  };
}
