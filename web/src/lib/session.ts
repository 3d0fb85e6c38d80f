import { useQuery } from "@tanstack/react-query";
import { ApiError, api } from "./api.ts";

export type Account = {
  readonly user_id: string;
  readonly email: string | null;
  readonly tier: string;
  readonly created_at: string;
  readonly limits: {
    readonly daily_queries: number | null;
    readonly watchlist_tokens: number;
    readonly fair_use_per_minute: number;
  };
  readonly usage: {
    readonly policy: "day" | "minute";
    readonly limit: number;
    readonly used: number;
    readonly remaining: number;
    readonly resets_at: string;
  };
};

const ACCOUNT_QUERY = ["account"] as const;

/** The signed-in user, or null. */
export function useAccount() {
  return useQuery({
    queryKey: ACCOUNT_QUERY,
    queryFn: async ({ signal }): Promise<Account | null> => {
      try {
        return await api<Account | null>("/api/account/me", { signal });
      } catch (error) {
        if (error instanceof ApiError && error.status === 401) return null;
        throw error;
      }
    },
    staleTime: 30_000,
  });
}
