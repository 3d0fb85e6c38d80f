import type { Generated, Kysely } from "kysely";
import type { Schema } from "./schema.ts";

export type EventsTables = {
  events: {
    id: Generated<bigint>;
    event_name: string;
    email: string | null;
    /** JSON. */
    payload: string | null;
    utm_source: string | null;
    utm_medium: string | null;
    utm_campaign: string | null;
    at_ms: bigint;
  };
};

export type FunnelEvent = {
  readonly eventName: string;
  /** Only where the caller gave it. */
  readonly email: string | null;
  readonly payload: Readonly<Record<string, unknown>> | null;
  readonly utmSource: string | null;
  readonly utmMedium: string | null;
  readonly utmCampaign: string | null;
  readonly atMs: number;
};

export async function recordEvent(db: Kysely<Schema>, event: FunnelEvent): Promise<void> {
  await db
    .insertInto("events")
    .values({
      event_name: event.eventName,
      email: event.email,
      payload: event.payload === null ? null : JSON.stringify(event.payload),
      utm_source: event.utmSource,
      utm_medium: event.utmMedium,
      utm_campaign: event.utmCampaign,
      at_ms: BigInt(event.atMs),
    })
    .execute();
}

export async function eventsOfEmail(
  db: Kysely<Schema>,
  email: string,
): Promise<readonly FunnelEvent[]> {
  const rows = await db
    .selectFrom("events")
    .selectAll()
    .where("email", "=", email)
    .orderBy("id")
    .execute();
  return rows.map((row) => ({
    eventName: row.event_name,
    email: row.email,
    payload: row.payload === null ? null : JSON.parse(row.payload),
    utmSource: row.utm_source,
    utmMedium: row.utm_medium,
    utmCampaign: row.utm_campaign,
    atMs: Number(row.at_ms),
  }));
}

/** How many events of one name and one source there were on one UTC day. */
export type EventCount = {
  /** Whole days since 1970. */
  readonly day: number;
  readonly eventName: string;
  readonly utmSource: string | null;
  readonly utmMedium: string | null;
  readonly utmCampaign: string | null;
  readonly count: number;
};

const DAY_MS = 86_400_000n;

export async function countEvents(
  db: Kysely<Schema>,
  { fromMs, untilMs }: { readonly fromMs: number; readonly untilMs: number },
): Promise<readonly EventCount[]> {
  const rows = await db
    .selectFrom("events")
    .select((eb) => [
      eb("at_ms", "/", DAY_MS).as("day"),
      "event_name",
      "utm_source",
      "utm_medium",
      "utm_campaign",
      eb.fn.countAll<bigint>().as("count"),
    ])
    .where("at_ms", ">=", BigInt(fromMs))
    .where("at_ms", "<", BigInt(untilMs))
    .groupBy(["day", "event_name", "utm_source", "utm_medium", "utm_campaign"])
    .orderBy("day")
    .orderBy("event_name")
    .execute();
  return rows.map((row) => ({
    day: Number(row.day),
    eventName: row.event_name,
    utmSource: row.utm_source,
    utmMedium: row.utm_medium,
    utmCampaign: row.utm_campaign,
    count: Number(row.count),
  }));
}
