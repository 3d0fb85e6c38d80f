import { useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "../../lib/api.ts";
import { useLiveAlerts } from "../../lib/live/use-live.ts";
import { usePreferences } from "../../lib/preferences.tsx";

export type AlertItem = {
  readonly id: string;
  readonly mint: string;
  readonly token_name: string | null;
  readonly token_symbol: string | null;
  readonly size_sol: number;
  readonly kind: "deterioration" | "slippage" | "no-exit" | "blocked";
  readonly cause: "liquidity-withdrawn" | "sells" | "fees-raised" | "trading-paused" | "unknown";
  readonly share_pct: number | null;
  readonly gone_pct: number | null;
  readonly slippage_before_pct: number | null;
  readonly slippage_after_pct: number | null;
  readonly c10_before_sol: number | null;
  readonly c10_after_sol: number | null;
  readonly depth_before_sol: number | null;
  readonly depth_after_sol: number | null;
  readonly since: string;
  readonly created_at: string;
  readonly grade: {
    readonly graded_at: string;
    readonly was_worse: boolean;
    readonly waited_cost_pct: number | null;
  } | null;
};

type Feed = { readonly items: readonly AlertItem[] };

/** The newest alerts of the user; read again whenever one is pushed. */
export function useAlerts(isWanted: boolean) {
  const { language } = usePreferences();
  const client = useQueryClient();
  useLiveAlerts(isWanted, () => void client.invalidateQueries({ queryKey: ["alerts"] }));
  return useQuery({
    queryKey: ["alerts", language],
    queryFn: ({ signal }) => api<Feed>("/api/account/alerts?limit=50", { signal }),
    enabled: isWanted,
    refetchInterval: 60_000,
  });
}
