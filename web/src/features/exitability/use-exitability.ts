import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { ExitabilityBody } from "#src/wire/exitability.ts";
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
 * Takes new answers as the service pushes them. Says whether the connection stands, so that the page
 * asks by itself where it does not.
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
      source.addEventListener("exitability", (event: MessageEvent<string>) => {
        const answer: ExitabilityBody = JSON.parse(event.data);
        // The stream speaks one language: the notice is kept in the reader's own, which polling brings.
        client.setQueryData<ExitabilityBody>(queryKey(mint, profile, language), (held) =>
          held === undefined || held.confianza !== answer.confianza
            ? held
            : { ...answer, aviso: held.aviso },
        );
        void client.invalidateQueries({
          queryKey: queryKey(mint, profile, language),
          refetchType: "none",
        });
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
