import { useQuery } from "@tanstack/react-query";
import { api } from "../../lib/api.ts";
import type { ChainOrigin } from "../../lib/status.ts";

export type Examples = {
  readonly chain: ChainOrigin;
  readonly tokens: readonly {
    readonly mint: string;
    readonly name: string | null;
    readonly symbol: string | null;
    readonly story: { readonly es: string; readonly en: string };
  }[];
};

export function useExamples() {
  return useQuery({
    queryKey: ["examples"],
    queryFn: ({ signal }) => api<Examples>("/api/examples", { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
}
