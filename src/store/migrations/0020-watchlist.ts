import { type MigrationContext, numberedKey, numberedKeyType } from "../dialect.ts";

export async function up({ db, dialect }: MigrationContext): Promise<void> {
  await db.schema
    .createTable("watchlist_entries")
    .addColumn("id", numberedKeyType(dialect), numberedKey(dialect))
    .addColumn("user_id", "text", (column) =>
      column.notNull().references("users.id").onDelete("cascade"),
    )
    .addColumn("mint", "text", (column) => column.notNull())
    .addColumn("size_lamports", "bigint", (column) => column.notNull())
    .addColumn("alerts_enabled", "bigint", (column) => column.notNull())
    .addColumn("created_at_ms", "bigint", (column) => column.notNull())
    .addColumn("slippage_is_high", "bigint")
    .addUniqueConstraint("watchlist_entries_once", ["user_id", "mint"])
    .execute();
}
