import { type Kysely, sql } from "kysely";
import type { Schema } from "./schema.ts";
import { toUser, USER_COLUMNS, type User } from "./users.ts";

export type FoundUser = User & {
  /** API keys that are not revoked. */
  readonly keys: number;
  /** Queries counted on `day`. */
  readonly usedToday: number;
};

/** Users whose e-mail address or id contains the text, newest first. */
export async function searchUsers(
  db: Kysely<Schema>,
  { text, limit, day }: { readonly text: string; readonly limit: number; readonly day: number },
): Promise<readonly FoundUser[]> {
  const pattern = `%${text.toLowerCase().replaceAll(/[\\%_]/g, "\\$&")}%`;
  const rows = await db
    .selectFrom("users")
    .select(USER_COLUMNS)
    .select((eb) => [
      eb
        .selectFrom("api_keys")
        .select((inner) => inner.fn.countAll<bigint>().as("count"))
        .whereRef("api_keys.user_id", "=", "users.id")
        .where("api_keys.revoked_at_ms", "is", null)
        .as("keys"),
      eb
        .selectFrom("daily_usage")
        .select("daily_usage.used")
        .where("daily_usage.subject", "=", sql<string>`'user:' || users.id`)
        .where("daily_usage.day", "=", BigInt(day))
        .as("used_today"),
    ])
    .where(
      sql<boolean>`(users.email like ${pattern} escape '\\' or users.id like ${pattern} escape '\\')`,
    )
    .orderBy("users.created_at", "desc")
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    ...toUser(row),
    keys: Number(row.keys ?? 0n),
    usedToday: Number(row.used_today ?? 0n),
  }));
}
