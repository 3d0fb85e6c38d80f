import { useQuery } from "@tanstack/react-query";
import type { Status } from "#client/openapi.ts";
import { api } from "./api.ts";
import { useConnection } from "./connection.ts";
import { useNowMs } from "./now.ts";

export type ChainOrigin = Status["chain"];

const REFRESH_MS = 10_000;
/** While the service does not answer, it is asked again this often. */
const RETRY_MS = 2_500;
export const LATE_SECONDS = 30;

export function useStatus() {
  const connection = useConnection();
  return useQuery({
    queryKey: ["status"],
    queryFn: ({ signal }) => api<Status>("/api/status", { signal }),
    staleTime: REFRESH_MS,
    retry: false,
    refetchInterval: connection === "fine" ? REFRESH_MS : RETRY_MS,
  });
}

export type ChainAge = {
  /** By this browser's count since the last answer; null: not known. */
  readonly ageSeconds: number | null;
  /** The last answer is recent enough that its age can be trusted. */
  readonly isChecked: boolean;
};

/** The chain's age, counted on here; unchecked as soon as the service has not answered for a while. */
export function useChainAge(): ChainAge {
  const { data, dataUpdatedAt } = useStatus();
  const connection = useConnection();
  // Read again each second; the time of the answer is by this browser's own clock.
  useNowMs();
  const sinceMs = Math.max(0, Date.now() - dataUpdatedAt);
  const known = data?.chain_age_seconds ?? null;
  return {
    ageSeconds: known === null ? null : known + sinceMs / 1_000,
    isChecked: data !== undefined && connection === "fine" && sinceMs < 3 * REFRESH_MS,
  };
}
