import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { ApiKey, IssuedKey } from "#client/openapi.ts";
import { api } from "../../lib/api.ts";

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
