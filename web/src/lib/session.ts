import { useQuery } from "@tanstack/react-query";
import type { Account } from "#client/openapi.ts";
import { ApiError, api } from "./api.ts";

export const ACCOUNT_QUERY = ["account"] as const;
/** While it is not known who reads, it is asked again this often. */
const RETRY_MS = 5_000;

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
    // It may have been signed in or out on another tab.
    refetchOnWindowFocus: "always",
    refetchInterval: ({ state }) => (state.status === "error" ? RETRY_MS : false),
  });
}
