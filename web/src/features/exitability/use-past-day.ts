import { useQuery } from "@tanstack/react-query";
import type { HoldersFirst, PastDay } from "#client/openapi.ts";
import { api, LONG_ANSWER_MS } from "../../lib/api.ts";

/** Holders are read, and days summed, at most once a minute. */
const MINUTE_MS = 60_000;

type Reading = { readonly isWanted: boolean; readonly timeoutMs?: number };

function usePart<Part>(mint: string, part: string, { isWanted, ...patience }: Reading) {
  return useQuery({
    queryKey: ["token", mint, part],
    queryFn: ({ signal }) =>
      api<Part>(`/api/token/${encodeURIComponent(mint)}/exitability/${part}`, {
        signal,
        ...patience,
      }),
    staleTime: MINUTE_MS,
    refetchInterval: MINUTE_MS,
    enabled: isWanted,
  });
}

/** The exits after the largest holders have sold. */
export function useHoldersFirst(mint: string, isWanted: boolean) {
  const reading = { isWanted, timeoutMs: LONG_ANSWER_MS };
  return usePart<HoldersFirst>(mint, "holders-first", reading);
}

/** What waiting cost over the last day. */
export function usePastDay(mint: string, isWanted: boolean) {
  return usePart<PastDay>(mint, "past-day", { isWanted });
}
