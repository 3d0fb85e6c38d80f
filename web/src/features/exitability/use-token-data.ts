import { useQuery } from "@tanstack/react-query";
import type { ExitAt, History, Pools, StressedExit, Token } from "#client/openapi.ts";
import { api } from "../../lib/api.ts";
import { serverNowMs } from "../../lib/connection.ts";
import { pollMs } from "./poll-ms.ts";
import { exitPath, type Sale } from "./token-search.ts";

/** Whether the mint has a power; null address unless it is set. */
export type Power = Token["mint_authority"];

export type PoolRow = NonNullable<Pools["pools"]>[number] & {
  readonly status: "open" | "paused" | "not-open-yet" | "complete" | "migrated";
};

export type StressedPool = NonNullable<StressedExit["pools"]>[number];

export type StressedLock = NonNullable<StressedPool["locks"]>[number];

export type HistoryAlert = History["alerts"][number];

export type HistoryPoint = History["points"][number];

export const RANGES = ["hour", "day", "week"] as const;
export type Range = (typeof RANGES)[number];

const RANGE_SECONDS: Readonly<Record<Range, number>> = { hour: 3_600, day: 86_400, week: 604_800 };
const POINTS = 240;
const REFRESH_MS = 15_000;
/** While an alert is on whose cause has not been read yet. */
const URGENT_MS = 2_000;
/** Holders of pool shares are read at most once a minute, and mints change rarely. */
const RARE = { refetchInterval: 60_000, staleTime: 60_000 } as const;
/** Figures of a size that was left are not shown again later. */
const FORGOTTEN_MS = 10_000;

const path = (mint: string, rest = "") => `/api/token/${encodeURIComponent(mint)}${rest}`;

export function useTokenFacts(mint: string) {
  return useQuery({
    queryKey: ["token", mint, "facts"],
    queryFn: ({ signal }) => api<Token>(path(mint), { signal }),
    ...RARE,
  });
}

export function usePools(mint: string) {
  return useQuery({
    queryKey: ["token", mint, "pools"],
    queryFn: ({ signal }) =>
      api<Omit<Pools, "pools"> & { readonly pools: readonly PoolRow[] | null }>(
        path(mint, "/pools"),
        { signal },
      ),
    refetchInterval: REFRESH_MS,
  });
}

/** The exits after the largest withdrawal that one owner can make. */
export function useStressed(mint: string) {
  return useQuery({
    queryKey: ["token", mint, "stressed"],
    queryFn: ({ signal }) =>
      api<StressedExit>(path(mint, "/exitability/stressed?profile=retail"), { signal }),
    ...RARE,
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
      const to = new Date(serverNowMs());
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
 * each has it read again. A sale in dollars is the same one while the price of SOL moves.
 */
export function useExitAt(mint: string, sale: Sale, solUsd: number | null, isPushed: boolean) {
  const wanted = exitPath(mint, sale, solUsd);
  return useQuery({
    queryKey: ["token", mint, "at", sale],
    queryFn: ({ signal }) => api<ExitAt>(wanted ?? "", { signal }),
    refetchInterval: ({ state }) => pollMs(state, isPushed, serverNowMs()),
    gcTime: FORGOTTEN_MS,
    enabled: wanted !== null,
  });
}
