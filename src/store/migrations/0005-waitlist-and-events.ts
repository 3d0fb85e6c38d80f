import { type MigrationContext, numberedKey, numberedKeyType } from "../dialect.ts";

export async function up({ db, dialect }: MigrationContext): Promise<void> {
  await db.schema
    .createTable("waitlist")
    .addColumn("email", "text", (column) => column.notNull().primaryKey())
    .addColumn("origen", "text", (column) => column.notNull())
    .addColumn("created_at_ms", "bigint", (column) => column.notNull())
    .execute();
  await db.schema
    .createTable("events")
    .addColumn("id", numberedKeyType(dialect), numberedKey(dialect))
    .addColumn("event_name", "text", (column) => column.notNull())
    .addColumn("email", "text")
    .addColumn("payload", "text")
    .addColumn("utm_source", "text")
    .addColumn("utm_medium", "text")
    .addColumn("utm_campaign", "text")
    .addColumn("at_ms", "bigint", (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex("events_by_name_and_time")
    .on("events")
    .columns(["event_name", "at_ms"])
    .execute();
  await db.schema.createIndex("events_by_email").on("events").column("email").execute();
}
