import type { WatchlistItem } from "#client/openapi.ts";

export type SortBy = "urgency" | "score" | "added";

/** The most urgent first; what has not been measured is last in every order. */
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

/** Above every loss in percent: a blocked token may be impossible to sell, as a paused one is. */
const BLOCKED_LOSS = 101;

/** No exit at all is worse than any slippage; a size that is not measured, or not yet, comes last. */
function lossOf({ exitability: { state, slippage_pct } }: WatchlistItem): number {
  if (state === "bloqueado_dato") return BLOCKED_LOSS;
  if (state !== "ok") return Number.NEGATIVE_INFINITY;
  return slippage_pct ?? Number.POSITIVE_INFINITY;
}

function scoreOf({ exitability }: WatchlistItem): number {
  return exitability.score ?? Number.POSITIVE_INFINITY;
}
