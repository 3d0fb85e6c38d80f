import { assess } from "#src/measure/assess.ts";
import type { Assessment, Ladder, Profile, StandardSize } from "#src/measure/assessment.ts";
import { STANDARD_SIZE_LAMPORTS, STANDARD_SIZES } from "#src/measure/assessment.ts";
import { confidenceOf } from "#src/measure/confidence/findings.ts";
import type { Market } from "#src/measure/market/market.ts";
import { exitAt } from "#src/measure/questions/exit-at.ts";
import { LAMPORTS_PER_SOL } from "#src/units/amounts.ts";
import { ratioToNumber } from "#src/units/to-number.ts";
import { assessPlan, marketOfPlan } from "./measure-plan.ts";
import type { MarketPlan } from "./pool-plan.ts";
import type { Attack } from "./strategies.ts";

/** An honest market, measured once. */
export type Honest = {
  readonly plan: MarketPlan;
  readonly assessment: Assessment;
  /** W of all its routes, in SOL. */
  readonly nearSol: number;
  /** By profile and size: whether the honest pools alone are within 5 % of that step. */
  readonly isNearStep: Readonly<Record<Profile, ReadonlySet<StandardSize>>>;
};

/** What an attack did to one answer. Zero and false if the answer has lower confidence. */
export type Effect = {
  /** Points, of the profile that moved more; above 0: the token looks better. */
  readonly score: number;
  /** Standard sizes by which the largest exit moved, without those that the honest pools are close to. */
  readonly exitSteps: number;
  /** Blocked, or without any exit where the honest pools have one. */
  readonly isSilenced: boolean;
  readonly confidence: string;
};

const STEP_LIMIT_PCT = 10;
const NEAR_STEP_BPS = 500n;
const PROFILES = ["retail", "pro"] as const;

export function measureHonest(plan: MarketPlan): Honest | null {
  const market = marketOfPlan(plan);
  const assessment = assess(market);
  const { measurement } = assessment;
  if (measurement === null || measurement.midPrice === null) return null;
  const near = measurement.pools.reduce((sum, pool) => sum + pool.nearDepthLamports, 0n);
  return {
    plan,
    assessment,
    nearSol: ratioToNumber(near, LAMPORTS_PER_SOL),
    isNearStep: { retail: nearSteps(market, "retail"), pro: nearSteps(market, "pro") },
  };
}

function nearSteps(market: Market, profile: Profile): ReadonlySet<StandardSize> {
  const sells = (sizeLamports: bigint): boolean => {
    const exit = exitAt(market, sizeLamports, profile);
    return exit.kind === "sold" && exit.slippagePct < STEP_LIMIT_PCT;
  };
  return new Set(
    STANDARD_SIZES.filter((size) => {
      const lamports = STANDARD_SIZE_LAMPORTS[size];
      const away = (lamports * NEAR_STEP_BPS) / 10_000n;
      return sells(lamports - away) !== sells(lamports + away);
    }),
  );
}

export function attacked(plan: MarketPlan, attack: Attack): MarketPlan {
  return { ...plan, pools: [...plan.pools, ...attack.pools] };
}

export function effectOf(honest: Honest, attack: Attack): Effect {
  return compare(honest, assessPlan(attacked(honest.plan, attack)));
}

function compare(honest: Honest, after: Assessment): Effect {
  const before = honest.assessment.measurement;
  const confidence = confidenceOf(after);
  const { measurement } = after;
  if (measurement === null || measurement.midPrice === null || before === null) {
    return { score: 0, exitSteps: 0, isSilenced: true, confidence };
  }
  if (confidence !== "high") return { score: 0, exitSteps: 0, isSilenced: false, confidence };
  let score = 0;
  let exitSteps = 0;
  for (const profile of PROFILES) {
    const moved = measurement[profile].score - before[profile].score;
    if (Math.abs(moved) > Math.abs(score)) score = moved;
    const steps = stepsBetween(before[profile], measurement[profile], honest.isNearStep[profile]);
    exitSteps = Math.max(exitSteps, steps);
  }
  return { score: Math.round(10 * score) / 10, exitSteps, isSilenced: false, confidence };
}

function stepsBetween(before: Ladder, after: Ladder, excused: ReadonlySet<StandardSize>): number {
  const low = Math.min(before.exitMaxSol, after.exitMaxSol);
  const high = Math.max(before.exitMaxSol, after.exitMaxSol);
  return STANDARD_SIZES.filter(
    (size) => Number(size) > low && Number(size) <= high && !excused.has(size),
  ).length;
}
