import type { Kysely } from "kysely";
import { addAccessChange } from "./access-changes.ts";
import {
  type LibraryMoment,
  libraryMoment,
  libraryMomentMs,
} from "./connection/library-columns.ts";
import type { Schema, Store } from "./schema.ts";
import type { UserId } from "./user-id.ts";

/** Written by the sign-in library. A token is invalid without its signature. */
export type SessionsTables = {
  sessions: {
    id: string;
    user_id: UserId;
    token: string;
    expires_at: LibraryMoment;
    created_at: LibraryMoment;
    updated_at: LibraryMoment;
    ip_address: string | null;
    user_agent: string | null;
  };
};

export type Session = {
  readonly id: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  readonly userAgent: string | null;
};

/** Valid sessions, newest first. */
export async function sessionsOfUser(
  { db, dialect }: Store,
  userId: UserId,
  nowMs: number,
): Promise<readonly Session[]> {
  const rows = await db
    .selectFrom("sessions")
    .select(["id", "created_at", "expires_at", "user_agent"])
    .where("user_id", "=", userId)
    .where("expires_at", ">", libraryMoment(dialect, nowMs))
    .orderBy("created_at", "desc")
    .execute();
  return rows.map((row) => ({
    id: row.id,
    createdAtMs: libraryMomentMs(row.created_at),
    expiresAtMs: libraryMomentMs(row.expires_at),
    // The sign-in library stores an empty text where there was no header.
    userAgent: row.user_agent || null,
  }));
}

/** @returns whether the user had that session */
export async function deleteSession(
  db: Kysely<Schema>,
  { userId, sessionId }: { readonly userId: UserId; readonly sessionId: string },
  nowMs: number,
): Promise<boolean> {
  // Postgres refuses the text.
  if (sessionId.includes("\0")) return false;
  return db.transaction().execute(async (transaction) => {
    const deleted = await transaction
      .deleteFrom("sessions")
      .where("id", "=", sessionId)
      .where("user_id", "=", userId)
      .executeTakeFirst();
    if (deleted.numDeletedRows === 0n) return false;
    await addAccessChange(transaction, userId, nowMs);
    return true;
  });
}

/** Ends every session of a user but `keep`. @returns how many */
export async function deleteOtherSessions(
  db: Kysely<Schema>,
  { userId, keep }: { readonly userId: UserId; readonly keep: string | null },
  nowMs: number,
): Promise<number> {
  return db.transaction().execute(async (transaction) => {
    const deleted = await transaction
      .deleteFrom("sessions")
      .where("user_id", "=", userId)
      .where("id", "!=", keep ?? "")
      .executeTakeFirst();
    await addAccessChange(transaction, userId, nowMs);
    return Number(deleted.numDeletedRows);
  });
}

export async function deleteExpiredSessions({ db, dialect }: Store, nowMs: number): Promise<void> {
  await db.deleteFrom("sessions").where("expires_at", "<", libraryMoment(dialect, nowMs)).execute();
}
