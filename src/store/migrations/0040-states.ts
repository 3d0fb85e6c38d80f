import { sql } from "kysely";
import type { MigrationContext } from "../dialect.ts";

/** Answers as they stood at a slot, each packed against the one of its day that `base_slot` names. */
export async function up({ db, dialect }: MigrationContext): Promise<void> {
  await db.schema
    .createTable("states")
    .addColumn("token_id", "bigint", (column) => column.notNull())
    .addColumn("slot", "bigint", (column) => column.notNull())
    .addColumn("day", "bigint", (column) => column.notNull())
    .addColumn("base_slot", "bigint", (column) => column.notNull())
    .addColumn("data", dialect === "postgres" ? "bytea" : "blob", (column) => column.notNull())
    .addPrimaryKeyConstraint("states_key", ["token_id", "slot"])
    .execute();
  await sql`create index states_by_day on states (day)`.execute(db);
}
