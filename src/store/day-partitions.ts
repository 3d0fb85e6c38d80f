import { type Kysely, type QueryExecutorProvider, sql } from "kysely";
import { MS_PER_DAY } from "#src/platform/clock.ts";
import type { Schema } from "./schema.ts";

/** Tables that Postgres keeps in one partition a day, so that a day is dropped whole. */
const DAY_TABLES = ["samples", "rolled_samples"] as const;
export type DayTable = (typeof DAY_TABLES)[number];

/** How long a drop waits for readers of the table; meanwhile writers wait for the drop. */
const LOCK_WAIT_MS = 500;

export function isDayTable(name: string): name is DayTable {
  return DAY_TABLES.some((table) => table === name);
}

/**
 * Creates missing partitions for days (whole days since 1970 in UTC) on Postgres. A table that is created as a
 * partition would wait for every reader of the whole table, such as a backup, and all readers after it would wait for
 * it; a table that is attached waits for no reader or writer.
 */
export async function addDayPartitions(
  db: QueryExecutorProvider,
  table: DayTable,
  days: ReadonlySet<number>,
): Promise<void> {
  for (const day of days) {
    const name = partitionOf(table, day);
    const [partition, whole] = [sql.ref(name), sql.ref(table)];
    await sql`do $$ begin
      if to_regclass(format('%I.%I', current_schema(), ${sql.lit(name)})) is null then
        create table ${partition} (like ${whole} including all);
        alter table ${whole} attach partition ${partition}
          for values from (${sql.lit(day)}) to (${sql.lit(day + 1)});
      end if; end $$`.execute(db);
  }
}

/** The days with a partition on Postgres, ascending. */
export async function partitionDays(
  db: QueryExecutorProvider,
  table: DayTable,
): Promise<readonly number[]> {
  const { rows } = await sql<{ name: string }>`select child.relname as name
    from pg_inherits join pg_class child on child.oid = inhrelid
    where inhparent = to_regclass(${table})`.execute(db);
  return rows.map(({ name }) => dayOf(name)).toSorted((a, b) => a - b);
}

/**
 * Drops a day on Postgres.
 *
 * @throws where the table was read for longer than half a second: nothing is dropped then
 */
export async function dropDayPartition(
  db: Kysely<Schema>,
  table: DayTable,
  day: number,
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await sql`set local lock_timeout = ${sql.lit(LOCK_WAIT_MS)}`.execute(transaction);
    await sql`drop table if exists ${sql.ref(partitionOf(table, day))}`.execute(transaction);
  });
}

function partitionOf(table: DayTable, day: number): string {
  const [year, month, date] = new Date(day * MS_PER_DAY).toISOString().slice(0, 10).split("-");
  return `${table}_y${year}m${month}d${date}`;
}

function dayOf(partition: string): number {
  const [, year, month, date] = /_y(\d{4})m(\d\d)d(\d\d)$/.exec(partition) ?? [];
  const atMs = Date.parse(`${year}-${month}-${date}T00:00:00Z`);
  if (Number.isNaN(atMs)) throw new Error(`${partition} does not name a partition of a day`);
  return atMs / MS_PER_DAY;
}
