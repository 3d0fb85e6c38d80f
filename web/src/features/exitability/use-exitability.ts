import { type QueryClient, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import type { Exitability } from "#client/openapi.ts";
import { api } from "../../lib/api.ts";
import { useLiveToken } from "../../lib/live/use-live.ts";
import { usePreferences } from "../../lib/preferences.tsx";
import { exitabilityPath, type Profile } from "./token-search.ts";
import { POLL_MS, PUSHED_POLL_MS } from "./use-token-data.ts";

/** A sale's figures follow the chain at most this often: each is a request, and pages have 120 a minute. */
const LEAST_BETWEEN_MS = 5_000;

const queryKey = (mint: string, profile: Profile, language: string) =>
  ["token", mint, "exitability", profile, language] as const;

/** The contract's answer for one profile. */
export function useExitability(mint: string, profile: Profile, isPushed: boolean) {
  const { language } = usePreferences();
  const isPushedHere = isPushed && profile === "retail";
  return useQuery({
    queryKey: queryKey(mint, profile, language),
    queryFn: ({ signal }) => api<Exitability>(exitabilityPath(mint, profile), { signal }),
    refetchInterval: isPushedHere ? PUSHED_POLL_MS : POLL_MS,
  });
}

/**
 * Takes the retail answers of the stream, and has the sale's figures read again with each. Returns
 * whether the stream is open, so that the page polls if it is not.
 */
export function useLiveExitability(mint: string, isWanted: boolean): boolean {
  const { language } = usePreferences();
  const client = useQueryClient();
  // The sale was read just before the first answer comes.
  const readAtMs = useRef<number | null>(null);
  return useLiveToken<Exitability>(mint, isWanted, (answer) => {
    takeAnswer(client, queryKey(mint, "retail", language), answer);
    const nowMs = Date.now();
    readAtMs.current ??= nowMs;
    if (document.hidden || nowMs - readAtMs.current < LEAST_BETWEEN_MS) return;
    readAtMs.current = nowMs;
    void client.invalidateQueries({ queryKey: ["token", mint, "at"] });
  });
}

/** The stream speaks the language of the tab that holds it: another notice is asked for in ours. */
function takeAnswer(
  client: QueryClient,
  key: ReturnType<typeof queryKey>,
  answer: Exitability,
): void {
  const held = client.getQueryData<Exitability>(key);
  if (held !== undefined && held.updated_at > answer.updated_at) return;
  const isSameNotice =
    held !== undefined && held.confianza === answer.confianza && held.state === answer.state;
  if (isSameNotice) client.setQueryData(key, { ...answer, aviso: held.aviso });
  else void client.invalidateQueries({ queryKey: key });
}
