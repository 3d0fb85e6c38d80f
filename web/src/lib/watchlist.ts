import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { WatchlistItem } from "#client/openapi.ts";
import { api } from "./api.ts";
import { tellStep } from "./funnel.ts";

type Watchlist = { readonly items: readonly WatchlistItem[] };

const PATH = "/api/oracle/watchlist";
const QUERY = ["watchlist"] as const;
const REFRESH_MS = 5_000;

export function useWatchlist(isWanted: boolean) {
  return useQuery({
    queryKey: QUERY,
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

function withChange({ items }: Watchlist, change: EntryChange): Watchlist {
  return { items: items.map((item) => (item.id === change.id ? { ...item, ...change } : item)) };
}

export function useWatchlistActions() {
  const client = useQueryClient();
  const onSuccess = () => client.invalidateQueries({ queryKey: QUERY });
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
    // Shown at once; what the service then says replaces it, a refusal included.
    onMutate: (change) => {
      void client.cancelQueries({ queryKey: QUERY });
      client.setQueryData<Watchlist>(QUERY, (held) => held && withChange(held, change));
    },
    onSettled: onSuccess,
  });
  const remove = useMutation({
    mutationFn: (id: number) => api(`${PATH}?id=${id}`, { method: "DELETE" }),
    onSuccess,
  });
  return { add, change, remove };
}
