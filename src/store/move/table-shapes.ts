import { type QueryExecutorProvider, sql } from "kysely";
import { type ColumnKind, columnKindOf } from "./column-kinds.ts";
import { MoveRefusedError } from "./move-refused-error.ts";

/** One table as both databases have it. */
export type TableShape = {
  readonly name: string;
  readonly columns: readonly { readonly name: string; readonly kind: ColumnKind }[];
  /** The primary key's columns, in its order. */
  readonly key: readonly string[];
  /** The column that numbers its rows, or null. */
  readonly numberedBy: string | null;
};

/** Created by each database itself. */
const NOT_MOVED = ["schema_migrations"];

/** Every table to move, each after the tables it references. */
export async function sourceTables(source: QueryExecutorProvider): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`select name from sqlite_schema
    where type = 'table' and name not like 'sqlite\\_%' escape '\\' order by name`.execute(source);
  const referred = new Map<string, readonly string[]>();
  for (const { name } of rows) {
    if (NOT_MOVED.includes(name)) continue;
    const keys = await sql<{ table: string }>`select distinct "table"
      from pragma_foreign_key_list(${name})`.execute(source);
    const tables = keys.rows.map(({ table }) => table);
    referred.set(name, tables);
  }
  return inOrder(referred);
}

/** @throws if references form a cycle: there is no order of copying */
function inOrder(referred: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const ordered: string[] = [];
  while (ordered.length < referred.size) {
    const next = [...referred].find(
      ([name, tables]) =>
        !ordered.includes(name) && tables.every((table) => ordered.includes(table)),
    );
    if (next === undefined) throw new Error("tables refer to each other in a circle");
    ordered.push(next[0]);
  }
  return ordered;
}

/**
 * Reads one table's shape on both sides.
 *
 * @throws MoveRefusedError if the two differ, or a type is not supported
 */
export async function readTableShape(
  {
    source,
    target,
  }: { readonly source: QueryExecutorProvider; readonly target: QueryExecutorProvider },
  name: string,
): Promise<TableShape> {
  const here = await sql<{ name: string; pk: bigint }>`select name, pk
    from pragma_table_info(${name}) order by cid`.execute(source);
  const there = await sql<{ name: string; type: string; is_numbered: boolean }>`
    select attname as name, format_type(atttypid, null) as type, attidentity <> '' as is_numbered
    from pg_attribute where attrelid = to_regclass(quote_ident(${name}))
      and attnum > 0 and not attisdropped`.execute(target);
  const columns = here.rows.map((column) => {
    const twin = there.rows.find((row) => row.name === column.name);
    const kind = twin === undefined ? null : columnKindOf(twin.type);
    if (twin === undefined || kind === null)
      throw new MoveRefusedError(
        `column ${name}.${column.name} ${twin === undefined ? "is not in the target" : `is ${twin.type} there, which this version can't move`}`,
      );
    return { name: column.name, kind };
  });
  if (there.rows.length !== columns.length)
    throw new MoveRefusedError(`table ${name} has columns in the target that the source has not`);
  const key = here.rows.filter(({ pk }) => pk > 0n).sort((a, b) => Number(a.pk - b.pk));
  if (key.length === 0) throw new MoveRefusedError(`table ${name} has no primary key to page by`);
  return {
    name,
    columns,
    key: key.map((column) => column.name),
    numberedBy: there.rows.find((row) => row.is_numbered)?.name ?? null,
  };
}
