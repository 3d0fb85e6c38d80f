import type { Random } from "#src/platform/seeded-random.ts";
import { type Effect, effectOf, type Honest } from "./effects.ts";
import { pick } from "./honest-markets.ts";
import { type Attack, mutate, randomAttack, STRATEGIES, type Target } from "./strategies.ts";
import { type Drain, hidesAlert, raisesFalseAlert } from "./timeline.ts";

export type Tried = { readonly attack: Attack; readonly effect: Effect };

const TRIES_PER_STRATEGY = 2;
const CLIMBERS = 2;
const CLIMB_STEPS = 14;
const DRAINS: readonly Drain[] = [
  { share: 0.6, parts: 1, everySteps: 1 },
  { share: 0.8, parts: 1, everySteps: 1 },
  { share: 0.7, parts: 6, everySteps: 6 },
];

/** Every attack tried on one market with one budget: random ones of every strategy, then the best improved. */
export function searchAnswers(random: Random, honest: Honest, target: Target): readonly Tried[] {
  const tried: Tried[] = [];
  const attempt = (attack: Attack): Tried => {
    const one = { attack, effect: effectOf(honest, attack) };
    tried.push(one);
    return one;
  };
  for (const strategy of Object.keys(STRATEGIES)) {
    for (let round = 0; round < TRIES_PER_STRATEGY; round++) {
      attempt(randomAttack(random, strategy, target));
    }
  }
  const best = tried.toSorted((a, b) => harmOf(b.effect) - harmOf(a.effect)).slice(0, CLIMBERS);
  for (const start of best) {
    let top = start;
    for (let step = 0; step < CLIMB_STEPS; step++) {
      const next = attempt(mutate(random, top.attack, target));
      if (harmOf(next.effect) >= harmOf(top.effect)) top = next;
    }
  }
  return tried;
}

/** One number to climb on. */
export function harmOf({ score, exitSteps, isSilenced }: Effect): number {
  return Math.abs(score) + 20 * exitSteps + (isSilenced ? 100 : 0);
}

export type AlertsTried = {
  readonly falseAlert: Attack | null;
  readonly hiddenAlert: Attack | null;
  readonly count: number;
};

/** Attacks on the alert of one market: a few random ones, and the most harmful to its answers. */
export function searchAlerts(
  random: Random,
  honest: Honest,
  target: Target,
  tried: readonly Tried[],
): AlertsTried {
  const worst = tried.toSorted((a, b) => harmOf(b.effect) - harmOf(a.effect)).slice(0, 2);
  const attacks = [
    ...worst.map(({ attack }) => mutateTiming(random, attack, target)),
    ...Array.from({ length: 3 }, () =>
      randomAttack(random, pick(random, Object.keys(STRATEGIES)), target),
    ),
  ];
  return {
    falseAlert: attacks.find((attack) => raisesFalseAlert(honest, attack)) ?? null,
    hiddenAlert: attacks.find((attack) => hidesAlert(honest, attack, pick(random, DRAINS))) ?? null,
    count: 2 * attacks.length,
  };
}

function mutateTiming(random: Random, attack: Attack, target: Target): Attack {
  const { timing } = randomAttack(random, attack.strategy, target);
  return { ...attack, timing };
}
