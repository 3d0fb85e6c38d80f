import { useQuery } from "@tanstack/react-query";
import type { Accuracy } from "#client/openapi.ts";
import { ApiError, api } from "../../lib/api.ts";

export type WindowName = "hour" | "day" | "month";

const REFRESH_MS = 10_000;

/** How exact each venue's replays are; null where the service keeps no record. */
export function useAccuracy() {
  return useQuery({
    queryKey: ["accuracy"],
    queryFn: async ({ signal }): Promise<Accuracy | null> => {
      try {
        return await api<Accuracy>("/api/accuracy", { signal });
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return null;
        throw error;
      }
    },
    refetchInterval: REFRESH_MS,
  });
}
