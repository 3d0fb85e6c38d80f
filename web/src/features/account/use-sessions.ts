import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "../../lib/api.ts";

export type SessionItem = {
  readonly id: string;
  readonly is_current: boolean;
  readonly created_at: string;
  readonly expires_at: string;
  readonly user_agent: string | null;
};

const PATH = "/api/account/sessions";
const QUERY = ["sessions"] as const;

export function useSessions() {
  return useQuery({
    queryKey: QUERY,
    queryFn: ({ signal }) => api<{ readonly items: readonly SessionItem[] }>(PATH, { signal }),
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
