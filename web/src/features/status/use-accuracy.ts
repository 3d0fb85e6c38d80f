import { useQuery } from "@tanstack/react-query";
import { ApiError, api } from "../../lib/api.ts";

export type AccuracyWindow = "hour" | "day" | "month";

export type TokenAge = "under-1-day" | "1-to-7-days" | "over-7-days";

export type HeldWindow = {
  readonly judged: number;
  readonly held_80_pct: number | null;
  readonly held_98_pct: number | null;
  readonly below_p10_pct: number | null;
};

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
  readonly waiting_held: readonly {
    readonly size: string;
    readonly waited_seconds: number;
    readonly token_age: TokenAge;
    readonly windows: Readonly<Record<"day" | "month", HeldWindow>>;
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
