import { formatTable } from "#src/cli/output.ts";
import { STANDARD_SIZES } from "#src/measure/assessment.ts";
import { between, type Random, seededRandom } from "#src/platform/seeded-random.ts";
import { gridOf } from "#src/track/history/past-day.ts";
import type { Sample } from "#src/track/history/sample.ts";
import { changesOf, quantilesOf, WAITED_SECONDS } from "#src/track/history/waiting.ts";
import { establishedFlow, tradeStep, walkFrom } from "./detection/flow.ts";
import { heldWithin } from "./detection/held-within.ts";
import { capacityOf, poolWith, priceOf, slippageOf } from "./detection/virtual-market.ts";
import { readOptions } from "./options.ts";

/**
 * Plays markets for two days and judges the ranges of the first day on the second day. They are compared
 * with "unchanged", an exponential mean, and three kinds of one range for all tokens: the range of all
 * tokens' changes pooled, the narrowest range that keeps its level for nine of ten tokens, and the narrowest
 * range that keeps it for as many tokens as the tokens' own ranges do. `at best` is the range of the second
 * day itself: no range that holds on that day with its frequency is much narrower.
 * `npm run waiting -- [--markets N] [--seed N] [--json]`
 */

const STEP_MS = 10_000;
const STEPS_PER_DAY = 8_640;
const DAY_MS = STEP_MS * STEPS_PER_DAY;
const START_MS = 1_790_000_000_000;
const LEVELS = [0.5, 0.8, 0.98] as const;
const PINBALL_SHARES = [0.01, 0.1, 0.5, 0.9, 0.99];
/** Factor of the exponential mean for one step of ten seconds: its half-life is ten minutes. */
const KEPT = 0.5 ** (1 / 60);
/** Share of the tokens for which one range for all has to hold as often as its level less the tolerance. */
const TOKENS_HELD = 0.9;
const TOLERANCE = 0.02;
/** The tolerance for a single token, whose day is only one draw. */
const TOKEN_TOLERANCE = 0.05;
const SIZE = STANDARD_SIZES.indexOf("5");

type Days = { readonly first: Float64Array; readonly second: Float64Array };

/** The changes of both days, by time waited. */
function playMarket(random: Random): readonly Days[] {
  const market = poolWith(between(random, 8, 2_000));
  const walk = walkFrom(market, establishedFlow(random));
  const samples: Sample[] = [];
  for (let step = 0; step < 2 * STEPS_PER_DAY; step++) {
    tradeStep(market, walk, random);
    samples.push({
      atMs: START_MS + (step + 1) * STEP_MS,
      c10Sol: capacityOf(market),
      depthSol: market.real,
      slippagePct: STANDARD_SIZES.map((size) => slippageOf(market, Number(size))),
      mid: priceOf(market),
      confidence: "high",
      basis: 1,
    });
  }
  const dayFrom = (fromMs: number) => gridOf(samples, { fromMs, toMs: fromMs + DAY_MS });
  const [first, second] = [dayFrom(START_MS), dayFrom(START_MS + DAY_MS)];
  return WAITED_SECONDS.map((seconds) => {
    const waited = { size: SIZE, waited: (seconds * 1_000) / STEP_MS };
    return { first: changesOf(first, waited), second: changesOf(second, waited) };
  });
}

type Range = readonly [from: number, to: number];

function rangeAt(sorted: Float64Array, level: number): Range {
  const [from = 0, to = 0] = quantilesOf(sorted, [(1 - level) / 2, (1 + level) / 2]);
  return [from, to];
}

