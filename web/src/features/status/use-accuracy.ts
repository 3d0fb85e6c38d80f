import { useQuery } from "@tanstack/react-query";
import { ApiError, api } from "../../lib/api.ts";

export type AccuracyWindow = "hour" | "day" | "month";

export type Accuracy = {
  readonly venues: readonly {
    readonly program: string;
    readonly deployed_slot: number | null;
    readonly deployment: {
      readonly state: "upgradeable" | "final" | "immutable" | "unknown";
      readonly upgrade_seen_at: string | null;
    };
    /** By the deployed program, in a VM of the service; null: none. */
    readonly executed: { readonly sales: number; readonly equal: number } | null;
    readonly windows: Readonly<
      Record<
        AccuracyWindow,
        {
          readonly seen: number;
          readonly replayed: number;
          readonly exact: number;
          readonly within_1bp: number;
          readonly worst_bps: number | null;
          readonly skipped: Readonly<Record<string, number>>;
        }
      >
    >;
  }[];
  readonly quoted_vs_executed: readonly {
    readonly age_seconds: number;
    readonly windows: Readonly<
      Record<
        "day" | "month",
        {
          readonly compared: number;
          readonly p10_bps: number | null;
          readonly p50_bps: number | null;
          readonly p90_bps: number | null;
          readonly p99_bps: number | null;
        }
      >
    >;
  }[];
};

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
