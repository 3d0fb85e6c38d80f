import { type QueryExecutorProvider, sql } from "kysely";
import type { TableShape } from "./table-shapes.ts";

type NumberedTable = Pick<TableShape, "name"> & { readonly numberedBy: string };

export function isNumbered(shape: TableShape): shape is TableShape & NumberedTable {
  return shape.numberedBy !== null;
}

/** The highest row number ever given, of deleted rows too; 0 before the first. */
export async function lastNumberGiven(
  source: QueryExecutorProvider,
  { name }: NumberedTable,
): Promise<bigint> {
  const { rows } = await sql<{ seq: bigint }>`select seq from sqlite_sequence
    where name = ${name}`.execute(source);
  return rows[0]?.seq ?? 0n;
}

/** The same on Postgres. */
export async function lastNumberOfTarget(
  target: QueryExecutorProvider,
  table: NumberedTable,
): Promise<bigint> {
  const { rows } = await sql<{ last: bigint | null }>`
    select pg_sequence_last_value(${sequenceOf(table)}::regclass) as last`.execute(target);
  return rows[0]?.last ?? 0n;
}

/** Continues numbering after `last`: no number is given twice. */
export async function continueNumbering(
  target: QueryExecutorProvider,
  table: NumberedTable,
  last: bigint,
): Promise<void> {
  if (last > 0n) await sql`select setval(${sequenceOf(table)}, ${last})`.execute(target);
}

function sequenceOf({ name, numberedBy }: NumberedTable) {
  return sql`pg_get_serial_sequence(quote_ident(${name}), ${numberedBy})`;
}
