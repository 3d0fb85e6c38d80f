import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { ApiKey, IssuedKey } from "#client/openapi.ts";
import { api } from "../../lib/api.ts";
import { OWN_QUERY } from "../../lib/session.ts";

const PATH = "/api/account/keys";
const QUERY = [...OWN_QUERY, "api-keys"] as const;

export function useApiKeys(isWanted: boolean) {
  return useQuery({
    queryKey: QUERY,
    queryFn: ({ signal }) => api<{ readonly items: readonly ApiKey[] }>(PATH, { signal }),
    enabled: isWanted,
  });
}

/** Issues a key, as the first one or in place of another, or revokes one; the list is read again after each. */
export function useKeyActions() {
  const client = useQueryClient();
  const onSuccess = () => client.invalidateQueries({ queryKey: QUERY });
  // One mutation for both, so that its data are always the newest key.
  const issue = useMutation({
    mutationFn: (step: "activate" | "rotate") =>
      api<IssuedKey>(step === "activate" ? PATH : `${PATH}/rotate`, { method: "POST" }),
    onSuccess,
  });
  const revoke = useMutation({
    mutationFn: (id: string) => api(`${PATH}/${encodeURIComponent(id)}`, { method: "DELETE" }),
    onSuccess,
  });
  return { issue, revoke };
}
