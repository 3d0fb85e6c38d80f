import { type MigrationContext, numberedKey, numberedKeyType } from "../dialect.ts";

/** In which slot each venue's program was found deployed, and since when that is known. */
export async function up({ db, dialect }: MigrationContext): Promise<void> {
  await db.schema
    .createTable("program_deployments")
    .addColumn("id", numberedKeyType(dialect), numberedKey(dialect))
    .addColumn("venue", "text", (column) => column.notNull())
    .addColumn("deployed_slot", "bigint", (column) => column.notNull())
    .addColumn("seen_at_ms", "bigint", (column) => column.notNull())
    .execute();
}
