import { randomUUID } from "node:crypto";
import type { Kysely } from "kysely";
import type { Schema } from "./schema.ts";
import type { UserId } from "./user-id.ts";

export type AccessChangesTables = {
  /** Users whose keys, sessions, tier or status changed: each process drops them from its caches. */
  access_changes: { id: string; user_id: UserId; at_ms: bigint };
};

/** Adds, in the transaction of the change itself, that cached keys and sessions of a user are invalid. */
export async function addAccessChange(
  transaction: Kysely<Schema>,
  userId: UserId,
  nowMs: number,
): Promise<void> {
  await transaction
    .insertInto("access_changes")
    .values({ id: randomUUID(), user_id: userId, at_ms: BigInt(nowMs) })
    .execute();
}

export async function accessChangesSince(
  db: Kysely<Schema>,
  sinceMs: number,
): Promise<readonly { readonly id: string; readonly userId: UserId }[]> {
  const rows = await db
    .selectFrom("access_changes")
    .select(["id", "user_id"])
    .where("at_ms", ">=", BigInt(sinceMs))
    .execute();
  return rows.map((row) => ({ id: row.id, userId: row.user_id }));
}

export async function deleteAccessChangesBefore(db: Kysely<Schema>, ms: number): Promise<void> {
  await db.deleteFrom("access_changes").where("at_ms", "<", BigInt(ms)).execute();
}
