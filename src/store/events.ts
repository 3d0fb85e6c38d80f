import type { Generated, Kysely } from "kysely";
import { MS_PER_DAY } from "#src/platform/clock.ts";
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
  /** Only if the caller gave it. */
  readonly email: string | null;
  /** Whether the address is that of the caller's own session. */
  readonly isProven: boolean;
  readonly payload: Readonly<Record<string, unknown>> | null;
  readonly utmSource: string | null;
  readonly utmMedium: string | null;
  readonly utmCampaign: string | null;
  readonly atMs: number;
};

/** Marks an address that its owner has not proven: such an event is in no export. */
const UNPROVEN = "unproven:";
/** A longer payload is stored cut. */
const LONGEST_PAYLOAD = 2_048;
const EXPORTED_EVENTS = 1_000;

function storedPayload(payload: FunnelEvent["payload"]): string | null {
  if (payload === null) return null;
  const text = JSON.stringify(payload);
  if (Buffer.byteLength(text) <= LONGEST_PAYLOAD) return text;
  return cutText(text);
}

/** As much of the text's beginning as fits, by halving what may be added. */
function cutText(text: string): string {
  const cutAt = (length: number): string =>
    JSON.stringify({ cut: text.slice(0, length).toWellFormed() });
  let fits = 0;
  for (let step = LONGEST_PAYLOAD; step > 0; step = Math.floor(step / 2))
    if (Buffer.byteLength(cutAt(fits + step)) <= LONGEST_PAYLOAD) fits += step;
  return cutAt(fits);
}

export async function recordEvent(db: Kysely<Schema>, event: FunnelEvent): Promise<void> {
  await db
    .insertInto("events")
    .values({
      event_name: event.eventName,
      email: event.email === null || event.isProven ? event.email : UNPROVEN + event.email,
      payload: storedPayload(event.payload),
      utm_source: event.utmSource,
      utm_medium: event.utmMedium,
      utm_campaign: event.utmCampaign,
      at_ms: BigInt(event.atMs),
    })
    .execute();
}

/** The newest events that a user recorded under this address, oldest first. */
export async function eventsOfEmail(
  db: Kysely<Schema>,
  email: string,
): Promise<readonly FunnelEvent[]> {
  const rows = await db
    .selectFrom("events")
    .selectAll()
    .where("email", "=", email)
    .orderBy("id", "desc")
    .limit(EXPORTED_EVENTS)
    .execute();
  return rows.reverse().map((row) => ({
    eventName: row.event_name,
    email: row.email,
    isProven: true,
    payload: row.payload === null ? null : JSON.parse(row.payload),
    utmSource: row.utm_source,
    utmMedium: row.utm_medium,
    utmCampaign: row.utm_campaign,
    atMs: Number(row.at_ms),
  }));
}

/** Removes an address and its payloads from the events, proven or not. */
export async function forgetEventsOfEmail(db: Kysely<Schema>, email: string): Promise<void> {
  await db
    .updateTable("events")
    .set({ email: null, payload: null })
    .where("email", "in", [email, UNPROVEN + email])
    .execute();
}

/** Deletes events before a time, and the oldest beyond `most`. */
export async function deleteOldEvents(
  db: Kysely<Schema>,
  { beforeMs, most }: { readonly beforeMs: number; readonly most: number },
): Promise<void> {
  await db.deleteFrom("events").where("at_ms", "<", BigInt(beforeMs)).execute();
  const first = await db
    .selectFrom("events")
    .select("id")
    .orderBy("id", "desc")
    .offset(most)
    .limit(1)
    .executeTakeFirst();
  if (first !== undefined) await db.deleteFrom("events").where("id", "<=", first.id).execute();
}

/** Events of one name and one source on one UTC day. */
export type EventCount = {
  /** Whole days since 1970. */
  readonly day: number;
  readonly eventName: string;
  readonly utmSource: string | null;
  readonly utmMedium: string | null;
  readonly utmCampaign: string | null;
  readonly count: number;
};

const DAY_MS = BigInt(MS_PER_DAY);

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
