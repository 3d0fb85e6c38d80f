import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { AddedChannel, Channel, Channels } from "#client/openapi.ts";
import { api } from "./api.ts";
import { OWN_QUERY } from "./session.ts";

export type ChannelKind = Channel["kind"];

/** Whether alerts are sent to a channel. */
export function isWorking({ enabled, status }: Channel): boolean {
  return enabled && status === "verified";
}

/** Whether alerts are sent anywhere. */
export function hasWorkingChannel({ items }: Channels): boolean {
  return items.some(isWorking);
}

export type TestOutcome = {
  readonly status: "sent" | "failed";
  readonly error: string | null;
};

const PATH = "/api/account/channels";
export const CHANNELS_QUERY = [...OWN_QUERY, "channels"] as const;

export function useChannels(isWanted: boolean) {
  return useQuery({
    queryKey: CHANNELS_QUERY,
    queryFn: ({ signal }) => api<Channels>(PATH, { signal }),
    enabled: isWanted,
  });
}

type Switch = { readonly id: string; readonly enabled: boolean };

export function useChannelActions() {
  const client = useQueryClient();
  const onSuccess = () => client.invalidateQueries({ queryKey: CHANNELS_QUERY });
  const show = ({ id, enabled }: Switch) =>
    client.setQueryData<Channels>(
      CHANNELS_QUERY,
      (held) =>
        held && {
          ...held,
          items: held.items.map((item) => (item.id === id ? { ...item, enabled } : item)),
        },
    );
  const add = useMutation({
    mutationFn: (body: { readonly kind: ChannelKind; readonly target: string }) =>
      api<AddedChannel>(PATH, { method: "POST", body }),
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
    mutationFn: (body: Switch) => api(PATH, { method: "PATCH", body }),
    // Shown at once, and taken back where it fails: the list can't be read again without a network.
    onMutate: (change) => {
      void client.cancelQueries({ queryKey: CHANNELS_QUERY });
      show(change);
    },
    onError: (_error, { id, enabled }) => void show({ id, enabled: !enabled }),
    onSettled: onSuccess,
  });
  const remove = useMutation({
    mutationFn: (id: string) => api(`${PATH}?id=${encodeURIComponent(id)}`, { method: "DELETE" }),
    onSuccess: (_, id) => {
      // What was to be done with the channel next is done with.
      if (add.data?.id === id) add.reset();
      return onSuccess();
    },
  });
  return { add, verify, test, change, remove };
}
