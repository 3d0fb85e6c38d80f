import { useQuery } from "@tanstack/react-query";
import { api } from "./api.ts";

export type ChainOrigin = "demo" | "recorded" | "live";

export type ServiceStatus = {
  readonly chain: ChainOrigin;
  readonly chain_age_seconds: number | null;
  readonly slot: number | null;
  readonly slot_lag: number | null;
  readonly venues: readonly {
    readonly program: string;
    readonly family: string;
    readonly kind: string;
  }[];
  readonly version: string;
};

const REFRESH_MS = 5_000;

export function useStatus({ isLive = false } = {}) {
  return useQuery({
    queryKey: ["status"],
    queryFn: ({ signal }) => api<ServiceStatus>("/api/status", { signal }),
    staleTime: REFRESH_MS,
    ...(isLive ? { refetchInterval: REFRESH_MS } : {}),
  });
}
