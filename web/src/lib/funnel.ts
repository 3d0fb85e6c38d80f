import { api } from "./api.ts";

export type FunnelEvent =
  | "registro"
  | "waitlist_email"
  | "click_upgrade_desde_limite"
  | "click_avisame_pro"
  | "alerta_click"
  | "watchlist_add";

/** Reports a funnel step to our own service. A failure is ignored: it does not affect the reader. */
export function tellStep(event: FunnelEvent, payload: Readonly<Record<string, string>> = {}): void {
  const search = new URLSearchParams(window.location.search);
  const utm = Object.fromEntries(
    ["utm_source", "utm_medium", "utm_campaign"]
      .map((name) => [name, search.get(name)] as const)
      .filter((entry) => entry[1] !== null),
  );
  const body = { event_name: event, payload, ...utm };
  api("/api/oracle/event", { method: "POST", body }).catch(() => undefined);
}
