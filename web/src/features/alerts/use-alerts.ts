import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { Alert } from "#client/openapi.ts";
import { api } from "../../lib/api.ts";
import { useLiveAlerts } from "../../lib/live/use-live.ts";
import { usePreferences } from "../../lib/preferences.tsx";
import { OWN_QUERY } from "../../lib/session.ts";

const QUERY = [...OWN_QUERY, "alerts"] as const;

type Feed = { readonly items: readonly Alert[] };

/** The newest alerts of the user; read again whenever one is pushed. */
export function useAlerts(isWanted: boolean) {
  const { language } = usePreferences();
  const client = useQueryClient();
  useLiveAlerts(isWanted, () => void client.invalidateQueries({ queryKey: QUERY }));
  return useQuery({
    queryKey: [...QUERY, language],
    queryFn: ({ signal }) => api<Feed>("/api/account/alerts?limit=50", { signal }),
    enabled: isWanted,
    refetchInterval: 60_000,
  });
}
