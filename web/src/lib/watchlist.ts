import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { WatchlistItem } from "#client/openapi.ts";
import { api } from "./api.ts";
import { tellStep } from "./funnel.ts";
import { OWN_QUERY } from "./session.ts";

type Watchlist = { readonly items: readonly WatchlistItem[] };

const PATH = "/api/oracle/watchlist";
export const WATCHLIST_QUERY = [...OWN_QUERY, "watchlist"] as const;
const REFRESH_MS = 5_000;

export function useWatchlist(isWanted: boolean) {
  return useQuery({
    queryKey: WATCHLIST_QUERY,
    queryFn: ({ signal }) => api<Watchlist>(PATH, { signal }),
    refetchInterval: REFRESH_MS,
    enabled: isWanted,
  });
}

export type EntryChange = {
  readonly id: number;
  readonly size_sol?: number;
  readonly alerts_enabled?: boolean;
};

/** The list with an entry's alerts switched. A new size is not shown before its own figures have come. */
function withAlerts({ items }: Watchlist, { id, alerts_enabled }: EntryChange): Watchlist {
  return {
    items: items.map((item) =>
      item.id === id && alerts_enabled !== undefined ? { ...item, alerts_enabled } : item,
    ),
  };
}

export function useWatchlistActions() {
  const client = useQueryClient();
  const onSuccess = () => client.invalidateQueries({ queryKey: WATCHLIST_QUERY });
  const show = (change: EntryChange) =>
    client.setQueryData<Watchlist>(WATCHLIST_QUERY, (held) => held && withAlerts(held, change));
  const add = useMutation({
    mutationFn: (entry: { readonly mint: string; readonly size_sol: number }) =>
      api(PATH, { method: "POST", body: entry }),
    onSuccess: async () => {
      tellStep("watchlist_add");
      await onSuccess();
    },
  });
  const change = useMutation({
    mutationFn: (body: EntryChange) => api(PATH, { method: "PATCH", body }),
    // Shown at once, and taken back where it fails: the list can't be read again without a network.
    onMutate: (change) => {
      void client.cancelQueries({ queryKey: WATCHLIST_QUERY });
      show(change);
    },
    // The switch alone: figures that were read meanwhile stay, and a list that was left is not put back.
    onError: (_error, { id, alerts_enabled }) => {
      if (alerts_enabled !== undefined) show({ id, alerts_enabled: !alerts_enabled });
    },
    onSettled: onSuccess,
  });
  const remove = useMutation({
    mutationFn: (id: number) => api(`${PATH}?id=${id}`, { method: "DELETE" }),
    onSuccess,
  });
  return { add, change, remove };
}
