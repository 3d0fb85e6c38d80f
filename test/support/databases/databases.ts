import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { sql } from "kysely";
import { DATABASE_FILE, type Database, openDatabase } from "#src/store/connection/database.ts";
import type { Dialect } from "#src/store/connection/dialect.ts";
import { migrate } from "#src/store/connection/migrate.ts";
import { closeAfter } from "../ending.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { migratedSchema, ownSchema, runOnce } from "./postgres-schemas.ts";

/** Location of a database for one test: what `openDatabase` needs to open it. */
export type DatabasePlace = {
  readonly dialect: Dialect;
  readonly databaseUrl: string | null;
  readonly dataDir: string;
};

type OwnTable = {
  readonly name: string;
  readonly columns: readonly {
    readonly name: string;
    readonly dataType: string;
    readonly isNullable: boolean;
  }[];
};

/**
 * The tables of this schema only. Kysely's own function reads every schema of Postgres, and fails if
 * another test drops one meanwhile.
 */
export async function ownTables({
  db,
  dialect,
}: Pick<Database, "db" | "dialect">): Promise<readonly OwnTable[]> {
  if (dialect === "sqlite") return db.introspection.getTables();
  const { rows } = await sql<{
    readonly table: string;
    readonly name: string;
    readonly dataType: string;
    readonly isNullable: boolean;
  }>`select c.relname as table, a.attname as name, t.typname as "dataType",
            not a.attnotnull as "isNullable"
     from pg_class c
     join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     join pg_type t on t.oid = a.atttypid
     where c.relkind in ('r', 'p') and c.relnamespace = current_schema()::regnamespace
     order by c.relname, a.attnum`.execute(db);
  return [...Map.groupBy(rows, ({ table }) => table)].map(([name, columns]) => ({ name, columns }));
}

/**
 * Runs one suite on a fresh, migrated SQLite and, where DATABASE_URL is set, on a migrated schema of
 * that Postgres, which is as fresh. On CI a missing DATABASE_URL fails.
 */
export async function eachDatabase(
  t: TestContext,
  suite: (t: TestContext, database: Database) => Promise<void>,
): Promise<void> {
  const run = async (t: TestContext, database: Database) => {
    try {
      await suite(t, database);
    } finally {
      await database.close();
    }
  };
  await t.test("on SQLite", async (t) => run(t, await openMigrated(sqlitePlace(t))));
  await t.test("on Postgres", async (t) => {
    const url = postgresUrl(t);
    if (url === null) return;
    const databaseUrl = await migratedSchema(t, url);
    await run(t, openDatabase({ databaseUrl, dataDir: sqlitePlace(t).dataDir }));
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
  const database = await openMigrated(sqlitePlace(t));
  closeAfter(t, () => database.close());
  return database;
}

/** The bytes of a migrated, empty SQLite database: copied for each test, because migrating is much slower. */
let migratedFile: Buffer | null = null;

async function openMigrated(place: DatabasePlace): Promise<Database> {
  migratedFile ??= await migrateFile();
  writeFileSync(join(place.dataDir, DATABASE_FILE), migratedFile, { mode: 0o600 });
  return openDatabase(place);
}

async function migrateFile(): Promise<Buffer> {
  const dataDir = mkdtempSync(join(tmpdir(), "exitability-test-"));
  const database = openDatabase({ databaseUrl: null, dataDir });
  await migrate(database, 0);
  await database.close();
  const bytes = readFileSync(join(dataDir, DATABASE_FILE));
  rmSync(dataDir, { recursive: true });
  return bytes;
}

/** A fresh directory, removed after the test. */
export function sqlitePlace(t: TestContext): DatabasePlace {
  const dataDir = temporaryDirectory(t, process.env["TEST_DATABASES_DIR"]);
  return { dialect: "sqlite", databaseUrl: null, dataDir };
}

/** A fresh schema in the Postgres of DATABASE_URL, dropped after the test; null, and the test is skipped, without one. */
export async function postgresPlace(t: TestContext): Promise<DatabasePlace | null> {
  const url = postgresUrl(t);
  if (url === null) return null;
  const { dataDir } = sqlitePlace(t);
  return { dialect: "postgres", databaseUrl: await ownSchema(t, url), dataDir };
}

function postgresUrl(t: TestContext): string | null {
  const { DATABASE_URL: url, CI } = process.env;
  if (url !== undefined && url !== "") return url;
  if (CI) throw new Error("DATABASE_URL must be set on CI");
  t.skip("DATABASE_URL is not set: not tested on Postgres");
  return null;
}

/** As `postgresPlace`, a whole database instead of a schema: what is dumped and restored. */
export async function ownPostgres(t: TestContext): Promise<DatabasePlace | null> {
  const place = await postgresPlace(t);
  const { DATABASE_URL: url } = process.env;
  if (place === null || url === undefined) return null;
  const name = `test_${randomBytes(6).toString("hex")}`;
  await runOnce(url, `create database ${name}`);
  closeAfter(t, () => runOnce(url, `drop database ${name} with (force)`));
  const own = new URL(url);
  own.pathname = `/${name}`;
  return { ...place, databaseUrl: own.href };
}
