import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { sql } from "kysely";
import {
  type DatabasePlace,
  eachDatabasePlace,
  ownTables,
  postgresPlace,
} from "#test/support/databases/databases.ts";
import { type Database, openDatabase } from "./database.ts";
import type { MigrationContext } from "./dialect.ts";
import { MIGRATIONS, type Migration, migrate, OtherTablesError } from "./migrate.ts";

const table = (name: string): Migration => ({
  name,
  up: async ({ db }) => {
    await db.schema.createTable(name).addColumn("id", "bigint").execute();
  },
});
const broken: Migration = {
  name: "0003-broken",
  up: async (context) => {
    await table("0003-broken").up(context);
    throw new Error("half-way");
  },
};

async function tablesOf(database: Database): Promise<readonly string[]> {
  return (await ownTables(database)).map(({ name }) => name).sort();
}

async function opened(place: DatabasePlace, work: (database: Database) => Promise<void>) {
  const database = openDatabase(place);
  try {
    await work(database);
  } finally {
    await database.close();
  }
}

test("each migration runs once, in order", async (t) => {
  await eachDatabasePlace(t, async (_t, place) => {
    await opened(place, async (database) => {
      assert.deepEqual(
        await migrate(database, 0),
        MIGRATIONS.map(({ name }) => name),
      );
      assert.deepEqual(await migrate(database, 1), []);
    });
  });
});

test("a failed migration leaves the tables unchanged", async (t) => {
  await eachDatabasePlace(t, async (_t, place) => {
    await opened(place, async (database) => {
      await migrate(database, 0, [table("0001-one")]);
      await assert.rejects(migrate(database, 0, [table("0001-one"), table("0002-two"), broken]));
      assert.deepEqual(await tablesOf(database), ["0001-one", "schema_migrations"]);
    });
  });
});

test("an older version starts on a newer version's tables, and runs a missing migration", async (t) => {
  await eachDatabasePlace(t, async (_t, place) => {
    await opened(place, async (database) => {
      await migrate(database, 0, [table("0001-one"), table("0009-newer")]);
      assert.deepEqual(await migrate(database, 0, [table("0001-one")]), []);
      const late = await migrate(database, 0, [table("0001-one"), table("0002-two")]);
      assert.deepEqual(late, ["0002-two"]);
    });
  });
});

test("a database with other first tables is refused unchanged", async (t) => {
  await eachDatabasePlace(t, async (_t, place) => {
    await opened(place, async (database) => {
      await migrate(database, 0, [table("0001-one"), table("0002-two")]);
      const tables = await tablesOf(database);
      const edited = [table("0001-one-edited"), table("0002-two"), table("0003-three")];
      await assert.rejects(migrate(database, 1, edited), OtherTablesError);
      assert.deepEqual(await tablesOf(database), tables);
    });
  });
});

test("of processes that start together one migrates", async (t) => {
  const place = await postgresPlace(t);
  if (place === null) return;
  const databases = Array.from({ length: 5 }, () => openDatabase({ ...place, connections: 1 }));
  try {
    const ran = await Promise.all(databases.map((database) => migrate(database, 0)));
    assert.deepEqual(
      ran.flat(),
      MIGRATIONS.map(({ name }) => name),
    );
  } finally {
    await Promise.all(databases.map((database) => database.close()));
  }
});

test("the statement timeout does not apply to a migration or to the wait for it", async (t) => {
  const place = await postgresPlace(t);
  if (place === null) return;
  const limits: unknown[] = [];
  const limitOf = async ({ db }: Pick<Database, "db"> | MigrationContext): Promise<void> => {
    limits.push((await sql`show statement_timeout`.execute(db)).rows);
  };
  await opened(place, async (database) => {
    await migrate(database, 0, [{ name: "0001-long", up: limitOf }]);
    await limitOf(database);
  });
  assert.deepEqual(limits, [[{ statement_timeout: "0" }], [{ statement_timeout: "30s" }]]);
});

test("every migration file is listed, in the order of the numbers", () => {
  const files = readdirSync(new URL("../migrations/", import.meta.url));
  const names = files.filter((file) => file.endsWith(".ts")).map((file) => file.slice(0, -3));
  assert.equal(MIGRATIONS.length, names.length);
  for (const [index, name] of names.sort().entries())
    assert.ok(MIGRATIONS[index]?.name.startsWith(name), name);
});
