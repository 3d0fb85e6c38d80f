import type { Assessment } from "#src/measure/assessment.ts";
import { newSeries, observe } from "#src/track/history/series.ts";
import { attacked, type Honest } from "./effects.ts";
import { withoutShare } from "./honest-markets.ts";
import { assessPlan, PLAN_TIME_MS } from "./measure-plan.ts";
import type { Attack, Timing } from "./strategies.ts";

/** How the honest providers leave: at once, or in equal parts. */
export type Drain = { readonly share: number; readonly parts: number; readonly everySteps: number };

const STEP_MS = 10_000;
/** Watched before anything happens: past the age at which a token is too young to judge. */
const QUIET_STEPS = 40;
const ATTACK_STEPS = 90;

/** Whether an alert turns on while the attacker's pools come and go beside a market that loses nothing. */
export function raisesFalseAlert(honest: Honest, attack: Attack): boolean {
  const calm = honest.assessment;
  const beside = assessPlan(attacked(honest.plan, attack));
  return isAlerted((step) => (isPresent(attack.timing, step) ? beside : calm));
}

/** Whether the alert of a market whose providers leave stays off, where it turns on without the attack. */
export function hidesAlert(honest: Honest, attack: Attack, drain: Drain): boolean {
  const plans = Array.from({ length: drain.parts + 1 }, (_, part) =>
    withoutShare(honest.plan, (drain.share * part) / drain.parts),
  );
  const bare = plans.map(assessPlan);
  const partAt = (step: number): number =>
    step < DRAIN_STEP
      ? 0
      : Math.min(drain.parts, 1 + Math.floor((step - DRAIN_STEP) / drain.everySteps));
  const [first, last] = [bare[0]?.measurement?.c10Sol, bare.at(-1)?.measurement?.c10Sol];
  if (first === undefined || last === undefined || last > first / 2) return false;
  const shown = (all: readonly Assessment[], step: number): Assessment =>
    all[partAt(step)] ?? honest.assessment;
  if (!isAlerted((step) => shown(bare, step))) return false;
  const beside = plans.map((plan) => assessPlan(attacked(plan, attack)));
  return !isAlerted((step) => shown(isPresent(attack.timing, step) ? beside : bare, step));
}

const DRAIN_STEP = 30;

/** Steps count from the end of the quiet time. */
function isPresent({ fromStep, onSteps, offSteps }: Timing, step: number): boolean {
  return step >= fromStep && (step - fromStep) % (onSteps + offSteps) < onSteps;
}

function isAlerted(shown: (step: number) => Assessment): boolean {
  const series = newSeries(1);
  for (let step = -QUIET_STEPS; step < ATTACK_STEPS; step++) {
    const nowMs = PLAN_TIME_MS + (step + QUIET_STEPS) * STEP_MS;
    const assessment = { ...shown(step), stateTimeMs: nowMs };
    const { change } = observe(series, {
      assessment,
      nowMs,
      chainMs: nowMs,
      isClosed: () => false,
    });
    if (change?.kind === "on") return true;
  }
  return false;
}
