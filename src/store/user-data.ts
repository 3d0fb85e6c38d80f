import type { Kysely } from "kysely";
import { addAccessChange } from "./access-changes.ts";
import { type ApiKeyRecord, apiKeysOfUser } from "./api-keys.ts";
import { type Channel, channelsOfUser } from "./channels.ts";
import { eventsOfEmail, type FunnelEvent, forgetEventsOfEmail } from "./events.ts";
import type { Schema, Store } from "./schema.ts";
import { type Session, sessionsOfUser } from "./sessions.ts";
import { copyDailyUsage } from "./usage.ts";
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
    foreignIdentities: await foreignIdentitiesOf(db, userId),
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

function foreignIdentitiesOf(db: Kysely<Schema>, userId: UserId) {
  return db
    .selectFrom("foreign_identities")
    .select(["issuer", "subject"])
    .where("user_id", "=", userId)
    .execute();
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

/** Under which names a deleted user's uses of the day are kept, so that a new account goes on with them. */
export type KeptUsage = {
  readonly day: number;
  readonly ofEmail: (email: string) => string;
  readonly ofIdentity: (identity: { readonly issuer: string; readonly subject: string }) => string;
};

/**
 * Deletes a user and all data stored about them; tables with a reference to users cascade. Events are
 * kept for the funnel's totals, without address and payload. The times of codes sent to the mailbox
 * are kept for their hour, so that a deletion does not reset that limit; so is the day's count of
 * queries. Both are under keyed hashes.
 *
 * @returns whether the user existed
 */
export async function deleteUserData(
  db: Kysely<Schema>,
  userId: UserId,
  { nowMs, kept }: { readonly nowMs: number; readonly kept: KeptUsage | null },
): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    const identities = await foreignIdentitiesOf(transaction, userId);
    // Entries before their user, as where alerts are recorded: the same lock order prevents deadlocks.
    await transaction.deleteFrom("watchlist_entries").where("user_id", "=", userId).execute();
    const deleted = await transaction
      .deleteFrom("users")
      .where("id", "=", userId)
      .returning("email")
      .executeTakeFirst();
    if (deleted === undefined) return false;
    if (kept !== null) await keepUsage(transaction, kept, { ...deleted, userId, identities });
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

async function keepUsage(
  transaction: Kysely<Schema>,
  kept: KeptUsage,
  deleted: {
    readonly userId: UserId;
    readonly email: string | null;
    readonly identities: UserData["foreignIdentities"];
  },
): Promise<void> {
  const { userId, email, identities } = deleted;
  const names = [
    ...identities.map(kept.ofIdentity),
    ...(email === null ? [] : [kept.ofEmail(email)]),
  ];
  for (const to of names)
    await copyDailyUsage(transaction, { from: `user:${userId}`, to, day: kept.day });
}

async function deleteEmail(transaction: Kysely<Schema>, email: string): Promise<void> {
  await transaction.deleteFrom("waitlist").where("email", "=", email).execute();
  await transaction.deleteFrom("sign_in_requests").where("email", "=", email).execute();
  await transaction.deleteFrom("sign_in_codes").where("email", "=", email).execute();
  await forgetEventsOfEmail(transaction, email);
}
