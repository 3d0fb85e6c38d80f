import { type RawBuilder, sql } from "kysely";

/**
 * A value in the form common to both databases: Postgres accepts it as input and checksums are
 * computed from it. Null is SQL's null.
 */
export type Cell = string | Uint8Array | null;

/** How values of one column type are copied from SQLite to Postgres unchanged. */
export type ColumnKind = {
  /** The type as Postgres names it. */
  readonly postgresType: string;
  /** Converts a value of SQLite; null if the column cannot hold it on Postgres. */
  readonly fromSqlite: (value: unknown) => Exclude<Cell, null> | null;
  /** The expression to select on Postgres for `fromPostgres`. */
  readonly select: (column: RawBuilder<unknown>) => RawBuilder<unknown>;
  readonly fromPostgres: (value: unknown) => Exclude<Cell, null>;
};

const unchanged = (column: RawBuilder<unknown>): RawBuilder<unknown> => column;

/** The milliseconds that the sign-in library writes on SQLite; Postgres holds microseconds. */
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const KINDS: readonly ColumnKind[] = [
  {
    postgresType: "bigint",
    fromSqlite: (value) => (typeof value === "bigint" ? String(value) : null),
    select: unchanged,
    fromPostgres: String,
  },
  {
    postgresType: "double precision",
    // The shortest digits that identify this double: reading them gives the same bits.
    fromSqlite: (value) => (typeof value === "number" ? String(value) : null),
    select: unchanged,
    fromPostgres: String,
  },
  {
    postgresType: "text",
    fromSqlite: (value) => (typeof value === "string" && !value.includes("\0") ? value : null),
    select: unchanged,
    fromPostgres: String,
  },
  {
    postgresType: "bytea",
    fromSqlite: (value) => (value instanceof Uint8Array ? value : null),
    select: unchanged,
    fromPostgres: (value) => {
      if (value instanceof Uint8Array) return value;
      throw new TypeError("bytea was not read as bytes");
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
    select: unchanged,
    fromPostgres: String,
  },
];

/** Null for an unsupported type. */
export function columnKindOf(postgresType: string): ColumnKind | null {
  return KINDS.find((kind) => kind.postgresType === postgresType) ?? null;
}

function isMoment(text: string): boolean {
  const ms = MOMENT.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(ms) && new Date(ms).toISOString() === text;
}
