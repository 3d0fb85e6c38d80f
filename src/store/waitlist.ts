import type { Kysely } from "kysely";
import type { Schema } from "./schema.ts";

export type WaitlistTables = {
  waitlist: { email: string; origen: string; created_at_ms: bigint };
};

export type WaitlistEntry = {
  readonly email: string;
  readonly origin: string;
  readonly createdAtMs: number;
};

/** Inserts an address once, with its first origin. */
export async function joinWaitlist(db: Kysely<Schema>, entry: WaitlistEntry): Promise<void> {
  await db
    .insertInto("waitlist")
    .values({
      email: entry.email,
      origen: entry.origin,
      created_at_ms: BigInt(entry.createdAtMs),
    })
    .onConflict((conflict) => conflict.column("email").doNothing())
    .execute();
}

/** All entries in the order of their arrival. */
export async function readWaitlist(db: Kysely<Schema>): Promise<readonly WaitlistEntry[]> {
  const rows = await db
    .selectFrom("waitlist")
    .selectAll()
    .orderBy("created_at_ms")
    .orderBy("email")
    .execute();
  return rows.map(toEntry);
}

export async function waitlistEntryOf(
  db: Kysely<Schema>,
  email: string,
): Promise<WaitlistEntry | null> {
  const row = await db
    .selectFrom("waitlist")
    .selectAll()
    .where("email", "=", email)
    .executeTakeFirst();
  return row === undefined ? null : toEntry(row);
}

function toEntry(row: WaitlistTables["waitlist"]): WaitlistEntry {
  return { email: row.email, origin: row.origen, createdAtMs: Number(row.created_at_ms) };
}
