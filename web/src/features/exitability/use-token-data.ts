import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { ExitabilityBody } from "#src/api/measuring/exitability-body.ts";
import { api } from "../../lib/api.ts";
import type { Profile } from "./use-exitability.ts";

export type TokenFacts = {
  readonly token_id: string;
  readonly name: string | null;
  readonly symbol: string | null;
};

export type PoolRow = {
  readonly program: string;
  readonly amm: ExitabilityBody["amm"];
  readonly address: string;
  readonly quote_mint: string;
  readonly status: "open" | "paused" | "not-open-yet" | "complete" | "migrated";
  readonly depth_sol: number;
  readonly share_pct: number | null;
  readonly spot_price: number | null;
  readonly fee_pct: number;
};

export type AlertCause =
  | "liquidity-withdrawn"
  | "sells"
  | "fees-raised"
  | "trading-paused"
  | "unknown";

export type HistoryAlert = {
  readonly id: string;
  readonly started_at: string;
  readonly ended_at: string | null;
  readonly cause: AlertCause;
  readonly share_pct: number | null;
  readonly slot: number;
  readonly c10_before_sol: number | null;
  readonly c10_after_sol: number | null;
};

export type History = {
  readonly token_id: string;
  readonly step_seconds: number;
  readonly points: readonly {
    readonly t: string;
    readonly c10_sol: number | null;
    readonly depth_sol: number | null;
  }[];
  readonly alerts: readonly HistoryAlert[];
};

export type ExitAt = {
  readonly state: "ok" | "bloqueado_dato" | "no_exit";
  readonly reason:
    | "exceeds-supply"
    | "insufficient-liquidity"
    | "size-not-allowed"
    | "no-market"
    | "too-small"
    | "blocked"
    | null;
  readonly size_sol: number | null;
  readonly net_sol: number | null;
  readonly slippage_pct: number | null;
  readonly price_impact_pct: number | null;
  readonly average_price: number | null;
  readonly routes: readonly {
    readonly share_pct: number;
    readonly net_sol: number;
    readonly legs: readonly { readonly program: string; readonly pool: string }[];
  }[];
};

export type Range = "hour" | "day" | "week";

const RANGE_SECONDS: Readonly<Record<Range, number>> = { hour: 3_600, day: 86_400, week: 604_800 };
const POINTS = 240;
const REFRESH_MS = 10_000;

const path = (mint: string, rest = "") => `/api/token/${encodeURIComponent(mint)}${rest}`;

export function useTokenFacts(mint: string) {
  return useQuery({
    queryKey: ["token", mint, "facts"],
    queryFn: ({ signal }) => api<TokenFacts>(path(mint), { signal }),
    staleTime: 60_000,
  });
}

export function usePools(mint: string, isWanted: boolean) {
  return useQuery({
    queryKey: ["token", mint, "pools"],
    queryFn: ({ signal }) =>
      api<{ readonly pools: readonly PoolRow[] | null }>(path(mint, "/pools"), { signal }),
    refetchInterval: REFRESH_MS,
    enabled: isWanted,
  });
}

export function useHistory(mint: string, range: Range, isWanted: boolean) {
  return useQuery({
    queryKey: ["token", mint, "history", range],
    queryFn: ({ signal }) => {
      const seconds = RANGE_SECONDS[range];
      const to = new Date();
      const from = new Date(to.getTime() - seconds * 1_000);
      const step = Math.max(10, Math.round(seconds / POINTS / 10) * 10);
      const query = `from=${from.toISOString()}&to=${to.toISOString()}&step=${step}`;
      return api<History>(path(mint, `/history?${query}`), { signal });
    },
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
    enabled: isWanted,
  });
}

export function useExitAt(mint: string, size: string, profile: Profile, isWanted: boolean) {
  return useQuery({
    queryKey: ["token", mint, "at", size, profile],
    queryFn: ({ signal }) =>
      api<ExitAt>(path(mint, `/exitability/at?size=${size}&profile=${profile}`), { signal }),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
    enabled: isWanted,
  });
}
