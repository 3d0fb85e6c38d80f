import type { MigrationContext } from "../dialect.ts";

/** Who tracks: one row, for as many processes as share the database. */
export async function up({ db }: MigrationContext): Promise<void> {
  await db.schema
    .createTable("leadership")
    .addColumn("duty", "text", (column) => column.notNull().primaryKey())
    .addColumn("deployment", "text", (column) => column.notNull())
    .addColumn("term", "bigint", (column) => column.notNull())
    .addColumn("beat_at_ms", "bigint", (column) => column.notNull())
    .execute();
}
