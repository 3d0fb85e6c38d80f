import { type RawBuilder, sql } from "kysely";

/**
 * A value in the one form that both databases are brought to: what Postgres reads as input, and what
 * checksums are made of. Null is SQL's null.
 */
export type Cell = string | Uint8Array | null;

/** How the values of one type of column pass from SQLite to Postgres without a change. */
export type ColumnKind = {
  /** The type as Postgres names it. */
  readonly postgresType: string;
  /** A value as SQLite holds it; null where it is nothing that this column may hold on Postgres. */
  readonly fromSqlite: (value: unknown) => Exclude<Cell, null> | null;
  /** What to select on Postgres for `fromPostgres` to read. */
  readonly select: (column: RawBuilder<unknown>) => RawBuilder<unknown>;
  readonly fromPostgres: (value: unknown) => Exclude<Cell, null>;
};

const asItIs = (column: RawBuilder<unknown>): RawBuilder<unknown> => column;

/** The milliseconds that the sign-in library writes on SQLite; Postgres holds microseconds. */
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const KINDS: readonly ColumnKind[] = [
  {
    postgresType: "bigint",
    fromSqlite: (value) => (typeof value === "bigint" ? String(value) : null),
    select: asItIs,
    fromPostgres: String,
  },
  {
    postgresType: "double precision",
    // The shortest digits that name this double and no other: read back, they are the same bits.
    fromSqlite: (value) => (typeof value === "number" ? String(value) : null),
    select: asItIs,
    fromPostgres: String,
  },
  {
    postgresType: "text",
    fromSqlite: (value) => (typeof value === "string" && !value.includes("\0") ? value : null),
    select: asItIs,
    fromPostgres: String,
  },
  {
    postgresType: "bytea",
    fromSqlite: (value) => (value instanceof Uint8Array ? value : null),
    select: asItIs,
    fromPostgres: (value) => {
      if (value instanceof Uint8Array) return value;
      throw new TypeError("bytea did not come back as bytes");
    },
  },
  {
    postgresType: "timestamp with time zone",
    fromSqlite: (value) =>
      typeof value === "string" && isMoment(value) ? value.replace("Z", "000Z") : null,
    select: (column) => sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`,
    fromPostgres: String,
  },
  {
    postgresType: "boolean",
    fromSqlite: (value) => (value === 1n ? "true" : value === 0n ? "false" : null),
    select: asItIs,
    fromPostgres: String,
  },
];

/** Null for a type that nobody has said how to move. */
export function columnKindOf(postgresType: string): ColumnKind | null {
  return KINDS.find((kind) => kind.postgresType === postgresType) ?? null;
}

function isMoment(text: string): boolean {
  const ms = MOMENT.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(ms) && new Date(ms).toISOString() === text;
}
