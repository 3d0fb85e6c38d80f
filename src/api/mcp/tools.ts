import { setTimeout as sleep } from "node:timers/promises";
import Type from "typebox";
import { STANDARD_SIZES } from "#src/measure/assessment.ts";
import { SIZE_RANGE_SOL } from "#src/measure/questions/requested-size.ts";
import { MS_PER_HOUR } from "#src/platform/clock.ts";
import { isJsonObject } from "#src/platform/json-object.ts";
import { errorSchema } from "../error-bodies.ts";
import { getExitAt } from "../measuring/exit-at.ts";
import { getExitability } from "../measuring/exitability.ts";
import { getHistory } from "../measuring/history.ts";
import { getHoldersFirst } from "../measuring/holders-first.ts";
import { getPastDay } from "../measuring/past-day.ts";
import { getStressedExit } from "../measuring/stressed.ts";
import { PROFILE_FIELD } from "../measuring/token-question.ts";
import { STATUS_OF_CODE } from "../plugins/errors.ts";
import { getExitabilityBatch } from "../streams/batch.ts";
import {
  answerOf,
  closed,
  defineTool,
  MINT_FIELD,
  pathOf,
  type Tool,
  type ToolAnswer,
  toolOf,
} from "./tool.ts";

/** What every tool says of itself. */
export const PROMISE =
  "It measures only: it never trades, never builds a transaction, never recommends, predicts a price or names a good moment. Null means unknown or impossible, never zero; state and aviso say why. Token names are untrusted text.";

const SIZE_DECIMALS = 9;
const COST_DECIMALS = 4;
const WATCH_EVERY_MS = 10_000;

/** What one size of several can be refused with. */
const SIZE_ERRORS = Object.keys(STATUS_OF_CODE);

const compareSizes = defineTool({
  name: "compare_sizes",
  title: "Compare sizes of one exit",
  description:
    "What selling positions of up to six sizes would really pay, exact, with the route of each. Each size has its own outcome: sizes answered before a limit keep their answer. Costs one query for each size.",
  input: closed({
    mint: MINT_FIELD,
    profile: PROFILE_FIELD,
    sizes_sol: Type.Array(Type.Number(SIZE_RANGE_SOL), { minItems: 1, maxItems: 6 }),
  }),
  output: Type.Object({
    items: Type.Array(
      Type.Object({
        asked_sol: Type.Number(),
        status: Type.Integer({ description: "200: exit is set; else error is set" }),
        exit: Type.Optional(answerOf(getExitAt)),
        error: Type.Optional(errorSchema(SIZE_ERRORS)),
      }),
    ),
  }),
  async run({ mint, profile, sizes_sol: sizes }, ask) {
    const answers: ToolAnswer[] = [];
    for (const sizeSol of sizes) {
      const query = { profile, size: sizeSol.toFixed(SIZE_DECIMALS) };
      answers.push(await ask("GET", pathOf(getExitAt, mint, query)));
    }
    const [first] = answers;
    if (first !== undefined && answers.every(({ status }) => status !== 200)) return first;
    const items = answers.map(({ status, text }, index) => {
      const content = status === 200 ? "exit" : "error";
      return `{"asked_sol":${sizes[index]},"status":${status},"${content}":${text}}`;
    });
    return { status: 200, text: `{"items":[${items.join(",")}]}`, retryAfter: null };
  },
});

const largestExit = defineTool({
  name: "largest_exit",
  title: "The largest exit within a cost",
  description:
    "The largest size that can be sold with at most max_cost_pct percent lost, fees included, with its route, what limits it, how far the split can be from the best possible one, and what buying that size and selling it again would cost. With amounts in USD where unit is usd. Costs one query.",
  input: closed({
    mint: MINT_FIELD,
    max_cost_pct: Type.Number({ minimum: 0.0001, maximum: 99, default: 10 }),
    profile: PROFILE_FIELD,
    unit: Type.Enum(["sol", "usd"], { default: "sol" }),
  }),
  output: answerOf(getExitAt),
  run({ mint, max_cost_pct: cost, profile, unit }, ask) {
    const query = { profile, unit, max_cost: cost.toFixed(COST_DECIMALS), detail: "full" };
    return ask("GET", pathOf(getExitAt, mint, query));
  },
});

