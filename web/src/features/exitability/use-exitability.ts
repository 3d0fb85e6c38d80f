import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { ExitabilityBody } from "#src/api/measuring/exitability-body.ts";
import { api } from "../../lib/api.ts";
import { usePreferences } from "../../lib/preferences.tsx";

export type Profile = ExitabilityBody["profile"];

const POLL_MS = 5_000;

const queryKey = (mint: string, profile: Profile, language: string) =>
  ["token", mint, "exitability", profile, language] as const;

/** The contract's answer for one profile; asked again every few seconds while nothing is pushed. */
export function useExitability(mint: string, profile: Profile, isPushed: boolean) {
  const { language } = usePreferences();
  return useQuery({
    queryKey: queryKey(mint, profile, language),
    queryFn: ({ signal }) =>
      api<ExitabilityBody>(
        `/api/token/${encodeURIComponent(mint)}/exitability?profile=${profile}`,
        {
          signal,
          language,
        },
      ),
    refetchInterval: isPushed ? false : POLL_MS,
  });
}

/**
 * Takes new answers as the service pushes them. Returns whether the connection is open, so that the page
 * polls if it is not.
 */
export function useLiveExitability(mint: string, isWanted: boolean): boolean {
  const { language } = usePreferences();
  const client = useQueryClient();
  const [isOpen, setIsOpen] = useState(false);
  useEffect(() => {
    if (!isWanted) return;
    const sources = (["retail", "pro"] as const).map((profile) => {
      const path = `/api/token/${encodeURIComponent(mint)}/exitability/stream?profile=${profile}`;
      const source = new EventSource(path);
      let lastNotice: string | null | undefined;
      source.addEventListener("exitability", (event: MessageEvent<string>) => {
        const answer: ExitabilityBody = JSON.parse(event.data);
        const key = queryKey(mint, profile, language);
        // The stream speaks the browser's language, which need not be the reader's: where the notice
        // is another than before, the answer is asked for in theirs.
        const isOtherNotice = lastNotice !== undefined && lastNotice !== answer.aviso;
        lastNotice = answer.aviso;
        client.setQueryData<ExitabilityBody>(key, (held) =>
          held === undefined || held.confianza !== answer.confianza
            ? held
            : { ...answer, aviso: held.aviso },
        );
        const isConfidenceOther =
          client.getQueryData<ExitabilityBody>(key)?.confianza !== answer.confianza;
        if (isOtherNotice || isConfidenceOther) void client.invalidateQueries({ queryKey: key });
      });
      source.onopen = () => setIsOpen(true);
      source.onerror = () => setIsOpen(false);
      return source;
    });
    return () => {
      for (const source of sources) source.close();
      setIsOpen(false);
    };
  }, [mint, isWanted, language, client]);
  return isOpen;
}
