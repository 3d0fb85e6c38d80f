import type { Kysely, QueryExecutorProvider } from "kysely";

export type Dialect = "sqlite" | "postgres";

export type MigrationContext = {
  /** Runs plain SQL and builds tables: a migration must not depend on today's typed tables. */
  readonly db: QueryExecutorProvider & Pick<Kysely<unknown>, "schema">;
  readonly dialect: Dialect;
};
