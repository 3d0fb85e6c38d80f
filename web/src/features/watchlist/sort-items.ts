import type { WatchlistItem } from "../../lib/watchlist.ts";

export type SortBy = "added" | "slippage" | "score";

/** The most urgent first; unknown values are last in every order. */
export function sortItems(items: readonly WatchlistItem[], by: SortBy): readonly WatchlistItem[] {
  switch (by) {
    case "added":
      return items;
    case "slippage":
      return [...items].sort((a, b) => urgency(b) - urgency(a));
    case "score":
      return [...items].sort((a, b) => scoreOf(a) - scoreOf(b));
    default: {
      const unreachable: never = by;
      return unreachable;
    }
  }
}

/** No exit at all is worse than any slippage; a measurement that is missing is neither. */
function urgency({ exitability }: WatchlistItem): number {
  if (exitability.state !== "ok") return Number.NEGATIVE_INFINITY;
  return exitability.slippage_pct ?? Number.POSITIVE_INFINITY;
}

function scoreOf({ exitability }: WatchlistItem): number {
  return exitability.score ?? Number.POSITIVE_INFINITY;
}