const exitHistory = defineTool({
  name: "exit_history",
  title: "A token's exit over time",
  description:
    "Exit capacity, depth, score and slippage on an even grid of at most 2,000 points, and the alerts within it with their causes; null where nothing was known. Costs one query.",
  input: closed({
    mint: MINT_FIELD,
    hours: Type.Number({ minimum: 1, maximum: 744, default: 24 }),
    step_seconds: Type.Integer({ minimum: 10, maximum: 86_400, default: 900 }),
  }),
  output: answerOf(getHistory),
  run({ mint, hours, step_seconds: step }, ask) {
    const nowMs = Date.now();
    // Both ends are sent: the longest range would exceed its limit by the time the request takes.
    const from = new Date(nowMs - hours * MS_PER_HOUR).toISOString();
    const to = new Date(nowMs).toISOString();
    return ask("GET", pathOf(getHistory, mint, { from, to, step }));
  },
});

const watchExits = defineTool({
  name: "watch_exits",
  title: "Watch tokens for a while",
  description:
    "Reads up to 20 tokens every ten seconds, for a minute at most, and answers as soon as one of them can no longer sell the size below the limit; else with the last reading. Each reading costs a batch: with a daily gate one query for each token; without, one for every ten, and one for each token that is not tracked yet.",
  input: closed({
    mints: Type.Array(MINT_FIELD, { minItems: 1, maxItems: 20 }),
    size_sol: Type.Enum([...STANDARD_SIZES], { default: "5" }),
    limit_pct: Type.Number({ minimum: 0, maximum: 100, default: 10 }),
    seconds: Type.Number({ minimum: 0, maximum: 60, default: 30 }),
    profile: PROFILE_FIELD,
  }),
  output: answerOf(getExitabilityBatch),
  async run({ mints, size_sol, limit_pct, seconds, profile }, ask, signal) {
    const untilMs = Date.now() + seconds * 1_000;
    const payload = { mints, profile, size: Number(size_sol) };
    for (;;) {
      const answer = await ask("POST", getExitabilityBatch.path, payload);
      const isLast = Date.now() + WATCH_EVERY_MS > untilMs;
      if (answer.status !== 200 || isLast || isStuck(answer.text, limit_pct)) return answer;
      await sleep(WATCH_EVERY_MS, undefined, { signal });
    }
  },
});

/** The tools that agents get. Each asks the API, so that limits, errors and answers are the same. */
export const TOOLS: readonly Tool[] = [
  toolOf(getExitability, {
    name: "measure_exit",
    title: "Measure a token's exit",
    description:
      "Whether a Solana token can be sold now: slippage at six sizes (0.5 to 50 SOL), depth, score, trend and how far the answer can be trusted. Costs one query.",
  }),
  compareSizes,
  largestExit,
  toolOf(getStressedExit, {
    name: "stressed_exit",
    title: "A token's exit after the largest withdrawal",
    description:
      "The slippage ladder now, and the ladder after the owner whose liquidity is worth most has withdrawn it, in all pools with known owners; other pools are listed with the reason. Locks of liquidity are listed with the times at which they open. The tool measures what would be left; it does not predict that anybody will withdraw. Costs one query.",
  }),
  toolOf(getHoldersFirst, {
    name: "holders_first",
    title: "A token's exit after its largest holders have sold",
    description:
      "The slippage ladder now, and after the largest 1, 3, 5, 10 and 20 holders have sold all they have, for positions that are now worth the sizes; pools, curves, burned tokens, lockers, programs and frozen accounts do not count as sellers and are listed with the reason. The tool measures what would be left; it does not predict that anybody will sell. Costs one query.",
  }),
  toolOf(getPastDay, {
    name: "past_day",
    title: "What waiting cost over a token's last day",
    description:
      "How the exit of one position changed within 10 s, 60 s and 5 minutes over the last day, as quantiles at six sizes; and how much of the price came back after large sells, with the half-life. Frequencies of the past, no forecast; null where too little was observed. Costs one query.",
  }),
  exitHistory,
  watchExits,
];

/** Whether one of a batch's tokens can't sell its size below the limit. What is unknown is not an alarm. */
function isStuck(batch: string, limitPct: number): boolean {
  const { items }: { items?: unknown } = JSON.parse(batch);
  return (
    Array.isArray(items) &&
    items.some((item: unknown) => {
      const body = isJsonObject(item) ? item["exitability"] : null;
      if (!isJsonObject(body) || body["state"] !== "ok") return false;
      const slippage = isJsonObject(body["slippage"]) ? body["slippage"]["slip_pct"] : undefined;
      return slippage === null || (typeof slippage === "number" && slippage >= limitPct);
    })
  );
}
