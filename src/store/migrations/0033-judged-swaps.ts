import { type MigrationContext, numberedKey, numberedKeyType } from "../dialect.ts";

/** The last swaps that were seen, and what the model makes of each. */
export async function up({ db, dialect }: MigrationContext): Promise<void> {
  await db.schema
    .createTable("judged_swaps")
    .addColumn("id", numberedKeyType(dialect), numberedKey(dialect))
    .addColumn("at_ms", "bigint", (column) => column.notNull())
    .addColumn("venue", "text", (column) => column.notNull())
    .addColumn("pool", "text", (column) => column.notNull())
    .addColumn("slot", "bigint", (column) => column.notNull())
    .addColumn("signature", "text", (column) => column.notNull())
    .addColumn("skipped", "text")
    .addColumn("input_mint", "text")
    .addColumn("output_mint", "text")
    .addColumn("amount_in", "text")
    .addColumn("executed", "text")
    .addColumn("modelled", "text")
    .execute();
  await db.schema
    .createIndex("judged_swaps_by_venue")
    .on("judged_swaps")
    .columns(["venue", "id"])
    .execute();
}
