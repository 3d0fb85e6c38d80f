import type { Kysely } from "kysely";
import { addAccessChange } from "./access-changes.ts";
import type { Dialect } from "./connection/dialect.ts";
import {
  type LibraryBoolean,
  type LibraryMoment,
  libraryFalse,
  libraryMoment,
  libraryMomentMs,
} from "./connection/library-columns.ts";
import type { Schema, Store } from "./schema.ts";
import { newUserId, type UserId } from "./user-id.ts";

/** Users, and the tables of the sign-in library. Sessions are in sessions.ts. */
export type UsersTables = {
  users: {
    id: UserId;
    name: string;
    email: string | null;
    email_verified: LibraryBoolean;
    image: string | null;
    created_at: LibraryMoment;
    updated_at: LibraryMoment;
    tier: string;
    disabled_at_ms: bigint | null;
  };
  library_accounts: {
    id: string;
    user_id: UserId;
    account_id: string;
    provider_id: string;
    access_token: string | null;
    refresh_token: string | null;
    id_token: string | null;
    access_token_expires_at: LibraryMoment | null;
    refresh_token_expires_at: LibraryMoment | null;
    scope: string | null;
    password: string | null;
    created_at: LibraryMoment;
    updated_at: LibraryMoment;
  };
  /** The user of an external identity: never joined by e-mail. */
  foreign_identities: { issuer: string; subject: string; user_id: UserId };
};

export type User = {
  readonly id: UserId;
  /** Null for users of an external identity provider. */
  readonly email: string | null;
  readonly tier: string;
  readonly createdAtMs: number;
  readonly disabledAtMs: number | null;
};

/**
 * Creates a user on the free tier for an address without one.
 *
 * @returns the new user's id; null if the address has a user
 */
export async function createUserForEmail(
  { db, dialect }: Store,
  email: string,
  nowMs: number,
): Promise<UserId | null> {
  const created = await db
    .insertInto("users")
    .values(newUser(dialect, email, nowMs))
    .onConflict((conflict) => conflict.column("email").doNothing())
    .returning("id")
    .executeTakeFirst();
  return created?.id ?? null;
}

/** The user of (issuer, subject), created on the free tier if there is none. */
export async function userOfForeignIdentity(
  store: Store,
  identity: { readonly issuer: string; readonly subject: string },
  nowMs: number,
): Promise<User> {
  const known = await findForeignUser(store.db, identity);
  if (known !== null) return known;
  await store.db.transaction().execute(async (transaction) => {
    const user = newUser(store.dialect, null, nowMs);
    await transaction.insertInto("users").values(user).execute();
    const row = { ...identity, user_id: user.id };
    const claimed = await transaction
      .insertInto("foreign_identities")
      .values(row)
      .onConflict((conflict) => conflict.columns(["issuer", "subject"]).doNothing())
      .returning("user_id")
      .executeTakeFirst();
    if (claimed === undefined)
      await transaction.deleteFrom("users").where("id", "=", user.id).execute();
  });
  const made = await findForeignUser(store.db, identity);
  if (made === null) throw new Error("a foreign identity disappeared while it was created");
  return made;
}

function newUser(dialect: Dialect, email: string | null, nowMs: number) {
  const moment = libraryMoment(dialect, nowMs);
  return {
    id: newUserId(),
    name: "",
    email,
    email_verified: libraryFalse(dialect),
    image: null,
    created_at: moment,
    updated_at: moment,
    tier: "free",
    disabled_at_ms: null,
  };
}

/** The columns that `toUser` reads. */
export const USER_COLUMNS = [
  "users.id",
  "users.email",
  "users.tier",
  "users.created_at",
  "users.disabled_at_ms",
] as const;

type UserRow = Pick<
  UsersTables["users"],
  "id" | "email" | "tier" | "created_at" | "disabled_at_ms"
>;

export function toUser(row: UserRow): User {
  return {
    id: row.id,
    email: row.email,
    tier: row.tier,
    createdAtMs: libraryMomentMs(row.created_at),
    disabledAtMs: row.disabled_at_ms === null ? null : Number(row.disabled_at_ms),
  };
}

async function findForeignUser(
  db: Kysely<Schema>,
  { issuer, subject }: { readonly issuer: string; readonly subject: string },
): Promise<User | null> {
  const row = await db
    .selectFrom("foreign_identities")
    .innerJoin("users", "users.id", "foreign_identities.user_id")
    .select(USER_COLUMNS)
    .where("issuer", "=", issuer)
    .where("subject", "=", subject)
    .executeTakeFirst();
  return row === undefined ? null : toUser(row);
}

export async function findUser(db: Kysely<Schema>, userId: UserId): Promise<User | null> {
  const row = await db
    .selectFrom("users")
    .select(USER_COLUMNS)
    .where("id", "=", userId)
    .executeTakeFirst();
  return row === undefined ? null : toUser(row);
}

export async function findUserByEmail(db: Kysely<Schema>, email: string): Promise<User | null> {
  const row = await db
    .selectFrom("users")
    .select(USER_COLUMNS)
    .where("email", "=", email)
    .executeTakeFirst();
  return row === undefined ? null : toUser(row);
}

/** @returns whether the user exists */
export async function setUserTier(
  db: Kysely<Schema>,
  { userId, tier }: { readonly userId: UserId; readonly tier: string },
  nowMs: number,
): Promise<boolean> {
  return changeUser(db, userId, { tier }, nowMs);
}

/** A disabled user keeps all data, and can neither sign in nor use a key. */
export async function setUserDisabled(
  db: Kysely<Schema>,
  { userId, isDisabled }: { readonly userId: UserId; readonly isDisabled: boolean },
  nowMs: number,
): Promise<boolean> {
  return changeUser(db, userId, { disabled_at_ms: isDisabled ? BigInt(nowMs) : null }, nowMs);
}

async function changeUser(
  db: Kysely<Schema>,
  userId: UserId,
  change: { readonly tier?: string; readonly disabled_at_ms?: bigint | null },
  nowMs: number,
): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    const updated = await transaction
      .updateTable("users")
      .set(change)
      .where("id", "=", userId)
      .executeTakeFirst();
    if (updated.numUpdatedRows === 0n) return false;
    await addAccessChange(transaction, userId, nowMs);
    return true;
  });
}
