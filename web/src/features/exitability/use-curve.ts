import { useQuery } from "@tanstack/react-query";
import type { Curve } from "#client/openapi.ts";
import { api, LONG_ANSWER_MS } from "../../lib/api.ts";

export type CurvePoint = Curve["points"][number];

const REFRESH_MS = 15_000;

/** The loss at sizes so close together that no segment of the line is a guess. */
export function useCurve(mint: string) {
  return useQuery({
    queryKey: ["token", mint, "curve"],
    queryFn: ({ signal }) =>
      api<Curve>(`/api/token/${encodeURIComponent(mint)}/exitability/curve`, {
        signal,
        timeoutMs: LONG_ANSWER_MS,
      }),
    refetchInterval: REFRESH_MS,
  });
}
