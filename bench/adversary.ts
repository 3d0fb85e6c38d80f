import { tmpdir } from "node:os";
import { join } from "node:path";
import { formatTable } from "#src/cli/output.ts";
import { confidenceOf } from "#src/measure/confidence/findings.ts";
import { seededRandom } from "#src/platform/seeded-random.ts";
import { attacked, measureHonest } from "./adversary/effects.ts";
import { honestMarket } from "./adversary/honest-markets.ts";
import { searchPlan } from "./adversary/measure-plan.ts";
import type { MarketPlan } from "./adversary/pool-plan.ts";
import { saveMarket } from "./adversary/save-market.ts";
import { harmOf, searchAlerts, searchAnswers } from "./adversary/search.ts";
import type { Attack } from "./adversary/strategies.ts";
import { readOptions } from "./support/options.ts";

/**
 * Searches for hostile pools that change an answer or an alert (method.md section 7), and prints the
 * worst effect found for each budget. Runs from account bytes to the answer.
 */

const { values } = readOptions("Worst hostile pools found by budget.", {
  json: { type: "boolean", default: false },
  seed: { type: "string", default: "1" },
  minutes: { type: "string", default: "1" },
  save: {
    type: "string",
    default: join(tmpdir(), "exitability-adversary"),
    help: "folder of the worst found",
  },
});

/** Of the honest near depth, percent. */
const BUDGETS_PCT = [0.1, 1, 5, 20] as const;
const EFFECTS = ["score", "exit_max", "state", "false alert", "hidden alert"] as const;
type EffectName = (typeof EFFECTS)[number];

type Worst = {
  readonly value: number;
  readonly attack: Attack;
  readonly plan: MarketPlan;
};

/** What was found with one budget. */
type Row = {
  readonly budgetPct: number;
  attacks: number;
  alertTimelines: number;
  /** Attacks that broke method.md section 7, by effect. */
  readonly broken: Record<EffectName, number>;
  readonly worst: Map<EffectName, Worst>;
};

const SCORE_LIMIT = 5;
const rows = BUDGETS_PCT.map(
  (budgetPct): Row => ({
    budgetPct,
    attacks: 0,
    alertTimelines: 0,
    broken: { score: 0, exit_max: 0, state: 0, "false alert": 0, "hidden alert": 0 },
    worst: new Map(),
  }),
);

const startMs = performance.now();
const endMs = startMs + 60_000 * Number(values.minutes);
let markets = 0;
for (let seed = Number(values.seed); performance.now() < endMs; seed++) {
  const honest = measureHonest(honestMarket(seed));
  if (honest === null) continue;
  markets++;
  for (const row of rows) {
    const random = seededRandom(seed * 31 + row.budgetPct * 10);
    const budgetSol = (honest.nearSol * row.budgetPct) / 100;
    const target = { unitLamports: honest.plan.unitLamports, budgetSol };
    const tried = searchAnswers(random, honest, target);
    row.attacks += tried.length;
    const note = (effect: EffectName, value: number, attack: Attack, limit: number): void => {
      if (Math.abs(value) > limit) row.broken[effect]++;
      const known = Math.abs(row.worst.get(effect)?.value ?? 0);
      if (Math.abs(value) <= known) return;
      row.worst.set(effect, { value, attack, plan: attacked(honest.plan, attack) });
    };
    for (const { attack, effect } of tried.toSorted(
      (a, b) => harmOf(a.effect) - harmOf(b.effect),
    )) {
      note("score", effect.score, attack, SCORE_LIMIT);
      note("exit_max", effect.exitSteps, attack, 0);
      note("state", effect.isSilenced ? 1 : 0, attack, 0);
    }
    const alerts = searchAlerts(random, honest, target, tried);
    row.alertTimelines += alerts.count;
    if (alerts.falseAlert !== null) note("false alert", 1, alerts.falseAlert, 0);
    if (alerts.hiddenAlert !== null) note("hidden alert", 1, alerts.hiddenAlert, 0);
  }
}
await report();

async function report(): Promise<void> {
  const seconds = Math.round((performance.now() - startMs) / 1_000);
  const table: (readonly (string | number)[])[] = [];
  for (const row of rows) {
    const { budgetPct, attacks, alertTimelines, broken } = row;
    if (values.json) {
      console.log(JSON.stringify({ budgetPct, markets, seconds, attacks, alertTimelines, broken }));
    }
    for (const effect of EFFECTS) {
      const worst = row.worst.get(effect);
      table.push([
        `${budgetPct} %`,
        effect,
        worst?.value ?? 0,
        broken[effect],
        worst?.attack.strategy ?? "",
      ]);
      if (worst !== undefined) await reportWorst(row, effect, worst);
    }
  }
  if (values.json) return;
  console.log(`\n${markets} markets, ${seconds} s`);
  console.log(
    formatTable([["budget", "effect", "worst", "beyond the limit", "strategy"], ...table]),
  );
}

async function reportWorst({ budgetPct }: Row, effect: EffectName, worst: Worst): Promise<void> {
  const folder = join(values.save, `${budgetPct}-${effect.replace(" ", "-")}`);
  const mint = await saveMarket(folder, worst.plan);
  const { value, attack, plan } = worst;
  // Through the product's own search for pools, as `exitability measure` finds them.
  const found = await searchPlan(plan);
  const answer = {
    blocked: found.blocked,
    retail: found.measurement?.retail.score ?? null,
    pro: found.measurement?.pro.score ?? null,
    exitMaxSol: found.measurement?.retail.exitMaxSol ?? null,
    confidence: confidenceOf(found),
  };
  if (values.json) {
    console.log(
      JSON.stringify({ budgetPct, effect, value, answer, mint, folder, seed: plan.seed, attack }),
    );
    return;
  }
  console.log(
    `${budgetPct} %, ${effect} ${value}, ${attack.strategy}: ACCOUNTS_DIR=${folder} npx exitability measure ${mint}`,
  );
}
