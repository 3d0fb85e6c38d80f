import { sql } from "kysely";
import * as schema from "../migrations/0001-schema.ts";
import type { Database } from "./database.ts";
import type { MigrationContext } from "./dialect.ts";

export type Migration = {
  readonly name: string;
  readonly up: (context: MigrationContext) => Promise<void>;
};

/** Every migration in order. Once released, a migration is never edited. */
export const MIGRATIONS: readonly Migration[] = [
  { name: `0001-schema-${schema.fingerprint()}`, up: schema.up },
];

/** The database was created before the first release, with other tables; it is not changed. */
export class OtherTablesError extends Error {
  constructor() {
    super(
      "the database was created by a version before the first release, whose tables differ: run that version on it, or name an empty DATA_DIR or DATABASE_URL",
    );
    this.name = "OtherTablesError";
  }
}

type MigrationTables = { schema_migrations: { name: string; applied_at_ms: bigint } };

/**
 * Runs the pending migrations in one transaction. If several processes start together, one migrates
 * and the others wait. Applied migrations that this version does not know are ignored: a newer
 * version ran them, and this one is being replaced.
 *
 * @returns the names of the migrations that this call ran
 * @throws OtherTablesError if migrations were applied, but not the first one
 */
export async function migrate(
  { db, dialect }: Database,
  nowMs: number,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<readonly string[]> {
  return db.transaction().execute(async (migrating) => {
    const transaction = migrating.withTables<MigrationTables>();
    if (dialect === "postgres") {
      // The waiting processes wait as long as the migration takes.
      await sql`set local statement_timeout = 0`.execute(transaction);
      await sql`select pg_advisory_xact_lock(hashtext('exitability.migrate.' || current_schema()))`.execute(
        transaction,
      );
    }
    await transaction.schema
      .createTable("schema_migrations")
      .ifNotExists()
      .addColumn("name", "text", (column) => column.primaryKey())
      .addColumn("applied_at_ms", "bigint", (column) => column.notNull())
      .execute();
    const rows = await transaction.selectFrom("schema_migrations").select("name").execute();
    const applied = new Set(rows.map((row) => row.name));
    const [first] = migrations;
    if (applied.size > 0 && first !== undefined && !applied.has(first.name))
      throw new OtherTablesError();
    const pending = migrations.filter((migration) => !applied.has(migration.name));
    for (const { name, up } of pending) {
      await up({ db: migrating, dialect });
      await transaction
        .insertInto("schema_migrations")
        .values({ name, applied_at_ms: BigInt(nowMs) })
        .execute();
    }
    return pending.map((migration) => migration.name);
  });
}
