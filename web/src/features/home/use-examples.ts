import { useQuery } from "@tanstack/react-query";
import type { Examples } from "#client/openapi.ts";
import { api } from "../../lib/api.ts";

export function useExamples() {
  return useQuery({
    queryKey: ["examples"],
    queryFn: ({ signal }) => api<Examples>("/api/examples", { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
}
