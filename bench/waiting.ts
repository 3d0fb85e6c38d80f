import { formatTable } from "#src/cli/output.ts";
import { seededRandom } from "#src/platform/seeded-random.ts";
import { WAITED_SECONDS } from "#src/track/history/waiting.ts";
import { readOptions } from "./support/options.ts";
import { againstOneForAll } from "./waiting/one-for-all.ts";
import { pinballLosses } from "./waiting/pinball.ts";
import { type Days, playMarket } from "./waiting/played-markets.ts";
import { whatIsPossible } from "./waiting/possible.ts";

/**
 * Plays markets for two days and judges the ranges of the first day on the second day. They are compared
 * with "unchanged", an exponential mean, and three kinds of one range for all tokens: the range of all
 * tokens' changes pooled, the narrowest range that keeps its level for nine of ten tokens, and the narrowest
 * range that keeps it for as many tokens as the tokens' own ranges do.
 *
 * The second table has the least width that is possible, known only after the second day: `at best` is the
 * range of that day's own quantiles, `narrowest` the narrowest range with the level's share of its changes,
 * and `average only` the least mean width of ranges that hold with their level on average over all tokens,
 * for whichever tokens. `after last change` counts the first day's frequencies by the change just before,
 * `last 6 h` only those of its last quarter.
 * `npm run waiting -- [--markets N] [--seed N] [--json]`
 */

const LEVELS = [0.5, 0.8, 0.98] as const;

const { values } = readOptions(
  "The ranges of what waiting cost, judged on the next day of played markets.",
  {
    markets: { type: "string", default: "100", help: "played", least: 1 },
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
process.stdout.write(values.json ? `${JSON.stringify(judged)}\n` : `${tablesOf(judged)}\n`);

function judge(tokens: readonly Days[], seconds: number) {
  const pooled = Float64Array.from(tokens.flatMap(({ first }) => [...first])).toSorted();
  return {
    seconds,
    levels: LEVELS.map((level) => againstOneForAll(tokens, pooled, level)),
    possible: LEVELS.map((level) => whatIsPossible(tokens, { level, seconds, pooled })),
    pinball: pinballLosses(tokens, pooled, seconds),
  };
}

type Judged = ReturnType<typeof judge>;

function tablesOf(results: readonly Judged[]): string {
  return [oneForAllTable, widthTable, tailTable, scoreTable, lossTable]
    .map((table) => table(results))
    .join("\n\n");
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

function oneForAllTable(results: readonly Judged[]): string {
  return formatTable([
    [
      ...["waited", "range", "held next day", "pooled held", "tokens held", "pooled: tokens held"],
      ...["width of pooled", "width of one for most"],
      ...["own: not below the level", "width of one for as many"],
    ],
    ...results.flatMap(({ seconds, levels }) =>
      levels.map((row) => [
        `${seconds} s`,
        percent(row.level),
        percent(row.held),
        percent(row.heldPooled),
        percent(row.tokensHeld),
        percent(row.tokensHeldPooled),
        percent(row.ofPooledWidth),
        percent(row.ofOneForMostWidth),
        percent(row.ownKept),
        percent(row.ofOneForAsManyWidth),
      ]),
    ),
  ]);
}

function widthTable(results: readonly Judged[]): string {
  const spread = (quantiles: readonly number[]) => quantiles.map(percent).join(" ");
  return formatTable([
    [
      ...["width of pooled", "range", "own", "at best", "narrowest", "average only"],
      ...["after last change", "held", "last 6 h", "held", "own is narrower"],
      ...["token: own of at best, p10 p50 p90", "own of pooled, p10 p50 p90"],
    ],
    ...results.flatMap(({ seconds, possible }) =>
      possible.map(({ level, ofPooledWidth, ...row }) => [
        `${seconds} s`,
        percent(level),
        percent(ofPooledWidth.own),
        percent(ofPooledWidth.atBest),
        percent(ofPooledWidth.narrowest),
        percent(ofPooledWidth.onAverage),
        percent(ofPooledWidth.afterLastChange),
        percent(row.heldAfterLastChange),
        percent(ofPooledWidth.lastHours),
        percent(row.heldByLastHours),
        percent(row.narrowerThanPooled),
        spread(row.ownOfAtBest),
        spread(row.ownOfPooled),
      ]),
    ),
  ]);
}

function tailTable(results: readonly Judged[]): string {
  const kinds = ["own", "pooled", "onAverage"] as const;
  const titles = ["own", "pooled", "average only"];
  return formatTable([
    [
      ...["held for", "range"],
      ...titles.map((title) => `calmest tenth: ${title}`),
      ...titles.map((title) => `wildest tenth: ${title}`),
    ],
    ...results.flatMap(({ seconds, possible }) =>
      possible.map(({ level, held }) => [
        `${seconds} s`,
        percent(level),
        ...kinds.map((kind) => percent(held[kind].calmest)),
        ...kinds.map((kind) => percent(held[kind].wildest)),
      ]),
    ),
  ]);
}

function scoreTable(results: readonly Judged[]): string {
  return formatTable([
    ["interval score, points", "range", "own range", "pooled", "at best", "own of pooled"],
    ...results.flatMap(({ seconds, possible }) =>
      possible.map(({ level, intervalScore: { own, pooled, atBest } }) => [
        `${seconds} s`,
        percent(level),
        ...[own, pooled, atBest].map((score) => score.toFixed(3)),
        percent(own / pooled),
      ]),
    ),
  ]);
}

function lossTable(results: readonly Judged[]): string {
  return formatTable([
    ["pinball loss, points", "own range", "one for all", "unchanged", "exponential mean"],
    ...results.map(({ seconds, pinball: { own, oneForAll, unchanged, exponentialMean } }) => [
      `${seconds} s`,
      ...[own, oneForAll, unchanged, exponentialMean].map((loss) => loss.toFixed(4)),
    ]),
  ]);
}
