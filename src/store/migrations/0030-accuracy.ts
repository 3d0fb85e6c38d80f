import { type MigrationContext, numberedKey, numberedKeyType } from "../dialect.ts";

export async function up({ db, dialect }: MigrationContext): Promise<void> {
  await db.schema
    .createTable("accuracy_tallies")
    .addColumn("venue", "text", (column) => column.notNull())
    .addColumn("span", "text", (column) => column.notNull())
    .addColumn("span_index", "bigint", (column) => column.notNull())
    .addColumn("tally", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("accuracy_tallies_key", ["venue", "span", "span_index"])
    .execute();
  await db.schema
    .createTable("accuracy_mismatches")
    .addColumn("id", numberedKeyType(dialect), numberedKey(dialect))
    .addColumn("at_ms", "bigint", (column) => column.notNull())
    .addColumn("venue", "text", (column) => column.notNull())
    .addColumn("signature", "text", (column) => column.notNull())
    .addColumn("execution", "text", (column) => column.notNull())
    .execute();
}
