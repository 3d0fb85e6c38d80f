import { useQuery } from "@tanstack/react-query";
import { api } from "../../lib/api.ts";

export type CurvePoint = {
  readonly size_sol: number;
  readonly retail_pct: number | null;
  readonly pro_pct: number | null;
};

const REFRESH_MS = 15_000;

/** The loss at sizes so close together that no segment of the line is a guess. */
export function useCurve(mint: string) {
  return useQuery({
    queryKey: ["token", mint, "curve"],
    queryFn: ({ signal }) =>
      api<{ readonly points: readonly CurvePoint[] }>(
        `/api/token/${encodeURIComponent(mint)}/exitability/curve`,
        { signal },
      ),
    refetchInterval: REFRESH_MS,
  });
}
