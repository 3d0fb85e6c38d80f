import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import { eachDatabasePlace } from "#test/support/databases.ts";
import { breaksFor, type SchemaFacts, schemaFacts } from "#test/support/schema-changes.ts";
import { type Database, openDatabase } from "./database.ts";
import { MIGRATIONS, migrate } from "./migrate.ts";

/** What the tables are before and after a step. */
async function stepped(database: Database, step: () => Promise<unknown>) {
  const before = await schemaFacts(database);
  await step();
  return { before, after: await schemaFacts(database) };
}

test("each migration leaves the version before it working, or says what it takes away", async (t) => {
  await eachDatabasePlace(t, async (_t, place) => {
    const database = openDatabase(place);
    try {
      for (const [index, { name, takesAway = [] }] of MIGRATIONS.entries()) {
        const { before, after } = await stepped(database, () =>
          migrate(database, 0, MIGRATIONS.slice(0, index + 1)),
        );
        assert.ok(after.size > 0);
        assert.deepEqual(breaksFor(before, after), takesAway, `${name}: docs/decisions/0072`);
      }
    } finally {
      await database.close();
    }
  });
});

test("whatever would break the version before is noticed", async (t) => {
  await eachDatabasePlace(t, async (_t, place) => {
    const database = openDatabase(place);
    const { schema } = database.db;
    try {
      const table = (name: string) =>
        schema
          .createTable(name)
          .addColumn("id", "bigint", (column) => column.notNull())
          .addColumn("note", "text")
          .execute();
      for (const name of ["dropped", "narrowed", "renamed", "ruled", "grown"]) await table(name);
      const { before, after } = await stepped(database, async () => {
        await schema.dropTable("dropped").execute();
        await schema.alterTable("narrowed").dropColumn("note").execute();
        await schema.alterTable("renamed").renameColumn("note", "remark").execute();
        await schema.createIndex("ruled_once").unique().on("ruled").column("note").execute();
        await schema.alterTable("grown").addColumn("more", "text").execute();
        await sql`alter table grown add column counted bigint not null default 0`.execute(
          database.db,
        );
      });
      const breaks = breaksFor(before, after).map((line) => line.replace(/: .*/, ""));
      assert.deepEqual(breaks.sort(), [
        "dropped is gone",
        "narrowed.note is gone",
        "renamed.note is gone",
        "ruled has a new rule",
      ]);
    } finally {
      await database.close();
    }
  });
});

test("a column that changes its type, its nulls or its default is noticed", () => {
  const plain = { type: "bigint", isNullable: false, isFilledIn: true };
  const facts = (columns: Record<string, typeof plain>): SchemaFacts =>
    new Map([["t", { columns: new Map(Object.entries(columns)), rules: new Set<string>() }]]);
  const lines = (old: Partial<typeof plain>, now: Partial<typeof plain>) =>
    breaksFor(facts({ c: { ...plain, ...old } }), facts({ c: { ...plain, ...now } }));
  assert.deepEqual(lines({}, {}), []);
  assert.deepEqual(lines({}, { type: "text" }), ["t.c was bigint and is text"]);
  assert.deepEqual(lines({}, { isNullable: true }), ["t.c may be null now"]);
  assert.deepEqual(lines({ isNullable: true }, {}), ["t.c may not be null any more"]);
  assert.deepEqual(lines({}, { isFilledIn: false }), ["t.c has to be given now"]);
  const demanded = { ...plain, isFilledIn: false };
  assert.deepEqual(breaksFor(facts({ c: plain }), facts({ c: plain, d: demanded })), [
    "t.d is new and has to be given",
  ]);
});
