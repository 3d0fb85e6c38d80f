import type { MigrationContext } from "../dialect.ts";

/** The main cause's share of a fall, 0 to 1; null for alerts that were recorded before it was kept. */
export async function up({ db }: MigrationContext): Promise<void> {
  await db.schema.alterTable("alerts").addColumn("share", "double precision").execute();
}
