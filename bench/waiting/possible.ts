import { quantilesOf } from "#src/track/history/waiting.ts";
import { type Days, stepsOf } from "./played-markets.ts";
import {
  heldShare,
  intervalScore,
  mean,
  narrowestRange,
  type Range,
  rangeAt,
  widthOf,
} from "./ranges.ts";

/**
 * What a narrower range could be, beside the pooled range of all tokens. The second day itself gives the
 * least width: no range that holds on that day with its level, token by token, is narrower.
 */

/** Groups of moments by the change just before them. */
const GROUPS = 10;
/** Shares of the calmest and of the wildest tokens, by the width of both days' 80 % ranges. */
const TAIL = 0.1;
/** Steps of the shares that a range may hold for a token. */
const SHARE_STEPS = 200;
/** Part of the first day whose frequencies are counted alone. */
const LAST_HOURS = 0.25;

export type Judged = {
  readonly level: number;
  readonly seconds: number;
  readonly pooled: Float64Array;
};

export function whatIsPossible(tokens: readonly Days[], { level, seconds, pooled }: Judged) {
  const onePooled = rangeAt(pooled, level);
  const ofPooled = (width: number) => width / widthOf(onePooled);
  const own = tokens.map(({ firstSorted }) => rangeAt(firstSorted, level));
  const atBest = tokens.map(({ secondSorted }) => rangeAt(secondSorted, level));
  const narrowest = tokens.map(({ secondSorted }) => narrowestRange(secondSorted, level));
  const onAverage = rangesOfLeastWidth(tokens, level);
  const lastHours = tokens.map(({ first }) =>
    rangeAt(first.slice(-Math.round(LAST_HOURS * first.length)).toSorted(), level),
  );
  const grouped = tokens.map((days) => afterLastChange(days, level, stepsOf(seconds)));
  const pooledForEach = tokens.map(() => onePooled);
  const widthOfPooled = (ranges: readonly Range[]) => ofPooled(mean(ranges.map(widthOf)));
  const helds = (ranges: readonly Range[]) =>
    tokens.map(({ second }, index) => heldShare(second, ranges[index] ?? [0, 0]));
  const score = (ranges: readonly Range[]) =>
    mean(tokens.map(({ second }, index) => intervalScore(second, ranges[index] ?? [0, 0], level)));
  const inTails = (ranges: readonly Range[]) => tailsOf(tokens, helds(ranges));
  const ratios = own.map((range, index) => widthOf(range) / widthOf(atBest[index] ?? [0, 0]));
  return {
    level,
    ofPooledWidth: {
      own: widthOfPooled(own),
      atBest: widthOfPooled(atBest),
      narrowest: widthOfPooled(narrowest),
      afterLastChange: ofPooled(mean(grouped.map(({ width }) => width))),
      lastHours: widthOfPooled(lastHours),
      onAverage: widthOfPooled(onAverage),
    },
    heldAfterLastChange: mean(grouped.map(({ held }) => held)),
    heldByLastHours: mean(helds(lastHours)),
    narrowerThanPooled:
      own.filter((range) => widthOf(range) < widthOf(onePooled)).length / own.length,
    /** The tenth, the half and nine tenths of the tokens have at most these. */
    ownOfAtBest: quantilesOf(Float64Array.from(ratios).toSorted(), [0.1, 0.5, 0.9]),
    ownOfPooled: quantilesOf(
      Float64Array.from(own.map((range) => ofPooled(widthOf(range)))).toSorted(),
      [0.1, 0.5, 0.9],
    ),
    held: {
      own: inTails(own),
      pooled: inTails(pooledForEach),
      onAverage: inTails(onAverage),
    },
    intervalScore: { own: score(own), pooled: score(pooledForEach), atBest: score(atBest) },
  };
}

/** Means over the calmest and over the wildest tenth of the tokens. */
function tailsOf(tokens: readonly Days[], values: readonly number[]) {
  const spread = ({ firstSorted, secondSorted }: Days) =>
    widthOf(rangeAt(firstSorted, 0.8)) + widthOf(rangeAt(secondSorted, 0.8));
  const ordered = tokens
    .map((days, index) => ({ spread: spread(days), value: values[index] ?? 0 }))
    .toSorted((a, b) => a.spread - b.spread)
    .map(({ value }) => value);
  const count = Math.max(1, Math.round(TAIL * tokens.length));
  return { calmest: mean(ordered.slice(0, count)), wildest: mean(ordered.slice(-count)) };
}

/**
 * Ranges that hold with their level on average over all tokens, with the least mean width that this
 * allows: those of calm tokens hold always, those of wild ones hardly ever. Taken from the second day.
 */
function rangesOfLeastWidth(tokens: readonly Days[], level: number): readonly Range[] {
  const shares = Array.from({ length: SHARE_STEPS + 1 }, (_, step) => step / SHARE_STEPS);
  const choices = tokens.map(({ secondSorted }) =>
    shares.map((share) => ({ share, range: narrowestRange(secondSorted, share) })),
  );
  const chosenAt = (price: number) =>
    choices.map((of) =>
      of.reduce((best, choice) => (worth(choice, price) > worth(best, price) ? choice : best)),
    );
  let [low, high] = [1e-6, 1e6];
  for (let round = 0; round < 60; round++) {
    const price = Math.sqrt(low * high);
    const held = mean(chosenAt(price).map(({ share }) => share));
    if (held >= level) low = price;
    else high = price;
  }
  return chosenAt(low).map(({ range }) => range);
}

type Choice = { readonly share: number; readonly range: Range };

function worth({ share, range }: Choice, price: number): number {
  return share - price * widthOf(range);
}

/**
 * The first day's ranges by the change just before, judged on the second day: a state of the market that
 * its own past frequencies can be counted by.
 */
function afterLastChange({ first, second, firstSorted }: Days, level: number, waited: number) {
  const edges = quantilesOf(
    firstSorted,
    Array.from({ length: GROUPS - 1 }, (_, index) => (index + 1) / GROUPS),
  );
  const groupOf = (changes: Float64Array, step: number) => {
    const before = changes[step - waited] ?? 0;
    const group = edges.findIndex((edge) => before <= edge);
    return group < 0 ? GROUPS - 1 : group;
  };
  const members = Array.from({ length: GROUPS }, (): number[] => []);
  for (let step = waited; step < first.length; step++) {
    members[groupOf(first, step)]?.push(first[step] ?? 0);
  }
  const ranges = members.map((changes) =>
    changes.length === 0
      ? rangeAt(firstSorted, level)
      : rangeAt(Float64Array.from(changes).toSorted(), level),
  );
  let [held, width] = [0, 0];
  for (let step = waited; step < second.length; step++) {
    const range = ranges[groupOf(second, step)] ?? [0, 0];
    const change = second[step] ?? 0;
    if (change >= range[0] && change <= range[1]) held++;
    width += widthOf(range);
  }
  return { held: held / (second.length - waited), width: width / (second.length - waited) };
}
