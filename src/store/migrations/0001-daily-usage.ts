import type { MigrationContext } from "../dialect.ts";

export async function up({ db }: MigrationContext): Promise<void> {
  await db.schema
    .createTable("daily_usage")
    .addColumn("subject", "text", (column) => column.notNull())
    .addColumn("day", "bigint", (column) => column.notNull())
    .addColumn("used", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("daily_usage_pk", ["subject", "day"])
    .execute();
  await db.schema.createIndex("daily_usage_by_day").on("daily_usage").column("day").execute();
}
