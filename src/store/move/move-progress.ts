import { type Kysely, sql } from "kysely";
import type { Database } from "../connection/database.ts";
import type { Schema } from "../schema.ts";
import { MoveRefusedError } from "./move-refused-error.ts";
import { checksumText, parseChecksum, type RowTally } from "./row-tally.ts";

/**
 * The copied rows of each table, stored in the target and committed with the rows. Created by a move,
 * not by a migration: other databases do not have this table.
 */
type MoveTables = {
  move_progress: {
    table_name: string;
    rows: bigint;
    checksum: string;
    /** When both databases were verified to be equal; null until then. */
    verified_at_ms: bigint | null;
  };
};

export const PROGRESS_TABLE = "move_progress";

export type MoveProgress = {
  readonly tallies: ReadonlyMap<string, RowTally>;
  /** Null until the move is complete. */
  readonly verifiedAtMs: number | null;
};

/** @returns null if no move to this database was started */
export async function readProgress(target: Kysely<Schema>): Promise<MoveProgress | null> {
  const { rows } = await sql<{ exists: boolean }>`
    select to_regclass(${PROGRESS_TABLE}) is not null as exists`.execute(target);
  if (rows[0]?.exists !== true) return null;
  const tables = await ofMove(target).selectFrom("move_progress").selectAll().execute();
  const moments = tables.map((row) => row.verified_at_ms);
  const tallies = tables.map((row): [string, RowTally] => [
    row.table_name,
    { rows: Number(row.rows), checksum: parseChecksum(row.checksum) },
  ]);
  const [moment = null] = moments;
  return {
    tallies: new Map(tallies),
    verifiedAtMs: moment === null || moments.includes(null) ? null : Number(moment),
  };
}

/** Claims an empty target: the service refuses to start on it until the move is complete. */
export async function beginProgress(
  target: Kysely<Schema>,
  tables: readonly string[],
): Promise<void> {
  await target.transaction().execute(async (transaction) => {
    await transaction.schema
      .createTable(PROGRESS_TABLE)
      .addColumn("table_name", "text", (column) => column.primaryKey())
      .addColumn("rows", "bigint", (column) => column.notNull())
      .addColumn("checksum", "text", (column) => column.notNull())
      .addColumn("verified_at_ms", "bigint")
      .execute();
    const rows = tables.map((table_name) => ({
      table_name,
      rows: 0n,
      checksum: checksumText(0n),
      verified_at_ms: null,
    }));
    await ofMove(transaction).insertInto("move_progress").values(rows).execute();
  });
}

/** Writes a table's progress, in the transaction that copies its rows. */
export async function writeProgress(
  target: Kysely<Schema>,
  table: string,
  { rows, checksum }: RowTally,
): Promise<void> {
  const tally = { rows: BigInt(rows), checksum: checksumText(checksum) };
  await ofMove(target)
    .insertInto("move_progress")
    .values({ table_name: table, ...tally, verified_at_ms: null })
    .onConflict((conflict) => conflict.column("table_name").doUpdateSet(tally))
    .execute();
}

export async function endProgress(target: Kysely<Schema>, nowMs: number): Promise<void> {
  await ofMove(target)
    .updateTable("move_progress")
    .set({ verified_at_ms: BigInt(nowMs) })
    .execute();
}

/**
 * Checks a database before the service uses it.
 *
 * @throws MoveRefusedError if a move to it is incomplete: part of the data is missing
 */
export async function refuseHalfMoved({ db, dialect }: Database): Promise<void> {
  if (dialect === "sqlite") return;
  const progress = await readProgress(db);
  if (progress !== null && progress.verifiedAtMs === null)
    throw new MoveRefusedError(
      "the move to this database is not done: run exitability admin move-to again, to its end",
    );
}

function ofMove(target: Kysely<Schema>) {
  return target.withTables<MoveTables>();
}
