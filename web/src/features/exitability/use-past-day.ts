import { useQuery } from "@tanstack/react-query";
import { api } from "../../lib/api.ts";

export const WAITED = ["10", "60", "300"] as const;
type Waited = (typeof WAITED)[number];

export type PastDay = {
  readonly waiting: Readonly<
    Record<
      string,
      Readonly<
        Record<
          Waited,
          { readonly p1_pct: number; readonly p10_pct: number; readonly p90_pct: number } | null
        >
      >
    >
  >;
  readonly resilience: {
    readonly sells: number;
    readonly regained_pct: Readonly<Record<Waited, number>>;
  } | null;
};

export type HoldersFirst = {
  readonly steps:
    | readonly {
        readonly holders: number;
        readonly sold_by: number;
        readonly sold_pct: number | null;
        readonly slippage: Readonly<Record<string, number | null>>;
      }[]
    | null;
  readonly unlisted_pct: number | null;
};

/** Holders are read, and days summed, at most once a minute. */
const MINUTE_MS = 60_000;

function usePart<Part>(mint: string, part: string, isWanted: boolean) {
  return useQuery({
    queryKey: ["token", mint, part],
    queryFn: ({ signal }) =>
      api<Part>(`/api/token/${encodeURIComponent(mint)}/exitability/${part}`, { signal }),
    staleTime: MINUTE_MS,
    enabled: isWanted,
  });
}

/** The exits after the largest holders have sold. */
export function useHoldersFirst(mint: string, isWanted: boolean) {
  return usePart<HoldersFirst>(mint, "holders-first", isWanted);
}

/** What waiting cost over the last day. */
export function usePastDay(mint: string, isWanted: boolean) {
  return usePart<PastDay>(mint, "past-day", isWanted);
}