function heldShare(changes: Float64Array, [from, to]: Range): number {
  return heldWithin(changes, from, to) / changes.length;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The share of tokens for which a range holds as often as its level, less a tolerance. */
function shareKept(helds: readonly number[], level: number, tolerance: number): number {
  return helds.filter((held) => held >= level - tolerance).length / helds.length;
}

type Kept = { readonly level: number; readonly tolerance: number; readonly ofTokens: number };

/** The narrowest range of all tokens' changes that keeps its level for the share `ofTokens` of the tokens. */
function rangeForMost(
  pooled: Float64Array,
  markets: readonly Days[],
  { level, tolerance, ofTokens }: Kept,
): Range {
  let range = rangeAt(pooled, level);
  for (let outside = 1 - level; outside > 1e-5; outside *= 0.9) {
    range = rangeAt(pooled, 1 - outside);
    const helds = markets.map(({ second }) => heldShare(second, range));
    if (shareKept(helds, level, tolerance) >= ofTokens) return range;
  }
  return range;
}

/** The share of tokens for which a range held as often as its level, within five points. */
function tokensWithin(helds: readonly number[], level: number): number {
  return helds.filter((held) => Math.abs(held - level) <= TOKEN_TOLERANCE).length / helds.length;
}

/** Mean loss over all quantiles, of a forecast by step. */
function pinball(changes: Float64Array, forecast: (step: number, index: number) => number): number {
  let sum = 0;
  for (const [step, change] of changes.entries()) {
    for (const [index, share] of PINBALL_SHARES.entries()) {
      const miss = change - forecast(step, index);
      sum += miss * (miss >= 0 ? share : share - 1);
    }
  }
  return sum / changes.length / PINBALL_SHARES.length;
}

/** Of the changes that were complete when the forecast was made. */
function exponentialMeans(changes: Float64Array, waited: number): Float64Array {
  const means = new Float64Array(changes.length);
  let held = 0;
  for (let step = 0; step < changes.length; step++) {
    const known = step - waited;
    if (known >= 0) held = KEPT * held + (1 - KEPT) * (changes[known] ?? 0);
    means[step] = held;
  }
  return means;
}

function judge(markets: readonly Days[], seconds: number) {
  const waited = (seconds * 1_000) / STEP_MS;
  const sorted = markets.map(({ first }) => first.toSorted());
  const pooled = Float64Array.from(markets.flatMap(({ first }) => [...first])).toSorted();
  const afterwards = markets.map(({ second }) => second.toSorted());
  const levels = LEVELS.map((level) => {
    const ranges = sorted.map((first) => rangeAt(first, level));
    const widthOf = ([from, to]: Range) => to - from;
    const width = mean(ranges.map(widthOf));
    const onePooled = rangeAt(pooled, level);
    const helds = markets.map(({ second }, index) => heldShare(second, ranges[index] ?? [0, 0]));
    const heldsPooled = markets.map(({ second }) => heldShare(second, onePooled));
    const forMost = { level, tolerance: TOLERANCE, ofTokens: TOKENS_HELD };
    const ownKept = shareKept(helds, level, TOLERANCE);
    return {
      level,
      held: mean(helds),
      heldPooled: mean(heldsPooled),
      tokensHeld: tokensWithin(helds, level),
      tokensHeldPooled: tokensWithin(heldsPooled, level),
      ofPooledWidth: width / widthOf(onePooled),
      atBestOfPooledWidth:
        mean(afterwards.map((second) => widthOf(rangeAt(second, level)))) / widthOf(onePooled),
      ofOneForMostWidth: width / widthOf(rangeForMost(pooled, markets, forMost)),
      ownKept,
      ofOneForAsManyWidth:
        width / widthOf(rangeForMost(pooled, markets, { ...forMost, ofTokens: ownKept })),
      narrowerThanPooled:
        ranges.filter((range) => widthOf(range) < widthOf(onePooled)).length / ranges.length,
    };
  });
  const losses = markets.map(({ second }, index) => {
    const own = quantilesOf(sorted[index] ?? new Float64Array(), PINBALL_SHARES);
    const global = quantilesOf(pooled, PINBALL_SHARES);
    const means = exponentialMeans(second, waited);
    return {
      own: pinball(second, (_, at) => own[at] ?? 0),
      global: pinball(second, (_, at) => global[at] ?? 0),
      unchanged: pinball(second, () => 0),
      exponential: pinball(second, (step) => means[step] ?? 0),
    };
  });
  return {
    seconds,
    levels,
    pinball: {
      own: mean(losses.map(({ own }) => own)),
      oneForAll: mean(losses.map(({ global }) => global)),
      unchanged: mean(losses.map(({ unchanged }) => unchanged)),
      exponentialMean: mean(losses.map(({ exponential }) => exponential)),
    },
  };
}

const { values } = readOptions(
  "The ranges of what waiting cost, judged on the next day of played markets.",
  {
    markets: { type: "string", default: "100", help: "played" },
    seed: { type: "string", default: "1" },
    json: { type: "boolean", default: false },
  },
);
const random = seededRandom(Number(values.seed));
const played = Array.from({ length: Number(values.markets) }, () => playMarket(random));
const judged = WAITED_SECONDS.map((seconds, index) =>
  judge(
    played.flatMap((days) => days[index] ?? []),
    seconds,
  ),
);
if (values.json) process.stdout.write(`${JSON.stringify(judged)}\n`);
else {
  const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
  const table = formatTable([
    [
      ...["waited", "range", "held next day", "pooled held", "tokens held", "pooled: tokens held"],
      ...["width of pooled", "at best", "width of one for most"],
      ...["own: not below the level", "width of one for as many", "narrower than pooled"],
    ],
    ...judged.flatMap(({ seconds, levels }) =>
      levels.map((row) => [
        `${seconds} s`,
        percent(row.level),
        percent(row.held),
        percent(row.heldPooled),
        percent(row.tokensHeld),
        percent(row.tokensHeldPooled),
        percent(row.ofPooledWidth),
        percent(row.atBestOfPooledWidth),
        percent(row.ofOneForMostWidth),
        percent(row.ownKept),
        percent(row.ofOneForAsManyWidth),
        percent(row.narrowerThanPooled),
      ]),
    ),
  ]);
  const losses = formatTable([
    ["pinball loss, points", "own range", "one for all", "unchanged", "exponential mean"],
    ...judged.map(({ seconds, pinball: { own, oneForAll, unchanged, exponentialMean } }) => [
      `${seconds} s`,
      ...[own, oneForAll, unchanged, exponentialMean].map((loss) => loss.toFixed(4)),
    ]),
  ]);
  process.stdout.write(`${table}\n\n${losses}\n`);
}
