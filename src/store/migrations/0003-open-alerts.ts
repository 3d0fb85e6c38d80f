import { sql } from "kysely";
import type { MigrationContext } from "../dialect.ts";

/** Finds the few alerts that are on among all that ever were. */
export async function up({ db }: MigrationContext): Promise<void> {
  await sql
    .raw("create index open_alerts on alerts (started_at_ms) where ended_at_ms is null")
    .execute(db);
}
