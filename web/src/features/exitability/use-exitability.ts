import { type QueryClient, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useRef } from "react";
import type { ExitAt, Exitability } from "#client/openapi.ts";
import { api } from "../../lib/api.ts";
import { serverNowMs } from "../../lib/connection.ts";
import { useLiveToken } from "../../lib/live/use-live.ts";
import { usePreferences } from "../../lib/preferences.tsx";
import { paced } from "./paced.ts";
import { pollMs } from "./poll-ms.ts";
import { isOlder } from "./shown-exit.ts";
import { exitabilityPath, type Profile } from "./token-search.ts";

/** A sale's figures follow the chain at most this often: each is a request, and pages have 120 a minute. */
const PACE = { delayMs: 0, leastMs: 5_000 } as const;

const queryKey = (mint: string, profile: Profile, language: string) =>
  ["token", mint, "exitability", profile, language] as const;

/** The contract's answer for one profile. */
export function useExitability(mint: string, profile: Profile, isPushed: boolean) {
  const { language } = usePreferences();
  const isPushedHere = isPushed && profile === "retail";
  return useQuery({
    queryKey: queryKey(mint, profile, language),
    queryFn: ({ signal }) => api<Exitability>(exitabilityPath(mint, profile), { signal }),
    refetchInterval: ({ state }) => pollMs(state, isPushedHere, serverNowMs()),
  });
}

/**
 * The answers for both profiles, of one time: a split one is shown with the retail one that is known when it
 * arrives, and where nothing is pushed with one that is read after it. Their requests stay apart: each
 * connection in use at once is one more that can fall silent, and is found only after ten seconds.
 */
export function useBothProfiles(mint: string, isPushed: boolean) {
  const { language } = usePreferences();
  const client = useQueryClient();
  const retail = useExitability(mint, "retail", isPushed).data;
  const pro = useExitability(mint, "pro", isPushed).data;
  const both = useRef<{ readonly retail: Exitability; readonly pro: Exitability } | null>(null);
  const isBehind = !isPushed && retail !== undefined && pro !== undefined && isOlder(retail, pro);
  if (retail !== undefined && pro !== undefined && both.current?.pro !== pro && !isBehind)
    both.current = { retail, pro };
  useEffect(() => {
    if (isBehind) void client.invalidateQueries({ queryKey: queryKey(mint, "retail", language) });
  }, [isBehind, client, mint, language]);
  return both.current ?? { retail, pro };
}

/**
 * Takes the retail answers of the stream, and has the sale's figures read again with each; one that
 * comes too early has them read when the interval is over. Returns whether the stream is open, so
 * that the page polls if it is not.
 */
export function useLiveExitability(mint: string, isWanted: boolean): boolean {
  const { language } = usePreferences();
  const client = useQueryClient();
  const rereads = useMemo(
    () => paced((answer: Exitability) => rereadSale(client, mint, answer), PACE),
    [client, mint],
  );
  useEffect(() => () => rereads.cancel(), [rereads]);
  // The sale was read just before the first answer comes.
  const delayed = useRef<typeof rereads | null>(null);
  const streamed = useRef<Exitability | null>(null);
  return useLiveToken<Exitability>(mint, isWanted, (answer) => {
    const before = streamed.current?.token_id === mint ? streamed.current : null;
    streamed.current = answer;
    takeAnswer(client, queryKey(mint, "retail", language), { before, answer });
    if (delayed.current !== rereads) rereads.delay();
    delayed.current = rereads;
    rereads.ask(answer);
  });
}

/** Reads what is known of the token's sales again, where it is older than an answer. A hidden page waits until it is seen. */
function rereadSale(client: QueryClient, mint: string, answer: Exitability): void {
  if (document.hidden) return;
  void client.invalidateQueries({
    queryKey: ["token", mint, "at"],
    predicate: ({ state }) => {
      const exit = state.data as ExitAt | undefined;
      return exit === undefined || isOlder(exit, answer);
    },
  });
}

type Streamed = { readonly before: Exitability | null; readonly answer: Exitability };

/** The stream speaks the language of the tab that holds it: another notice is asked for in ours. */
function takeAnswer(
  client: QueryClient,
  key: ReturnType<typeof queryKey>,
  { before, answer }: Streamed,
): void {
  const held = client.getQueryData<Exitability>(key);
  if (held !== undefined && held.updated_at > answer.updated_at) return;
  const isSameNotice =
    held !== undefined &&
    held.confianza === answer.confianza &&
    held.state === answer.state &&
    (before === null || before.aviso === answer.aviso);
  if (isSameNotice) client.setQueryData(key, { ...answer, aviso: held.aviso });
  else void client.invalidateQueries({ queryKey: key });
}
