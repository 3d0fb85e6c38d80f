import type { WatchlistItem } from "../../lib/watchlist.ts";

export type SortBy = "urgency" | "score" | "added";

/** The most urgent first; unknown values are last in every order. */
export function sortItems(items: readonly WatchlistItem[], by: SortBy): readonly WatchlistItem[] {
  switch (by) {
    case "added":
      return items;
    case "urgency":
      return [...items].sort((a, b) => compareUrgency(a, b));
    case "score":
      return [...items].sort((a, b) => scoreOf(a) - scoreOf(b));
    default: {
      const unreachable: never = by;
      return unreachable;
    }
  }
}

/** A token whose exit deteriorates comes before every other; then by what the position loses. */
function compareUrgency(a: WatchlistItem, b: WatchlistItem): number {
  const isAlerting = ({ exitability }: WatchlistItem) =>
    Number(exitability.alerta_deterioro === true);
  const difference = isAlerting(b) - isAlerting(a);
  if (difference !== 0) return difference;
  const [lossA, lossB] = [lossOf(a), lossOf(b)];
  return lossA === lossB ? 0 : lossB - lossA;
}

/** No exit at all is worse than any slippage; a measurement that is missing is neither. */
function lossOf({ exitability }: WatchlistItem): number {
  if (exitability.state !== "ok") return Number.NEGATIVE_INFINITY;
  return exitability.slippage_pct ?? Number.POSITIVE_INFINITY;
}

function scoreOf({ exitability }: WatchlistItem): number {
  return exitability.score ?? Number.POSITIVE_INFINITY;
}
