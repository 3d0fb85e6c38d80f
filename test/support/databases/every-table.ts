import { type Kysely, sql } from "kysely";
import { seededRandom } from "#src/platform/seeded-random.ts";
import { sourceTables } from "#src/store/move/table-shapes.ts";
import type { Schema } from "#src/store/schema.ts";

type Column = { readonly name: string; readonly type: string; readonly isNullable: boolean };
type Value = bigint | number | string | Uint8Array | null;
type Draw = <T>(from: readonly T[]) => T;

const ROWS_PER_INSERT = 50;
const INTEGERS = [0n, 1n, -1n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n)];
const DOUBLES = [0, 1 / 3, -0.1, 5e-324, 1.797_693_134_862_315_7e308, 1e21, 1e-7, Infinity];
const TEXTS = [
  "",
  "NULL",
  "null",
  " spaces ",
  '{"a":"b,c","d":[1,null]}',
  `quotes ' " \\ \\\\ {},()$1`,
  "line\nfeed\r\ttab\u0001\u007F",
  "ñandú 日本 \u{1F600} \uFFFD \u202E",
];
const LONG_TEXT = 'long \\ " é\n'.repeat(20_000);
const BYTES = [new Uint8Array(), Uint8Array.from({ length: 256 }, (_, byte) => byte)];
const LONG_BYTES = Uint8Array.from({ length: 40_000 }, (_, index) => (index * 7) % 251);
const MOMENTS = [
  "1970-01-01T00:00:00.000Z",
  "2026-11-20T12:34:56.789Z",
  "9999-12-31T23:59:59.999Z",
];

/** What a column may hold beyond its type, where that is less than everything. */
const NARROWER: Readonly<Record<string, (row: number, draw: Draw) => Value>> = {
  "samples.day": (row) => 20_000n + BigInt(row % 9),
  "rolled_samples.day": (row) => 20_000n + BigInt(row % 9),
  "samples.hour": (row) => BigInt(row % 24),
  "users.email_verified": (row) => BigInt(row % 2),
};

/**
 * Fills every table that the migrations make, an embedded database's, with rows that are hard to
 * keep as they are: the ends of each type, nulls, long values, and numbers whose rows are gone.
 *
 * @returns how many rows each table has
 */
export async function fillEveryTable(
  db: Kysely<Schema>,
  { rows, seed }: { readonly rows: number; readonly seed: number },
): Promise<ReadonlyMap<string, number>> {
  const random = seededRandom(seed);
  const draw: Draw = (from) => {
    const drawn = from[Math.floor(random() * from.length)];
    if (drawn === undefined) throw new Error("nothing to draw from");
    return drawn;
  };
  const counts = new Map<string, number>();
  for (const table of await sourceTables(db)) {
    await fillTable(db, table, { rows, draw });
    const counted = await sql<{ n: bigint }>`select count(*) as n from ${sql.table(table)}`.execute(
      db,
    );
    counts.set(table, Number(counted.rows[0]?.n));
  }
  return counts;
}

async function fillTable(
  db: Kysely<Schema>,
  table: string,
  { rows, draw }: { readonly rows: number; readonly draw: Draw },
): Promise<void> {
  const info = await sql<{ name: string; type: string; notnull: bigint; pk: bigint }>`
    select name, type, "notnull", pk from pragma_table_info(${table})`.execute(db);
  const numbered = info.rows.find(({ type, pk }) => pk > 0n && type.toLowerCase() === "integer");
  const columns = info.rows
    .filter((row) => row !== numbered)
    .map(({ name, type, notnull }) => ({ name, type: type.toLowerCase(), isNullable: !notnull }));
  const indexed = await indexedColumns(db, table);
  const parents = await parentValues(db, table);
  const drawRow = (row: number): readonly Value[] =>
    columns.map((column) => {
      const narrower = NARROWER[`${table}.${column.name}`];
      const from = parents.get(column.name);
      if (narrower !== undefined) return narrower(row, draw);
      if (from !== undefined) return draw(from);
      return drawValue(column, { row, draw, isIndexed: indexed.has(column.name) });
    });
  await db.transaction().execute(async (transaction) => {
    for (let first = 0; first < rows; first += ROWS_PER_INSERT) {
      const count = Math.min(ROWS_PER_INSERT, rows - first);
      const values = Array.from({ length: count }, (_, place) => drawRow(first + place));
      await sql`insert or ignore into ${sql.table(table)}
        (${sql.join(columns.map(({ name }) => sql.ref(name)))})
        values ${sql.join(values.map((row) => sql`(${sql.join(row)})`))}`.execute(transaction);
    }
    if (numbered !== undefined)
      await sql`delete from ${sql.table(table)}
        where ${sql.ref(numbered.name)} > ${BigInt(rows - 3)}`.execute(transaction);
  });
}

/** Values that have to differ carry the row's number; Postgres indexes short texts alone. */
function drawValue(
  { name, type, isNullable }: Column,
  {
    row,
    draw,
    isIndexed,
  }: { readonly row: number; readonly draw: Draw; readonly isIndexed: boolean },
): Value {
  if (isNullable && draw([true, false, false])) return null;
  switch (type) {
    case "bigint":
      return isIndexed ? BigInt(row) - 5n : draw(INTEGERS);
    case "double precision":
      return draw(DOUBLES);
    case "blob":
      return row % 40 === 7 ? LONG_BYTES : draw(BYTES);
    case "text":
      if (name.endsWith("_at")) return draw(MOMENTS);
      if (isIndexed) return `${draw(TEXTS)}#${row}`;
      return row === 7 ? LONG_TEXT : draw(TEXTS);
    default:
      throw new Error(`nothing to fill ${type} ${name} with`);
  }
}

async function indexedColumns(db: Kysely<Schema>, table: string): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ name: string }>`select info.name as name
    from pragma_index_list(${table}) list, pragma_index_info(list.name) info`.execute(db);
  return new Set(rows.map(({ name }) => name));
}

/** The values that a column referring to another table may have. */
async function parentValues(
  db: Kysely<Schema>,
  table: string,
): Promise<ReadonlyMap<string, readonly Value[]>> {
  const keys = await sql<{ from: string; table: string; to: string }>`
    select "from", "table", "to" from pragma_foreign_key_list(${table})`.execute(db);
  const values = new Map<string, readonly Value[]>();
  for (const key of keys.rows) {
    const { rows } = await sql<{ value: Value }>`select ${sql.ref(key.to)} as value
      from ${sql.table(key.table)}`.execute(db);
    values.set(
      key.from,
      rows.map(({ value }) => value),
    );
  }
  return values;
}

/** Every row of every table in one comparable form, whichever database it comes from. */
export async function contentOf(
  db: Kysely<Schema>,
  tables: readonly string[],
): Promise<Readonly<Record<string, readonly string[]>>> {
  const content: Record<string, readonly string[]> = {};
  for (const table of tables) {
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(table)}`.execute(
      db,
    );
    content[table] = rows.map((row) => JSON.stringify(Object.entries(row).sort(), plain)).sort();
  }
  return content;
}

function plain(this: unknown, key: string, written: unknown): unknown {
  // Buffers and dates write themselves before they are shown here: the holder has the value itself.
  const value = (this as Record<string, unknown>)[key];
  if (value instanceof Uint8Array) return `bytes ${Buffer.from(value).toString("hex")}`;
  if (value instanceof Date) return value.toISOString();
  if (typeof value === "bigint") return `integer ${value}`;
  if (typeof value === "boolean") return `integer ${value ? 1 : 0}`;
  if (typeof value === "number") return `double ${value}`;
  return written;
}
