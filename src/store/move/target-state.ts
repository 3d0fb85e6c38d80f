import { type Kysely, sql } from "kysely";
import type { Schema } from "../schema.ts";
import { PROGRESS_TABLE } from "./move-progress.ts";
import { MoveRefusedError } from "./move-refused-error.ts";

/**
 * Checks, without changing it, that an unclaimed Postgres may be filled: it is empty, or has our tables
 * without rows.
 *
 * @throws MoveRefusedError if it holds foreign tables, or rows of ours
 */
export async function refuseForeignData(
  target: Kysely<Schema>,
  tables: readonly string[],
): Promise<void> {
  const found = await tablesOf(target);
  if (found.length === 0) return;
  const foreign = found.filter((name) => !tables.includes(name) && name !== "schema_migrations");
  const isOurs = foreign.length === 0 && (await areMigrationsOurs(target));
  if (!isOurs)
    throw new MoveRefusedError(
      `the target holds tables that are not Exitability's (${(foreign.length === 0 ? found : foreign).join(", ")}): give it a database or a schema of its own`,
    );
  for (const name of found) {
    if (name === "schema_migrations") continue;
    const { rows } = await sql`select 1 from ${sql.table(name)} limit 1`.execute(target);
    if (rows.length > 0)
      throw new MoveRefusedError(
        `the target's table ${name} holds rows already, so nothing was moved: name an empty database`,
      );
  }
}

/** @throws MoveRefusedError if the encoding cannot hold every text */
export async function refuseOtherEncoding(target: Kysely<Schema>): Promise<void> {
  const { rows } = await sql<{ server_encoding: string }>`show server_encoding`.execute(target);
  const encoding = rows[0]?.server_encoding;
  if (encoding !== "UTF8")
    throw new MoveRefusedError(`the target's encoding is ${encoding}: it has to be UTF8`);
}

/** Tables of the schema in which ours are made; a partitioned table counts once. */
async function tablesOf(target: Kysely<Schema>): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`select relname as name from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'f')
      and not relispartition and relname <> ${PROGRESS_TABLE} order by relname`.execute(target);
  return rows.map(({ name }) => name);
}

/** Other tools keep a table of the same name. */
async function areMigrationsOurs(target: Kysely<Schema>): Promise<boolean> {
  const { rows } = await sql<{ name: string }>`select attname as name from pg_attribute
    where attrelid = to_regclass('schema_migrations') and attnum > 0 and not attisdropped
    order by attname`.execute(target);
  return rows.map(({ name }) => name).join() === "applied_at_ms,name";
}
