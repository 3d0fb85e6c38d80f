import { sql } from "kysely";
import type { MigrationContext } from "../dialect.ts";

/** Alerts of slots that were not confirmed, and when they were taken back; null: confirmed, and never. */
export async function up({ db }: MigrationContext): Promise<void> {
  await sql.raw("alter table user_alerts add column commitment text").execute(db);
  await sql.raw("alter table user_alerts add column taken_back_at_ms bigint").execute(db);
}
