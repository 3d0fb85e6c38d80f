import type { Kysely } from "kysely";
import { addAccessChange } from "./access-changes.ts";
import { type ApiKeyRecord, apiKeysOfUser } from "./api-keys.ts";
import { type Channel, channelsOfUser } from "./channels.ts";
import { eventsOfEmail, type FunnelEvent, forgetEventsOfEmail } from "./events.ts";
import type { Schema, Store } from "./schema.ts";
import { type Session, sessionsOfUser } from "./sessions.ts";
import { alertsOfUser, type UserAlert } from "./user-alerts.ts";
import type { UserId } from "./user-id.ts";
import { findUser, type User } from "./users.ts";
import { type WaitlistEntry, waitlistEntryOf } from "./waitlist.ts";
import { type WatchlistEntry, watchlistOfUser } from "./watchlist.ts";

/** All data stored about one user. */
export type UserData = {
  readonly user: User;
  readonly foreignIdentities: readonly { readonly issuer: string; readonly subject: string }[];
  readonly sessions: readonly Session[];
  readonly apiKeys: readonly ApiKeyRecord[];
  readonly dailyUsage: readonly { readonly day: number; readonly used: number }[];
  readonly waitlist: WaitlistEntry | null;
  readonly events: readonly FunnelEvent[];
  readonly watchlist: readonly WatchlistEntry[];
  readonly channels: readonly Channel[];
  /** The newest thousand. */
  readonly alerts: readonly UserAlert[];
};

export async function readUserData(
  store: Store,
  userId: UserId,
  { nowMs, day }: { readonly nowMs: number; readonly day: number },
): Promise<UserData | null> {
  const { db } = store;
  const user = await findUser(db, userId);
  if (user === null) return null;
  return {
    user,
    foreignIdentities: await db
      .selectFrom("foreign_identities")
      .select(["issuer", "subject"])
      .where("user_id", "=", userId)
      .execute(),
    sessions: await sessionsOfUser(store, userId, nowMs),
    apiKeys: await apiKeysOfUser(db, userId, day),
    dailyUsage: await usageOfUser(db, userId),
    waitlist: user.email === null ? null : await waitlistEntryOf(db, user.email),
    events: user.email === null ? [] : await eventsOfEmail(db, user.email),
    watchlist: await watchlistOfUser(db, userId),
    channels: await channelsOfUser(db, userId),
    alerts: await alertsOfUser(db, { userId, beforeId: null, limit: 1_000 }),
  };
}

async function usageOfUser(db: Kysely<Schema>, userId: UserId) {
  const rows = await db
    .selectFrom("daily_usage")
    .select(["day", "used"])
    .where("subject", "=", `user:${userId}`)
    .orderBy("day")
    .execute();
  return rows.map((row) => ({ day: Number(row.day), used: Number(row.used) }));
}

/**
 * Deletes a user and all data stored about them; tables with a reference to users cascade. Events are
 * kept for the funnel's totals, without address and payload. The times of codes sent to the mailbox
 * are kept for their hour, so that a deletion does not reset that limit.
 *
 * @returns whether the user existed
 */
export async function deleteUserData(
  db: Kysely<Schema>,
  userId: UserId,
  nowMs: number,
): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    const deleted = await transaction
      .deleteFrom("users")
      .where("id", "=", userId)
      .returning("email")
      .executeTakeFirst();
    if (deleted === undefined) return false;
    await transaction
      .deleteFrom("daily_usage")
      .where((eb) =>
        eb.or([eb("subject", "=", `user:${userId}`), eb("subject", "like", `user:${userId}/%`)]),
      )
      .execute();
    if (deleted.email !== null) await deleteEmail(transaction, deleted.email);
    await addAccessChange(transaction, userId, nowMs);
    return true;
  });
}

async function deleteEmail(transaction: Kysely<Schema>, email: string): Promise<void> {
  await transaction.deleteFrom("waitlist").where("email", "=", email).execute();
  await transaction.deleteFrom("sign_in_requests").where("email", "=", email).execute();
  await transaction
    .deleteFrom("sign_in_codes")
    .where("identifier", "=", `sign-in-otp-${email}`)
    .execute();
  await forgetEventsOfEmail(transaction, email);
}
