import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "../../lib/api.ts";

export type ApiKey = {
  readonly id: string;
  readonly hint: string;
  readonly status: "active" | "expiring" | "expired" | "revoked";
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly last_used_at: string | null;
  readonly used_today: number;
};

export type IssuedKey = { readonly id: string; readonly key: string; readonly hint: string };

const QUERY = ["api-keys"] as const;

export function useApiKeys(isWanted: boolean) {
  return useQuery({
    queryKey: QUERY,
    queryFn: ({ signal }) =>
      api<{ readonly items: readonly ApiKey[] }>("/api/account/keys", { signal }),
    enabled: isWanted,
  });
}

/** Activates, rotates or revokes; the list is read again after each. */
export function useKeyActions() {
  const client = useQueryClient();
  const onSuccess = () => client.invalidateQueries({ queryKey: QUERY });
  const activate = useMutation({
    mutationFn: () => api<IssuedKey>("/api/account/keys", { method: "POST" }),
    onSuccess,
  });
  const rotate = useMutation({
    mutationFn: () => api<IssuedKey>("/api/account/keys/rotate", { method: "POST" }),
    onSuccess,
  });
  const revoke = useMutation({
    mutationFn: (id: string) =>
      api(`/api/account/keys/${encodeURIComponent(id)}`, { method: "DELETE" }),
    onSuccess,
  });
  return { activate, rotate, revoke };
}
