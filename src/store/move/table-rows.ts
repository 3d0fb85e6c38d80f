import { type QueryExecutorProvider, sql } from "kysely";
import type { Dialect } from "../dialect.ts";
import { addSamplePartitions } from "../samples.ts";
import type { Cell } from "./column-kinds.ts";
import { MoveRefusedError } from "./move-refused-error.ts";
import { addRows, NO_ROWS, type RowTally } from "./row-tally.ts";
import type { TableShape } from "./table-shapes.ts";

type Row = readonly Cell[];
type Side = { readonly db: QueryExecutorProvider; readonly dialect: Dialect };

/** Rows that are read, sent and committed together. */
const PAGE_ROWS = 250;

/**
 * A table's rows in the order of its key, a page at a time: each page begins behind the last key of
 * the one before, so that none costs more than another.
 *
 * @throws MoveRefusedError at a value that Postgres could not hold as it is
 */
export async function* pagesOf(side: Side, shape: TableShape): AsyncGenerator<readonly Row[]> {
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

function readRow(row: Readonly<Record<string, unknown>>, shape: TableShape, dialect: Dialect): Row {
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

export async function tallyOf(pages: AsyncIterable<readonly Row[]>): Promise<RowTally> {
  let tally = NO_ROWS;
  for await (const page of pages) tally = addRows(tally, page);
  return tally;
}

/** Writes rows as they are, numbers of rows included. Meant for a transaction. */
export async function insertRows(
  target: QueryExecutorProvider,
  shape: TableShape,
  rows: readonly Row[],
): Promise<void> {
  if (shape.name === "samples") {
    const day = shape.columns.findIndex(({ name }) => name === "day");
    await addSamplePartitions(target, new Set(rows.map((row) => Number(row[day]))));
  }
  const names = shape.columns.map(({ name }) => sql.ref(name));
  const values = shape.columns.map(({ kind }, index) => {
    const cells = rows.map((row) => row[index] ?? null);
    return sql`${cells}::${sql.raw(kind.postgresType)}[]`;
  });
  await sql`insert into ${sql.table(shape.name)} (${sql.join(names)})
    select * from unnest(${sql.join(values)})`.execute(target);
}
