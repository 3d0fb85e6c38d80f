import { type ColumnDefinitionBuilder, type Kysely, type QueryExecutorProvider, sql } from "kysely";

export type Dialect = "sqlite" | "postgres";

/** What a migration is given. Whatever differs between the databases differs in this file alone. */
export type MigrationContext = {
  /** Builds tables, and runs plain SQL: a migration must not lean on today's typed tables. */
  readonly db: QueryExecutorProvider & Pick<Kysely<unknown>, "schema">;
  readonly dialect: Dialect;
};

/**
 * A numbered primary key that is never given twice, not even after a deletion.
 * Use with {@link numberedKey}: `addColumn("id", numberedKeyType(dialect), numberedKey(dialect))`.
 */
export function numberedKeyType(dialect: Dialect): "integer" | "bigint" {
  return dialect === "sqlite" ? "integer" : "bigint";
}

export function numberedKey(
  dialect: Dialect,
): (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder {
  return dialect === "sqlite"
    ? (column) => column.notNull().primaryKey().autoIncrement()
    : (column) => column.notNull().generatedByDefaultAsIdentity().primaryKey();
}

/** The type of a moment in the tables that the sign-in library writes; ours are int8 milliseconds. */
export function libraryMomentType(dialect: Dialect): "text" | "timestamptz" {
  return dialect === "sqlite" ? "text" : "timestamptz";
}

/** The type of a yes or no in the tables that the sign-in library writes; ours are int8 0 and 1. */
export function libraryBooleanType(dialect: Dialect): "bigint" | "boolean" {
  return dialect === "sqlite" ? "bigint" : "boolean";
}

/** Text whose order and equality are those of its bytes, on both databases. */
export function byteOrderedText(dialect: Dialect): "text" | ReturnType<typeof sql> {
  return dialect === "sqlite" ? "text" : sql`text collate "C"`;
}
