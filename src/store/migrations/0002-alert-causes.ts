import { sql } from "kysely";
import type { MigrationContext } from "../dialect.ts";

const TABLES = ["alerts", "user_alerts"];
const COLUMNS = ["withdrawn_share", "sold_share", "fees_share", "paused_share"];

/** The share of the loss that each cause explains, 0 to 1; null in rows that were written before. */
export async function up({ db }: MigrationContext): Promise<void> {
  for (const table of TABLES) {
    for (const column of COLUMNS) {
      await sql.raw(`alter table ${table} add column ${column} double precision`).execute(db);
    }
  }
}
