import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { api } from "../../lib/api.ts";
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
  readonly slippage_before_pct: number | null;
  readonly slippage_after_pct: number | null;
  readonly since: string;
  readonly created_at: string;
  readonly text: string;
  readonly grade: {
    readonly graded_at: string;
    readonly was_worse: boolean;
    readonly waited_cost_pct: number | null;
  } | null;
};

type Feed = { readonly items: readonly AlertItem[] };

export function useAlerts(isWanted: boolean) {
  const { language } = usePreferences();
  return useQuery({
    queryKey: ["alerts", language],
    queryFn: ({ signal }) => api<Feed>("/api/account/alerts?limit=50", { signal, language }),
    enabled: isWanted,
  });
}

/** Reads the feed again whenever an alert is pushed; returns whether the connection is open. */
export function useLiveAlerts(isWanted: boolean): boolean {
  const client = useQueryClient();
  const [isOpen, setIsOpen] = useState(false);
  useEffect(() => {
    if (!isWanted) return;
    const source = new EventSource("/api/account/alerts/stream");
    source.addEventListener("alert", () => {
      void client.invalidateQueries({ queryKey: ["alerts"] });
    });
    source.onopen = () => setIsOpen(true);
    source.onerror = () => setIsOpen(false);
    return () => source.close();
  }, [isWanted, client]);
  return isOpen;
}
