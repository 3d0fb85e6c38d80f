import { useQuery } from "@tanstack/react-query";
import type { Account } from "#client/openapi.ts";
import { ApiError, api } from "./api.ts";

export const ACCOUNT_QUERY = ["account"] as const;
/** What the keys of all other queries about the signed-in user begin with. */
export const OWN_QUERY = ["own"] as const;
/** While it is not known who reads, it is asked again this often. */
const RETRY_MS = 5_000;

/** The signed-in user, or null. */
export function useAccount() {
  return useQuery({
    queryKey: ACCOUNT_QUERY,
    queryFn: async ({ client, signal }) => {
      const account = await readAccount(signal);
      const held = client.getQueryData<Account | null>(ACCOUNT_QUERY);
      // The next user must not see what was read for the one before, not even until their own answers come.
      if (held?.user_id !== account?.user_id) client.removeQueries({ queryKey: OWN_QUERY });
      return account;
    },
    staleTime: 30_000,
    // It may have been signed in or out on another tab.
    refetchOnWindowFocus: "always",
    refetchInterval: ({ state }) => (state.status === "error" ? RETRY_MS : false),
  });
}

async function readAccount(signal: AbortSignal): Promise<Account | null> {
  try {
    return await api<Account | null>("/api/account/me", { signal });
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return null;
    throw error;
  }
}
