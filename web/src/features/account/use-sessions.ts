import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { Session } from "#client/openapi.ts";
import { api } from "../../lib/api.ts";
import { OWN_QUERY } from "../../lib/session.ts";

const PATH = "/api/account/sessions";
const QUERY = [...OWN_QUERY, "sessions"] as const;

export function useSessions() {
  return useQuery({
    queryKey: QUERY,
    queryFn: ({ signal }) => api<{ readonly items: readonly Session[] }>(PATH, { signal }),
  });
}

/** Ends one session, or all but this one. */
export function useSessionActions() {
  const client = useQueryClient();
  const onSuccess = () => client.invalidateQueries({ queryKey: QUERY });
  const end = useMutation({
    mutationFn: (id: string) => api(`${PATH}/${encodeURIComponent(id)}`, { method: "DELETE" }),
    onSuccess,
  });
  const endOthers = useMutation({
    mutationFn: () => api(PATH, { method: "DELETE" }),
    onSuccess,
  });
  return { end, endOthers };
}
