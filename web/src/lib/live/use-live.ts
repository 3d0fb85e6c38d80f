import { useEffect, useEffectEvent, useSyncExternalStore } from "react";
import type { StreamEvent } from "./event-reader.ts";
import { liveHub } from "./live-hub.ts";

/** Calls `onAnswer` with each new answer of a token; returns whether its stream is open. */
export function useLiveToken<Answer extends { readonly token_id: string }>(
  mint: string,
  isWanted: boolean,
  onAnswer: (answer: Answer) => void,
): boolean {
  const receive = useEffectEvent(({ name, data }: StreamEvent) => {
    if (name !== "exitability") return;
    const answer: Answer = JSON.parse(data);
    if (answer.token_id === mint) onAnswer(answer);
  });
  useEffect(() => {
    if (!isWanted) return;
    return liveHub.followToken(mint, (event) => receive(event));
  }, [mint, isWanted]);
  return useSyncExternalStore(liveHub.onChange, () => liveHub.isStreamed(mint));
}

/** Calls `onAlert` with each new alert of the signed-in user. */
export function useLiveAlerts<Alert>(isWanted: boolean, onAlert: (alert: Alert) => void): void {
  const receive = useEffectEvent(({ name, data }: StreamEvent) => {
    if (name === "alert") onAlert(JSON.parse(data));
  });
  useEffect(() => {
    if (!isWanted) return;
    return liveHub.followAlerts((event) => receive(event));
  }, [isWanted]);
}
