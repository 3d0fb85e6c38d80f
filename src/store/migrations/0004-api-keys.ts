import { sql } from "kysely";
import type { MigrationContext } from "../dialect.ts";

export async function up({ db }: MigrationContext): Promise<void> {
  await db.schema
    .createTable("api_keys")
    .addColumn("id", "text", (column) => column.notNull().primaryKey())
    .addColumn("user_id", "text", (column) =>
      column.notNull().references("users.id").onDelete("cascade"),
    )
    .addColumn("hash", "text", (column) => column.notNull().unique())
    .addColumn("hint", "text", (column) => column.notNull())
    .addColumn("created_at_ms", "bigint", (column) => column.notNull())
    .addColumn("expires_at_ms", "bigint")
    .addColumn("revoked_at_ms", "bigint")
    .addColumn("last_used_at_ms", "bigint")
    .execute();
  await db.schema.createIndex("api_keys_by_user").on("api_keys").column("user_id").execute();
  await db.schema
    .createIndex("api_keys_one_current")
    .unique()
    .on("api_keys")
    .column("user_id")
    .where(sql.ref("expires_at_ms"), "is", null)
    .where(sql.ref("revoked_at_ms"), "is", null)
    .execute();
  await db.schema
    .createTable("api_key_usage")
    .addColumn("key_id", "text", (column) =>
      column.notNull().references("api_keys.id").onDelete("cascade"),
    )
    .addColumn("day", "bigint", (column) => column.notNull())
    .addColumn("used", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("api_key_usage_pk", ["key_id", "day"])
    .execute();
}
