import type { Days } from "./played-markets.ts";
import { heldShare, mean, type Range, rangeAt, widthOf } from "./ranges.ts";

/** Share of the tokens for which one range for all has to hold as often as its level less the tolerance. */
const TOKENS_HELD = 0.9;
const TOLERANCE = 0.02;
/** The tolerance for a single token, whose day is only one draw. */
const TOKEN_TOLERANCE = 0.05;

/** How often the tokens' own ranges held on the second day, and their width beside one range for all tokens. */
export function againstOneForAll(tokens: readonly Days[], pooled: Float64Array, level: number) {
  const ranges = tokens.map(({ firstSorted }) => rangeAt(firstSorted, level));
  const width = mean(ranges.map(widthOf));
  const onePooled = rangeAt(pooled, level);
  const helds = tokens.map(({ second }, index) => heldShare(second, ranges[index] ?? [0, 0]));
  const heldsPooled = tokens.map(({ second }) => heldShare(second, onePooled));
  const ownKept = shareKept(helds, level);
  return {
    level,
    held: mean(helds),
    heldPooled: mean(heldsPooled),
    tokensHeld: tokensWithin(helds, level),
    tokensHeldPooled: tokensWithin(heldsPooled, level),
    ofPooledWidth: width / widthOf(onePooled),
    ofOneForMostWidth: width / widthOf(rangeForMost(tokens, pooled, { level, of: TOKENS_HELD })),
    ownKept,
    ofOneForAsManyWidth: width / widthOf(rangeForMost(tokens, pooled, { level, of: ownKept })),
  };
}

/** The share of tokens for which a range holds as often as its level, less the tolerance. */
function shareKept(helds: readonly number[], level: number): number {
  return helds.filter((held) => held >= level - TOLERANCE).length / helds.length;
}

/** The narrowest range of all tokens' changes that keeps its level for the share `of` of the tokens. */
function rangeForMost(
  tokens: readonly Days[],
  pooled: Float64Array,
  { level, of }: { readonly level: number; readonly of: number },
): Range {
  let range = rangeAt(pooled, level);
  for (let outside = 1 - level; outside > 1e-5; outside *= 0.9) {
    range = rangeAt(pooled, 1 - outside);
    const helds = tokens.map(({ second }) => heldShare(second, range));
    if (shareKept(helds, level) >= of) return range;
  }
  return range;
}

/** The share of tokens for which a range held as often as its level, within five points. */
function tokensWithin(helds: readonly number[], level: number): number {
  return helds.filter((held) => Math.abs(held - level) <= TOKEN_TOLERANCE).length / helds.length;
}
