import { type QueryExecutorProvider, sql } from "kysely";
import type { Dialect } from "../connection/dialect.ts";
import { addDayPartitions, isDayTable } from "../day-partitions.ts";
import type { Cell } from "./column-kinds.ts";
import { MoveRefusedError } from "./move-refused-error.ts";
import { addRows, NO_ROWS, type RowTally } from "./row-tally.ts";
import type { TableShape } from "./table-shapes.ts";

type TableRow = readonly Cell[];
type TableSide = { readonly db: QueryExecutorProvider; readonly dialect: Dialect };

/** Rows per page: read, sent and committed together. */
const PAGE_ROWS = 250;

/**
 * A table's rows in key order, by page. Each page starts after the last key of the previous one, so
 * that all pages cost the same.
 *
 * @throws MoveRefusedError at a value that Postgres cannot hold unchanged
 */
export async function* pagesOf(
  side: TableSide,
  shape: TableShape,
): AsyncGenerator<readonly TableRow[]> {
  const key = sql.join(shape.key.map((column) => sql.ref(`${shape.name}.${column}`)));
  const columns = shape.columns.map(({ name, kind }) => {
    const column = sql.ref(`${shape.name}.${name}`);
    return sql`${side.dialect === "postgres" ? kind.select(column) : column} as ${sql.ref(name)}`;
  });
  let last: Readonly<Record<string, unknown>> | null = null;
  for (;;) {
    const behind = shape.key.map((column) => last?.[column]);
    const { rows }: { readonly rows: readonly Record<string, unknown>[] } = await sql<
      Record<string, unknown>
    >`select ${sql.join(columns)} from ${sql.table(shape.name)}
      ${last === null ? sql`` : sql`where (${key}) > (${sql.join(behind)})`}
      order by ${key} limit ${sql.lit(PAGE_ROWS)}`.execute(side.db);
    if (rows.length > 0) yield rows.map((row) => readRow(row, shape, side.dialect));
    if (rows.length < PAGE_ROWS) return;
    last = rows.at(-1) ?? null;
  }
}

function readRow(
  row: Readonly<Record<string, unknown>>,
  shape: TableShape,
  dialect: Dialect,
): TableRow {
  return shape.columns.map(({ name, kind }) => {
    const value = row[name] ?? null;
    if (value === null) return null;
    if (dialect === "postgres") return kind.fromPostgres(value);
    const cell = kind.fromSqlite(value);
    if (cell !== null) return cell;
    throw new MoveRefusedError(
      `${shape.name}.${name} holds a value that ${kind.postgresType} can't hold as it is: put it right in the source first`,
    );
  });
}

export async function tallyOf(pages: AsyncIterable<readonly TableRow[]>): Promise<RowTally> {
  let tally = NO_ROWS;
  for await (const page of pages) tally = addRows(tally, page);
  return tally;
}

/** Inserts rows unchanged, with their numbers. Call it in a transaction. */
export async function insertRows(
  target: QueryExecutorProvider,
  shape: TableShape,
  rows: readonly TableRow[],
): Promise<void> {
  if (isDayTable(shape.name)) {
    const day = shape.columns.findIndex(({ name }) => name === "day");
    await addDayPartitions(target, shape.name, new Set(rows.map((row) => Number(row[day]))));
  }
  const names = shape.columns.map(({ name }) => sql.ref(name));
  const values = shape.columns.map(({ kind }, index) => {
    const cells = rows.map((row) => row[index] ?? null);
    return sql`${cells}::${sql.raw(kind.postgresType)}[]`;
  });
  await sql`insert into ${sql.table(shape.name)} (${sql.join(names)})
    select * from unnest(${sql.join(values)})`.execute(target);
}
