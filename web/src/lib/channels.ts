import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "./api.ts";

export const CHANNEL_KINDS = ["email", "webhook", "telegram"] as const;
export type ChannelKind = (typeof CHANNEL_KINDS)[number];

export type Channel = {
  readonly id: string;
  readonly kind: ChannelKind;
  readonly target: string;
  readonly status: "pending" | "verified" | "failing";
  readonly enabled: boolean;
  readonly last_error: string | null;
};

type Channels = {
  readonly items: readonly Channel[];
  readonly dead_letters: readonly {
    readonly alert_id: string;
    readonly kind: ChannelKind;
    readonly failed_at: string;
    readonly error: string;
  }[];
};

export type NewChannel = {
  readonly id: string;
  readonly secret: string | null;
  readonly verification: string;
};

export type TestOutcome = {
  readonly status: "sent" | "failed";
  readonly error: string | null;
};

const PATH = "/api/account/channels";
const QUERY = ["channels"] as const;

export function useChannels(isWanted: boolean) {
  return useQuery({
    queryKey: QUERY,
    queryFn: ({ signal }) => api<Channels>(PATH, { signal }),
    enabled: isWanted,
  });
}

export function useChannelActions() {
  const client = useQueryClient();
  const onSuccess = () => client.invalidateQueries({ queryKey: QUERY });
  const add = useMutation({
    mutationFn: (body: { readonly kind: ChannelKind; readonly target: string }) =>
      api<NewChannel>(PATH, { method: "POST", body }),
    onSuccess,
  });
  const verify = useMutation({
    mutationFn: ({ id, code }: { readonly id: string; readonly code: string }) =>
      api(`${PATH}/${encodeURIComponent(id)}/verify`, { method: "POST", body: { code } }),
    onSuccess,
  });
  const test = useMutation({
    mutationFn: (id: string) =>
      api<TestOutcome>(`${PATH}/${encodeURIComponent(id)}/test`, { method: "POST" }),
    onSuccess,
  });
  const change = useMutation({
    mutationFn: (body: { readonly id: string; readonly enabled: boolean }) =>
      api(PATH, { method: "PATCH", body }),
    // Shown at once; what the service then says replaces it, a refusal included.
    onMutate: ({ id, enabled }) => {
      void client.cancelQueries({ queryKey: QUERY });
      client.setQueryData<Channels>(
        QUERY,
        (held) =>
          held && {
            ...held,
            items: held.items.map((item) => (item.id === id ? { ...item, enabled } : item)),
          },
      );
    },
    onSettled: onSuccess,
  });
  const remove = useMutation({
    mutationFn: (id: string) => api(`${PATH}?id=${encodeURIComponent(id)}`, { method: "DELETE" }),
    onSuccess,
  });
  return { add, verify, test, change, remove };
}
