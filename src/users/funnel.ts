import type { Kysely } from "kysely";
import type { WallClock } from "#src/platform/clock.ts";
import { recordEvent } from "#src/store/events.ts";
import type { Schema } from "#src/store/schema.ts";
import { joinWaitlist } from "#src/store/waitlist.ts";
import type { EmailAddress } from "./email-address.ts";

/** Events that may be recorded between a first visit and a payment, in that order. */
export const EVENT_NAMES = [
  "registro",
  "waitlist_email",
  "click_upgrade_desde_limite",
  "click_avisame_pro",
  "watchlist_add",
  "alerta_click",
  "click_pagar",
  "checkout_iniciado",
  "pago_real",
] as const;
export type EventName = (typeof EVENT_NAMES)[number];

export type Visit = {
  readonly eventName: EventName;
  readonly email: EmailAddress | null;
  /** Whether the address is that of the caller's own session. */
  readonly isProven: boolean;
  readonly payload: Readonly<Record<string, unknown>> | null;
  readonly utmSource: string | null;
  readonly utmMedium: string | null;
  readonly utmCampaign: string | null;
};

export type Funnel = {
  /** Inserts an address once. */
  readonly joinWaitlist: (email: EmailAddress, origin: string) => Promise<void>;
  readonly record: (visit: Visit) => Promise<void>;
};

export function createFunnel(deps: {
  readonly db: Kysely<Schema>;
  readonly clock: WallClock;
}): Funnel {
  const { db, clock } = deps;
  return {
    joinWaitlist: (email, origin) =>
      joinWaitlist(db, { email, origin, createdAtMs: clock.nowMs() }),
    record: (visit) => recordEvent(db, { ...visit, atMs: clock.nowMs() }),
  };
}
