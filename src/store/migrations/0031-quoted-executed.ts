import type { MigrationContext } from "../dialect.ts";

/** How far sales fell short of answers, by hour and by the age of the answer. */
export async function up({ db }: MigrationContext): Promise<void> {
  await db.schema
    .createTable("quoted_executed")
    .addColumn("hour", "bigint", (column) => column.notNull())
    .addColumn("age_seconds", "bigint", (column) => column.notNull())
    .addColumn("counts", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("quoted_executed_key", ["hour", "age_seconds"])
    .execute();
}
