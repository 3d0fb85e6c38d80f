import { randomBytes } from "node:crypto";
import type { TestContext } from "node:test";
import { sql } from "kysely";
import pg from "pg";
import { type Database, openDatabase } from "#src/store/database.ts";
import type { Dialect } from "#src/store/dialect.ts";
import { migrate } from "#src/store/migrate.ts";
import type { Ending } from "./ending.ts";
import { temporaryDirectory } from "./temporary-directory.ts";

/** Location of a database for one test: what `openDatabase` needs to open it. */
export type DatabasePlace = {
  readonly dialect: Dialect;
  readonly databaseUrl: string | null;
  readonly dataDir: string;
};

/** The tables of this location only: other schemas of that Postgres are ignored. */
export async function ownTables({ db, dialect }: Pick<Database, "db" | "dialect">) {
  const tables = await db.introspection.getTables();
  if (dialect === "sqlite") return tables;
  const { rows } = await sql<{ name: string }>`select current_schema() as name`.execute(db);
  return tables.filter(({ schema }) => schema === rows[0]?.name);
}

/**
 * Runs one suite on a fresh, migrated SQLite and, where DATABASE_URL is set, on a fresh schema of
 * that Postgres. On CI a missing DATABASE_URL fails.
 */
export async function eachDatabase(
  t: TestContext,
  suite: (t: TestContext, database: Database) => Promise<void>,
): Promise<void> {
  await eachDatabasePlace(t, async (t, place) => {
    const database = openDatabase(place);
    try {
      await migrate(database, 0);
      await suite(t, database);
    } finally {
      await database.close();
    }
  });
}

/** As `eachDatabase`, for suites that open the database themselves: it is empty. */
export async function eachDatabasePlace(
  t: TestContext,
  suite: (t: TestContext, place: DatabasePlace) => Promise<void>,
): Promise<void> {
  await t.test("on SQLite", (t) => suite(t, sqlitePlace(t)));
  await t.test("on Postgres", async (t) => {
    const place = await postgresPlace(t);
    if (place !== null) await suite(t, place);
  });
}

/** A fresh, migrated SQLite for tests that are not about the database. */
export async function sqliteDatabase(t: TestContext): Promise<Database> {
  const database = openDatabase(sqlitePlace(t));
  t.after(() => database.close());
  await migrate(database, 0);
  return database;
}

/** A fresh directory, removed after the test. */
export function sqlitePlace(t: TestContext): DatabasePlace {
  const dataDir = temporaryDirectory(t);
  return { dialect: "sqlite", databaseUrl: null, dataDir };
}

/** A fresh schema in the Postgres of DATABASE_URL, dropped after the test; null, and the test is skipped, without one. */
export async function postgresPlace(t: TestContext): Promise<DatabasePlace | null> {
  const { DATABASE_URL: url, CI } = process.env;
  if (url === undefined || url === "") {
    if (CI) throw new Error("DATABASE_URL must be set on CI");
    t.skip("DATABASE_URL is not set: not tested on Postgres");
    return null;
  }
  const { dataDir } = sqlitePlace(t);
  return { dialect: "postgres", databaseUrl: await ownSchema(t, url), dataDir };
}

/** A fresh schema of that Postgres, as a URL of its own; gone at the end. */
export async function ownSchema(ending: Ending, url: string): Promise<string> {
  const name = `test_${randomBytes(6).toString("hex")}`;
  await runOnce(url, `create schema ${name}`);
  ending.after(() => runOnce(url, `drop schema ${name} cascade`));
  const own = new URL(url);
  own.searchParams.set("options", `-c search_path=${name}`);
  return own.href;
}

/** As `postgresPlace`, a whole database instead of a schema: what is dumped and restored. */
export async function ownPostgres(t: TestContext): Promise<DatabasePlace | null> {
  const place = await postgresPlace(t);
  const { DATABASE_URL: url } = process.env;
  if (place === null || url === undefined) return null;
  const name = `test_${randomBytes(6).toString("hex")}`;
  await runOnce(url, `create database ${name}`);
  t.after(() => runOnce(url, `drop database ${name} with (force)`));
  const own = new URL(url);
  own.pathname = `/${name}`;
  return { ...place, databaseUrl: own.href };
}

async function runOnce(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
