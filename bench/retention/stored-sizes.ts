import { sql } from "kysely";
import type { Database } from "#src/store/connection/database.ts";

/** Size of a table on disk, with its indexes. */
export type StoredSize = {
  readonly rows: number;
  readonly bytes: number;
  readonly dataBytes: number;
};

/** Measures one of the tables of samples. */
export async function storedSize(
  { db, dialect }: Database,
  table: "samples" | "rolled_samples",
): Promise<StoredSize> {
  const counted = await sql<{ n: bigint; data: bigint | string | null }>`select count(*) as n,
    sum(length(data)) as data from ${sql.table(table)}`.execute(db);
  const taken =
    dialect === "sqlite"
      ? await sql<{ bytes: bigint | null }>`select sum(pgsize) as bytes from dbstat
          where name = ${table}`.execute(db)
      : await sql<{ bytes: string | null }>`select sum(pg_total_relation_size(inhrelid)) as bytes
          from pg_inherits where inhparent = to_regclass(${table})`.execute(db);
  return {
    rows: Number(counted.rows[0]?.n ?? 0),
    bytes: Number(taken.rows[0]?.bytes ?? 0),
    dataBytes: Number(counted.rows[0]?.data ?? 0),
  };
}
