import { useQuery } from "@tanstack/react-query";
import type { ExitabilityBody } from "#src/api/measuring/exitability-body.ts";
import { api } from "../../lib/api.ts";
import { exitPath, type Profile, type Sale } from "./token-search.ts";

/** Whether the mint has a power; null address unless it is set. */
export type Power = {
  readonly status: "none" | "set" | "unknown";
  readonly address: string | null;
};

export type TokenFacts = {
  readonly token_id: string;
  readonly name: string | null;
  readonly symbol: string | null;
  readonly decimals: number | null;
  readonly supply_tokens: number | null;
  readonly mint_authority: Power;
  readonly freeze_authority: Power;
  readonly permanent_delegate: Power;
  readonly transfer_hook: Power & { readonly authority: Power };
  readonly transfer_fee: {
    readonly status: Power["status"];
    readonly fee_pct: number | null;
    readonly max_fee_units: string | null;
    readonly authority: Power;
    readonly announced: { readonly status: Power["status"]; readonly fee_pct: number | null };
  };
  readonly pausable: {
    readonly status: Power["status"];
    readonly is_paused: boolean | null;
    readonly authority: Power;
  };
  readonly accounts_start_frozen: boolean | null;
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

export type StressedPool = {
  readonly program: string;
  readonly address: string;
  readonly depth_sol: number | null;
  readonly who: "known" | "nobody" | "unknown";
  readonly largest_pct: number | null;
  readonly burned_pct: number | null;
  /** Locked for good. */
  readonly locked_pct: number | null;
  /** In locks that open at a date. */
  readonly time_locked_pct: number | null;
  readonly locks: readonly StressedLock[] | null;
  readonly locks_not_listed: number | null;
};

export type StressedLock = {
  readonly locker: string;
  readonly owner: string;
  readonly share_pct: number;
  readonly opens_next: { readonly at: string } | null;
  readonly opens_fully: { readonly at: string } | null;
  readonly reason: "revocable" | "undecodable" | "not-read" | null;
};

export type Stressed = {
  readonly state: "ok" | "partial" | "unknown" | "bloqueado_dato";
  readonly now: StressedLadder | null;
  readonly stressed: StressedLadder | null;
  readonly withdrawal: {
    readonly owner: string;
    readonly owner_kind: "wallet" | "program";
    readonly depth_sol: number;
    readonly share_pct: number;
  } | null;
  readonly pools: readonly StressedPool[] | null;
};

type StressedLadder = {
  readonly depth_sol: number;
  readonly slippage: Readonly<Record<string, number | null>>;
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
  readonly depth_before_sol: number | null;
  readonly depth_after_sol: number | null;
};

export type HistoryPoint = {
  readonly t: string;
  readonly c10_sol: number | null;
  readonly depth_sol: number | null;
  /** SOL per whole token. */
  readonly precio_mid: number | null;
  readonly slippage: Readonly<Record<string, number | null>>;
};

export type History = {
  readonly token_id: string;
  readonly step_seconds: number;
  readonly points: readonly HistoryPoint[];
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
  readonly updated_at: string;
  readonly size_sol: number | null;
  readonly tokens_sold: number | null;
  readonly net_sol: number | null;
  readonly slippage_pct: number | null;
  readonly price_impact_pct: number | null;
  readonly average_price: number | null;
  readonly capacity_sol: number | null;
  readonly routes: readonly {
    readonly share_pct: number;
    readonly net_sol: number;
    readonly legs: readonly {
      readonly program: string;
      readonly pool: string;
      readonly output_mint: string;
      readonly instruction: string | null;
    }[];
  }[];
};

export const RANGES = ["hour", "day", "week"] as const;
export type Range = (typeof RANGES)[number];

const RANGE_SECONDS: Readonly<Record<Range, number>> = { hour: 3_600, day: 86_400, week: 604_800 };
const POINTS = 240;
const REFRESH_MS = 15_000;
/** Asked again this often where nothing is pushed, and less often where it is. */
export const POLL_MS = 5_000;
export const PUSHED_POLL_MS = 15_000;
/** While an alert is on whose cause has not been read yet. */
const URGENT_MS = 2_000;
/** Holders of pool shares are read at most once a minute. */
const HOLDERS_MS = 60_000;
/** Figures of a size that was left are not shown again later. */
const FORGOTTEN_MS = 10_000;

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

/** The exits after the largest withdrawal that one owner can make. */
export function useStressed(mint: string, profile: Profile, isWanted: boolean) {
  return useQuery({
    queryKey: ["token", mint, "stressed", profile],
    queryFn: ({ signal }) =>
      api<Stressed>(path(mint, `/exitability/stressed?profile=${profile}`), { signal }),
    refetchInterval: HOLDERS_MS,
    staleTime: HOLDERS_MS,
    enabled: isWanted,
  });
}

export function useHistory(
  mint: string,
  range: Range,
  { isWanted = true, isAlerting = false } = {},
) {
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
    refetchInterval: ({ state }) => {
      const isExplained = state.data?.alerts.some(({ ended_at }) => ended_at === null) ?? true;
      return isAlerting && !isExplained ? URGENT_MS : REFRESH_MS;
    },
    enabled: isWanted,
  });
}

/**
 * What a sale pays now. The data are of exactly this sale, or there are none. Where answers are pushed,
 * each has it read again.
 */
export function useExitAt(mint: string, sale: Sale, solUsd: number | null, isPushed: boolean) {
  const wanted = exitPath(mint, sale, solUsd);
  return useQuery({
    queryKey: ["token", mint, "at", wanted],
    queryFn: ({ signal }) => api<ExitAt>(wanted ?? "", { signal }),
    refetchInterval: isPushed ? PUSHED_POLL_MS : POLL_MS,
    gcTime: FORGOTTEN_MS,
    enabled: wanted !== null,
  });
}
